#pragma once

/// The data of the source paper's experiments, and the grids that its tables run over.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

namespace redoubt::reproduction {

inline const std::vector<double> kDefenseRadii{0.001, 0.01, 0.05, 0.1, 0.25, 0.5};
inline const std::vector<double> kAttackRadii{0,    0.1, 0.2,  0.3, 0.4,  0.5,
                                              0.75, 1,   1.25, 1.5, 1.75, 2};
inline constexpr Index kUsualPlanes = 15;

/// Of the tables over the number of planes.
inline const std::vector<Index> kPlaneCounts{5,  10, 15, 20, 25, 30, 35, 40,
                                             45, 50, 55, 60, 65, 70, 75};
inline constexpr double kDevelopmentDefense = 0.1;
inline constexpr double kDevelopmentAttack = 0.75;

/// gaussian, bcw, digits3, digits7.
const std::vector<std::string>& paper_datasets();

/// The norms that the paper has tables for.
std::vector<Norm> published_norms(std::string_view dataset);

/// A data set in two parts, standardised with the mean and deviation of the training part.
struct Problem {
    std::string dataset;
    Matrix train_X;
    Vector train_y;
    Matrix test_X;
    Vector test_y;
    Matrix bags;  ///< of SVM-Ens: one row per plane
};

/// With the published split and bags.
Problem published_problem(const std::string& dataset);

/// With a random split that keeps 20 % of each class for the test, as large as the published one,
/// and bags drawn with the same seed.
Problem random_problem(const std::string& dataset, std::uint64_t seed);

}  // namespace redoubt::reproduction

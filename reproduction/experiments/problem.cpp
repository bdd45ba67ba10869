#include "experiments/problem.hpp"

#include "redoubt/bagging.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/scaler.hpp"

namespace redoubt::reproduction {

namespace {

constexpr double kTestShare = 0.2;

Problem split_problem(const std::string& dataset, const Dataset& data, const Split& split) {
    const Dataset train = data.subset(split.train);
    const Dataset test = data.subset(split.test);
    const Scaler scaler = Scaler::fit(Scaling::Standard, train.X);
    return {dataset, scaler.transform(train.X.dense()), train.y,
            scaler.transform(test.X.dense()), test.y, {}};
}

}  // namespace

const std::vector<std::string>& paper_datasets() {
    static const std::vector<std::string> names{"gaussian", "bcw", "digits3", "digits7"};
    return names;
}

std::vector<Norm> published_norms(std::string_view dataset) {
    if (dataset == "gaussian") return {Norm::L2, Norm::LInf};
    return {Norm::L2};
}

Problem published_problem(const std::string& dataset) {
    Problem problem = split_problem(dataset, load_bundled(dataset), published_split(dataset));
    problem.bags = published_bags(dataset);
    return problem;
}

Problem random_problem(const std::string& dataset, std::uint64_t seed) {
    const Dataset data = load_bundled(dataset);
    Problem problem = split_problem(dataset, data, hold_out(data.y, kTestShare, seed));
    problem.bags = draw_bags({problem.train_X, problem.train_y}, kUsualPlanes, seed);
    return problem;
}

}  // namespace redoubt::reproduction

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "flip/flip.hpp"
#include "redoubt/points.hpp"
#include "search/flip_engine.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// A vote and the ball that threatens it, prepared once for votes with many features and shared by
/// all points and threads.
///
/// Features without a weight never move. An l1 adversary moves few features, so in l1 a search
/// first sees those with the largest weights; what it proves holds for all features, and where that
/// is not enough, it sees more.
class BallPlanes {
public:
    /// The ensemble must outlive this.
    BallPlanes(const Ensemble& ensemble, Norm norm);
    BallPlanes(const BallPlanes&) = delete;

    struct Level {
        std::vector<Index> features;  ///< ascending
        PlaneSet planes;
    };
    Index n_levels() const { return static_cast<Index>(sizes_.size()); }
    /// From few features to all. Built when first needed.
    const Level& level(Index at) const;

    const Ensemble& ensemble() const { return ensemble_; }
    Norm norm() const { return norm_; }
    /// Planes without a weight.
    const std::vector<int>& still() const { return still_; }

private:
    void find_features(std::vector<double>& largest, std::vector<Index>& steepest);

    const Ensemble& ensemble_;
    Norm norm_;
    std::vector<Index> order_;   ///< features with a weight; l1: largest weights first
    std::vector<Index> merged_;  ///< linf: features that the search treats as one; not in order_
    std::vector<Index> sizes_;   ///< size of each level
    std::vector<int> still_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<const Level>> levels_;
};

/// The least move in a ball that changes a point's answer, without writing it down in all features:
/// in l2 it is a sum of the planes' normals, so lengths and products come from their Gram matrix;
/// in l1 it has few features. One per thread.
///
/// Both ends of the bracket hold in exact arithmetic. `upper` is the size of a real move, which
/// need not consist of doubles; only l1 moves are returned, and `upper` is then the size of the
/// rounded move.
class BallFlipper {
public:
    explicit BallFlipper(const BallPlanes& planes) : planes_(planes) {}

    struct Answer {
        /// In l1 `d` holds the steps of `features` only; in the other norms both are empty.
        Flip flip;
        std::vector<Index> features;
        /// True if half-spaces only touch or rounding interfered: a search with explicit moves can
        /// say more.
        bool is_open = false;
    };
    /// For a point with predict(x) == current_label.
    Answer flip_answer(const PointRef& x, int current_label, const PointLimits& limits);

private:
    struct Margin {
        double value;
        double error;
    };
    Margin margin_of(int plane, const PointRef& x, int current_label) const;
    bool look(Index level, const PointRef& x, const PointLimits& limits, Answer& answer);
    void measure(const PlaneSet& planes, const SearchResult& result);
    double least_factor(const PlaneSet& planes, Index required, std::vector<int>& fooled) const;
    void write_move(const BallPlanes::Level& level, const PointRef& x, const Vector& e,
                    Answer& answer) const;
    bool is_witness(const PointRef& x, const std::vector<Index>& features, const Vector& d,
                    double& size) const;

    const BallPlanes& planes_;
    std::vector<std::unique_ptr<FlipEngine>> engines_;  ///< by level
    PointMargins margins_;
    std::vector<Margin> margin_;  ///< of the ensemble's planes
    int current_label_ = 1;
    Index given_ = 0;
    Index required_ = 0;
    // The point found: its products with the planes, their errors, and its size rounded up.
    Vector product_;
    Vector product_error_;
    double size_ = 0.0;
};

}  // namespace redoubt

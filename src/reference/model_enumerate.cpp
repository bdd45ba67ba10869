#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "reference/model_opinion.hpp"
#include "reference/plane_system.hpp"

namespace redoubt {

namespace mip {
namespace {

/// Whole numbers without a limit end this many steps away.
constexpr double kMostSteps = 64.0;

Real join(Norm norm, Real a, Real b) {
    if (norm == Norm::L1) return a + b;
    if (norm == Norm::LInf) return std::max(a, b);
    return std::hypot(a, b);
}

/// Goes through all switches and whole numbers; the rest of the move is continuous, and a least
/// step among the rows of the planes and of the box.
class Enumeration {
public:
    explicit Enumeration(const ModelQuestion& question)
        : question_(question), best_(question.farthest), moved_(question.x) {
        std::vector<char> is_taken(static_cast<std::size_t>(question.x.size()), 0);
        for (const OneHotGroup& group : question.model.one_hot) {
            for (int l : group.features) is_taken[static_cast<std::size_t>(l)] = 1;
        }
        for (const WholeFeature& one : question.model.whole)
            is_taken[static_cast<std::size_t>(one.feature)] = 1;
        for (Index l = 0; l < question.x.size(); ++l) {
            if (is_taken[static_cast<std::size_t>(l)] == 0 && question.model.scale_of(l) > 0.0)
                add_continuous(l);
        }
    }

    FlipAnswer run() {
        choose_member(0, 0);
        FlipAnswer answer;
        answer.status = Status::Optimal;
        answer.n_nodes = n_sets_;
        answer.distance = is_found_ ? static_cast<double>(best_) : HUGE_VAL;
        answer.bound = answer.distance;
        return answer;
    }

private:
    struct Coordinate {
        Index feature;
        Real lo;
        Real hi;
    };

    void add_continuous(Index l) {
        const AttackModel& model = question_.model;
        const Real unit = model.scale_of(l);
        Real lo = std::min<Real>(0, (Real(model.lower_of(l)) - Real(question_.x[l])) / unit);
        Real hi = std::max<Real>(0, (Real(model.upper_of(l)) - Real(question_.x[l])) / unit);
        if (model.direction_of(l) == Direction::Up) lo = 0;
        if (model.direction_of(l) == Direction::Down) hi = 0;
        if (lo < hi) continuous_.push_back({l, lo, hi});
    }

    void choose_member(std::size_t g, Real price) {
        if (price > best_) return;
        if (g == question_.model.one_hot.size()) {
            choose_whole(0, price);
            return;
        }
        const OneHotGroup& group = question_.model.one_hot[g];
        bool is_frozen = false;
        for (int l : group.features) is_frozen = is_frozen || question_.model.scale_of(l) == 0.0;
        choose_member(g + 1, price);
        if (is_frozen) return;
        for (std::size_t member = 0; member < group.features.size(); ++member) {
            bool is_now = true;
            for (std::size_t i = 0; i < group.features.size(); ++i) {
                const int l = group.features[i];
                moved_[l] = i == member ? group.on_value(i) : group.off_value(i);
                is_now = is_now && std::abs(moved_[l] - question_.x[l]) < 1e-6;
            }
            if (!is_now) choose_member(g + 1, join(question_.model.norm, price, group.switch_cost));
        }
        for (int l : group.features) moved_[l] = question_.x[l];
    }

    void choose_whole(std::size_t w, Real price) {
        if (price > best_) return;
        const AttackModel& model = question_.model;
        if (w == model.whole.size()) {
            solve_rest(price);
            return;
        }
        const WholeFeature& one = model.whole[w];
        const double x = question_.x[one.feature];
        choose_whole(w + 1, price);
        if (model.scale_of(one.feature) == 0.0) return;
        for (const double side : {-1.0, 1.0}) {
            if (side < 0.0 && model.direction_of(one.feature) == Direction::Up) continue;
            if (side > 0.0 && model.direction_of(one.feature) == Direction::Down) continue;
            for (double steps = 1.0; steps <= kMostSteps; steps += 1.0) {
                const double value = one.value(one.nearest(x) + side * steps);
                if (value < model.lower_of(one.feature) || value > model.upper_of(one.feature))
                    break;
                moved_[one.feature] = value;
                const Real size =
                    std::abs((Real(value) - Real(x)) / Real(model.scale_of(one.feature)));
                choose_whole(w + 1, join(model.norm, price, size));
                if (join(model.norm, price, size) > best_) break;
            }
            moved_[one.feature] = x;
        }
    }

    /// The planes as they stand after switches and whole steps; those that nothing else moves are
    /// decided there.
    void solve_rest(Real price) {
        const Matrix& W = question_.ensemble.coef();
        PlaneSystem system;
        system.norm = question_.model.norm;
        system.label = question_.label;
        system.strict = question_.label > 0;
        const auto n = static_cast<Index>(continuous_.size());
        std::vector<RealVector> rows;
        std::vector<Real> margins;
        std::int64_t given = 0;
        weights_.clear();
        for (Index i = 0; i < W.rows(); ++i) {
            RealVector a(n);
            for (Index c = 0; c < n; ++c) {
                const Index l = continuous_[static_cast<std::size_t>(c)].feature;
                a[c] = -question_.label * Real(W(i, l)) * Real(question_.model.scale_of(l));
            }
            const Vector w = W.row(i).transpose();
            const double b = question_.ensemble.intercept()[i];
            if (n == 0 || (a.array() == 0).all()) {
                const bool differs = sign_of_plane(w, b, moved_) != question_.label;
                given += differs ? question_.ensemble.weight_units(i) : 0;
                continue;
            }
            rows.push_back(a);
            weights_.push_back(question_.ensemble.weight_units(i));
            margins.push_back(question_.label *
                              (w.cast<Real>().dot(moved_.cast<Real>()) + Real(b)));
        }
        const int n_planes = static_cast<int>(rows.size());
        for (Index c = 0; c < n; ++c) {
            const Coordinate& one = continuous_[static_cast<std::size_t>(c)];
            const RealVector axis = RealVector::Unit(n, c);
            if (std::isfinite(one.lo)) add_row(rows, margins, axis, one.lo);
            if (std::isfinite(one.hi)) add_row(rows, margins, -axis, -one.hi);
        }
        const std::int64_t missing = question_.wanted - given;
        fill(system, rows, margins);
        std::vector<int> chosen;
        for (int r = n_planes; r < static_cast<int>(rows.size()); ++r) chosen.push_back(r);
        choose_planes(system, price, n_planes, 0, missing, chosen);
    }

    static void add_row(std::vector<RealVector>& rows, std::vector<Real>& margins,
                        const RealVector& a, Real m) {
        rows.push_back(a);
        margins.push_back(m);
    }

    static void fill(PlaneSystem& system, const std::vector<RealVector>& rows,
                     const std::vector<Real>& margins) {
        const auto k = static_cast<Index>(rows.size());
        const Index n = k > 0 ? rows[0].size() : 0;
        system.a.resize(k, n);
        system.m.resize(k);
        system.size.resize(k);
        for (Index r = 0; r < k; ++r) {
            system.a.row(r) = rows[static_cast<std::size_t>(r)].transpose();
            system.m[r] = margins[static_cast<std::size_t>(r)];
            system.size[r] = 1;
        }
    }

    void choose_planes(const PlaneSystem& system, Real price, int n_planes, int next,
                       std::int64_t missing, std::vector<int>& chosen) {
        if (missing <= 0) {
            ++n_sets_;
            // Rows of a box that no plane joins hold at 0.
            bool has_plane = false;
            for (int r : chosen) has_plane = has_plane || r < n_planes;
            const std::optional<LeastStep> step =
                has_plane ? least_step(system, chosen, 0) : LeastStep{};
            if (!step) return;
            const Real size = join(question_.model.norm, price, step->length);
            if (size > best_) return;
            best_ = size;
            is_found_ = true;
            return;
        }
        const auto first = weights_.begin() + next;
        std::int64_t rest = std::accumulate(first, weights_.end(), std::int64_t{0});
        for (int i = next; i < n_planes && rest >= missing; ++i) {
            const std::int64_t weight = weights_[static_cast<std::size_t>(i)];
            chosen.push_back(i);
            choose_planes(system, price, n_planes, i + 1, missing - weight, chosen);
            chosen.pop_back();
            rest -= weight;
        }
    }

    const ModelQuestion& question_;
    Real best_;
    bool is_found_ = false;
    std::int64_t n_sets_ = 0;
    Vector moved_;
    std::vector<Coordinate> continuous_{};
    std::vector<std::int64_t> weights_{};  ///< of the planes' rows
};

}  // namespace
}  // namespace mip

FlipAnswer enumerate_model_flip(const ModelQuestion& question) {
    return mip::Enumeration(question).run();
}

}  // namespace redoubt

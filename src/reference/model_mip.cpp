#include <algorithm>
#include <cmath>
#include <string>

#include "reference/highs_solver.hpp"
#include "reference/integer_search.hpp"
#include "reference/mip_model.hpp"
#include "reference/model_opinion.hpp"

namespace redoubt {

namespace mip {
namespace {

std::string numbered(const char* letter, std::size_t index) {
    return std::string(letter) + "_" + std::to_string(index + 1);
}

/// Accuracy at which the outer approximation of the l2 ball stops, in units of `farthest`.
constexpr double kConverged = 1e-8;

/// Columns: one coordinate d_l / scale_l per feature that may move (in units of `farthest`), whole
/// numbers as integer columns tied to it, one binary per member of a group.
class ModelProgram {
public:
    explicit ModelProgram(const ModelQuestion& question)
        : question_(question), program_(Sense::Minimize) {
        const AttackModel& model = question.model;
        t_ = program_.add_column({"t", 0.0, 1.0, 1.0, false});
        std::vector<char> is_grouped(static_cast<std::size_t>(question.x.size()), 0);
        for (const OneHotGroup& group : model.one_hot) {
            for (int l : group.features) is_grouped[static_cast<std::size_t>(l)] = 1;
        }
        for (Index l = 0; l < question.x.size(); ++l) {
            if (is_grouped[static_cast<std::size_t>(l)] == 0 && model.scale_of(l) > 0.0)
                add_feature(l);
        }
        for (const OneHotGroup& group : model.one_hot) add_group(group);
        add_planes();
        add_ball();
    }

    MipModel& program() { return program_; }

    /// The coordinates whose norm is the size, at a solution.
    Vector coordinates(const Vector& solution) const {
        Vector values(static_cast<Index>(size_columns_.size()));
        for (std::size_t c = 0; c < size_columns_.size(); ++c)
            values[static_cast<Index>(c)] = solution[size_columns_[c]];
        return values;
    }

    void cut_at(const Vector& values) {
        if (!(values.norm() > 0.0)) return;
        const Vector g = values.normalized();
        std::vector<Term> terms{{t_, -1.0}};
        for (std::size_t c = 0; c < size_columns_.size(); ++c)
            terms.push_back({size_columns_[c], g[static_cast<Index>(c)]});
        program_.add_row(
            {numbered("cut", static_cast<std::size_t>(program_.n_rows())), -HUGE_VAL, 0.0}, terms);
    }

private:
    void add_feature(Index l) {
        const AttackModel& model = question_.model;
        const double unit = model.scale_of(l) * question_.farthest;
        const double x = question_.x[l];
        double lo = std::max(-1.0, (model.lower_of(l) - x) / unit);
        double hi = std::min(1.0, (model.upper_of(l) - x) / unit);
        if (model.direction_of(l) == Direction::Up) lo = 0.0;
        if (model.direction_of(l) == Direction::Down) hi = 0.0;
        lo = std::min(lo, 0.0);
        hi = std::max(hi, 0.0);
        const auto at = static_cast<std::size_t>(l);
        const int column = program_.add_column({numbered("u", at), lo, hi, 0.0, false});
        size_columns_.push_back(column);
        features_.push_back({l, column, unit, lo, hi});
        for (const WholeFeature& one : model.whole) {
            if (one.feature != l) continue;
            // In steps from where the point stands:  unit u = steps / scale.
            const double step = 1.0 / (one.scale * unit);
            const int steps =
                program_.add_column({numbered("steps", at), std::ceil(lo / step - 1e-6),
                                     std::floor(hi / step + 1e-6), 0.0, true});
            program_.add_row({numbered("whole", at), 0.0, 0.0}, {{column, 1.0}, {steps, -step}});
        }
    }

    void add_group(const OneHotGroup& group) {
        std::size_t on = 0;
        bool is_frozen = false;
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const double x = question_.x[group.features[i]];
            if (std::abs(x - group.on_value(i)) < std::abs(x - group.off_value(i))) on = i;
            is_frozen = is_frozen || question_.model.scale_of(group.features[i]) == 0.0;
        }
        const double cost = group.switch_cost / question_.farthest;
        if (is_frozen || cost > 1.0) return;
        std::vector<Term> one;
        std::vector<Term> price;
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const int column = program_.add_binary(
                numbered("on", static_cast<std::size_t>(group.features[i])), 0.0);
            one.push_back({column, 1.0});
            if (i == on) continue;
            price.push_back({column, -cost});
            switches_.push_back({&group, i, on, column});
        }
        const auto at = static_cast<std::size_t>(program_.n_rows());
        program_.add_row({numbered("one", at), 1.0, 1.0}, one);
        const int column = program_.add_column({numbered("price", at), 0.0, cost, 0.0, false});
        price.push_back({column, 1.0});
        program_.add_row({numbered("pays", at), 0.0, 0.0}, price);
        size_columns_.push_back(column);
    }

    void add_planes() {
        const Matrix& W = question_.ensemble.coef();
        std::vector<Term> missed;
        for (Index i = 0; i < W.rows(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const Vector w = W.row(i).transpose();
            const double margin =
                question_.label * (w.dot(question_.x) + question_.ensemble.intercept()[i]);
            std::vector<Term> terms;
            double size = 0.0;
            for (const Feature& f : features_) {
                terms.push_back({f.column, -question_.label * w[f.feature] * f.unit});
                size += std::abs(w[f.feature] * f.unit);
            }
            for (const Switch& s : switches_) {
                double gain = 0.0;
                for (std::size_t m : {s.member, s.on}) {
                    const int l = s.group->features[m];
                    const double value =
                        m == s.member ? s.group->on_value(m) : s.group->off_value(m);
                    gain += w[l] * (value - question_.x[l]);
                }
                terms.push_back({s.column, -question_.label * gain});
                size += std::abs(gain);
            }
            const int z = program_.add_binary(numbered("z", at), 0.0);
            missed.push_back({z, static_cast<double>(question_.ensemble.weight_units(i))});
            if (size == 0.0) {
                // Nothing moves it.
                const int answer = sign_of_plane(w, question_.ensemble.intercept()[i], question_.x);
                program_.add_row(
                    {numbered("still", at), answer == question_.label ? 1.0 : 0.0, HUGE_VAL},
                    {{z, 1.0}});
                continue;
            }
            const double wanted = margin / size + (question_.label > 0 ? kStrictMargin : 0.0);
            double least = 0.0;
            for (Term& term : terms) term.value /= size;
            for (const Feature& f : features_) {
                const double a = -question_.label * w[f.feature] * f.unit / size;
                least += std::min(a * f.lo, a * f.hi);
            }
            for (const Switch& s : switches_) {
                for (const Term& term : terms) {
                    if (term.column == s.column) least -= std::abs(term.value);
                }
            }
            terms.push_back({z, std::max(0.0, wanted - least)});
            program_.add_row({numbered("fool", at), wanted, HUGE_VAL}, terms);
        }
        const auto spared =
            static_cast<double>(question_.ensemble.total_units() - question_.wanted);
        program_.add_row({"need", -HUGE_VAL, spared}, missed);
    }

    void add_ball() {
        if (question_.model.norm == Norm::L1) {
            std::vector<Term> sum{{t_, -1.0}};
            for (std::size_t c = 0; c < size_columns_.size(); ++c) {
                const int size = program_.add_column({numbered("size", c), 0.0, 1.0, 0.0, false});
                sum.push_back({size, 1.0});
                add_size_rows(c, size);
            }
            program_.add_row({"ball", -HUGE_VAL, 0.0}, sum);
            return;
        }
        for (std::size_t c = 0; c < size_columns_.size(); ++c) add_size_rows(c, t_);
    }

    /// |u_c| <= the other column.
    void add_size_rows(std::size_t c, int other) {
        program_.add_row({numbered("above", c), -HUGE_VAL, 0.0},
                         {{size_columns_[c], 1.0}, {other, -1.0}});
        program_.add_row({numbered("below", c), 0.0, HUGE_VAL},
                         {{size_columns_[c], 1.0}, {other, 1.0}});
    }

    struct Feature {
        Index feature;
        int column;
        double unit;
        double lo;
        double hi;
    };
    struct Switch {
        const OneHotGroup* group;
        std::size_t member;
        std::size_t on;
        int column;
    };

    const ModelQuestion& question_;
    MipModel program_;
    int t_ = 0;
    std::vector<int> size_columns_{};
    std::vector<Feature> features_{};
    std::vector<Switch> switches_{};
};

}  // namespace
}  // namespace mip

FlipAnswer mip_model_flip(const ModelQuestion& question, const PointLimits& limits) {
    mip::check_weights(question.ensemble);
    mip::ModelProgram model(question);
    FlipAnswer answer;
    answer.bound = 0.0;
    for (int round = 0; round < mip::kMaxPrograms; ++round) {
        const mip::MipSolution solution = mip::solve(model.program(), limits, answer.n_nodes);
        answer.n_nodes += solution.n_nodes;
        answer.status = solution.status;
        if (!solution.has_point) {
            // Nothing else is nearer than what was found, if anything was.
            if (solution.infeasible) answer.bound = answer.distance;
            return answer;
        }
        answer.bound = std::max(answer.bound, solution.bound * question.farthest);
        const Vector values = model.coordinates(solution.x);
        const double size = norm_value(question.model.norm, values) * question.farthest;
        // The program sees the l2 ball from outside.
        if (size <= question.farthest * (1.0 + mip::kConverged))
            answer.distance = std::min(answer.distance, size);
        const bool is_closed =
            question.model.norm != Norm::L2 ||
            answer.distance <= answer.bound + mip::kConverged * question.farthest;
        if (is_closed || answer.status != Status::Optimal) return answer;
        model.cut_at(values);
    }
    answer.status = Status::IterationLimit;
    return answer;
}

FlipAnswer mip_model_flip_anywhere(const ModelQuestion& question, const PointLimits& limits) {
    const double size = std::max(1.0, question.x.cwiseAbs().maxCoeff());
    FlipAnswer answer;
    std::int64_t n_nodes = 0;
    const auto ask = [&](double farthest) {
        const ModelQuestion bounded{question.ensemble, question.model,  question.x,
                                    question.label,    question.wanted, farthest};
        answer = mip_model_flip(bounded, limits);
        n_nodes += answer.n_nodes;
        answer.n_nodes = n_nodes;
        return answer.status == Status::Optimal;
    };
    for (double farthest = size; farthest <= 1e6 * size; farthest *= 10.0) {
        if (!ask(farthest)) return answer;
        if (answer.distance == HUGE_VAL) continue;
        // Constants grow with the size asked for, and what HiGHS forgives with them.
        const double closer = 1.01 * answer.distance + 1e-9 * size;
        const FlipAnswer first = answer;
        if (closer < farthest && (!ask(closer) || answer.distance == HUGE_VAL)) answer = first;
        return answer;
    }
    return answer;
}

}  // namespace redoubt

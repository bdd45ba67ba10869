#include "redoubt/explain.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "explain/axis_search.hpp"
#include "explain/raw_move.hpp"
#include "explain/sentence.hpp"
#include "redoubt/class_certificate.hpp"

namespace redoubt {

namespace {

/// One call of `explain`.
class Explainer {
public:
    Explainer(const Model& model, const VectorRef& raw, const ExplainSettings& settings)
        : model_(model), settings_(settings), raw_(raw), axis_(model, raw) {
        result_.answer = axis_.answer();
        group_.resize(model.feature_names().size(), nullptr);
        integer_.resize(group_.size(), nullptr);
        for (const OneHotGroup& group : settings.attack_model.one_hot) {
            for (int l : group.features) group_[static_cast<std::size_t>(l)] = &group;
        }
        for (const IntegerFeature& one : settings.attack_model.integers) {
            integer_[static_cast<std::size_t>(one.feature)] = &one;
        }
    }

    Explanation explain() {
        certify_point();
        find_attack();
        find_singles();
        result_.sentence = explanation_sentence(result_, model_, settings_);
        return std::move(result_);
    }

private:
    Index n() const { return raw_.size(); }

    Norm norm() const { return settings_.attack_model.norm; }

    /// How far a feature moves at radius 1; 0 if it is frozen.
    double unit_of(Index l) const {
        const bool has_scale = settings_.attack_model.scale.size() > 0;
        if (settings_.attack_model.counts() && !has_scale) return 1.0;
        return has_scale ? settings_.attack_model.scale[l] : model_.scaler().scale()[l];
    }

    double size_of(Index l, double from, double to) const {
        const AttackModel& rules = settings_.attack_model;
        return rules.counts() ? rules.cost_of(l) : std::abs(to - from) / unit_of(l);
    }

    void certify_point() {
        CertifySettings settings;
        settings.limits = settings_.limits;
        settings.attack_model = settings_.attack_model.scaled(model_.scaler());
        const Matrix scaled = model_.scaler().transform(raw_.transpose());
        result_.moved_answer = -result_.answer;
        if (!model_.class_vote()) {
            result_.certificate = certify(model_.ensemble(), scaled,
                                          Vector::Constant(1, double(result_.answer)), settings)[0];
            return;
        }
        ClassCertificate found =
            certify(*model_.class_vote(), scaled, Eigen::VectorXi::Constant(1, result_.answer),
                    ClassCertifySettings{settings})[0];
        result_.moved_answer = found.moved_answer;
        result_.certificate = std::move(found);
    }

    void find_attack() {
        const Vector& step = result_.certificate.witness;
        if (step.size() == 0) return;
        const RawMover mover(model_, settings_.attack_model);
        result_.is_changed = mover.move(raw_, step, result_.moved_answer, result_.moved);
        double total_size = 0.0;
        for (Index l = 0; l < n(); ++l) {
            if (result_.moved[l] == raw_[l]) continue;
            FeatureMove move{static_cast<int>(l), raw_[l], result_.moved[l]};
            const OneHotGroup* group = group_[static_cast<std::size_t>(l)];
            move.size = group != nullptr ? group->cost_between(raw_, result_.moved)
                                         : size_of(l, move.from, move.to);
            const double part = part_of(move.size) * (is_halved(group) ? 0.5 : 1.0);
            move.share = part;
            total_size = norm() == Norm::LInf ? std::max(total_size, part) : total_size + part;
            result_.attack.push_back(move);
        }
        for (FeatureMove& move : result_.attack) {
            move.share = total_size > 0.0 ? move.share / total_size : 0.0;
        }
        std::stable_sort(result_.attack.begin(), result_.attack.end(),
                         [](const auto& a, const auto& b) { return a.share > b.share; });
    }

    double part_of(double size) const { return norm() == Norm::L2 ? size * size : size; }

    /// The cost of a switch is that of its two members together.
    bool is_halved(const OneHotGroup* group) const {
        return group != nullptr && norm() != Norm::LInf;
    }

    void find_singles() {
        for (Index l = 0; l < n(); ++l) {
            SingleChange& change = result_.singles.emplace_back();
            change.feature = static_cast<int>(l);
            change.from = raw_[l];
        }
        if (!settings_.attack_model.attacks(result_.answer)) return;
        for (Index l = 0; l < n(); ++l) {
            if (group_[static_cast<std::size_t>(l)] == nullptr && unit_of(l) > 0.0) find_single(l);
        }
        for (const OneHotGroup& group : settings_.attack_model.one_hot) find_switches(group);
    }

    void find_single(Index l) {
        SingleChange& change = result_.singles[static_cast<std::size_t>(l)];
        const AttackModel& rules = settings_.attack_model;
        const double lower = std::max(axis_.last_finite(l, false), rules.lower_of(l));
        const double upper = std::min(axis_.last_finite(l, true), rules.upper_of(l));
        const Direction direction = rules.direction_of(l);
        const IntegerFeature* integer = integer_[static_cast<std::size_t>(l)];
        const AxisValues values = integer != nullptr ? AxisValues(*integer, raw_[l], lower, upper)
                                                     : AxisValues(raw_[l], lower, upper);
        for (const bool is_up : {true, false}) {
            if (direction == (is_up ? Direction::Down : Direction::Up)) continue;
            const double to = axis_.first_change(l, values, is_up);
            set_change(change, to, size_of(l, change.from, to));
        }
    }

    /// `to` is NaN if there is no such change.
    static void set_change(SingleChange& change, double to, double size) {
        if (std::isnan(to)) return;
        if (to > change.from) {
            change.up_to = to;
            change.up_size = size;
        } else {
            change.down_to = to;
            change.down_size = size;
        }
    }

    void find_switches(const OneHotGroup& group) {
        const auto is_frozen = [&](int l) { return unit_of(l) == 0.0; };
        if (std::any_of(group.features.begin(), group.features.end(), is_frozen)) return;
        std::size_t now = 0;
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const double value = raw_[group.features[i]];
            if (std::abs(value - group.on_value(i)) < std::abs(value - group.off_value(i))) now = i;
        }
        const int old = group.features[now];
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const int next = group.features[i];
            const double cost = group.cost(now, i);
            if (i == now || cost == HUGE_VAL) continue;
            const int answer =
                axis_.answer_at({{old, group.off_value(now)}, {next, group.on_value(i)}});
            if (answer == result_.answer) continue;
            set_switch(next, group.on_value(i), old, cost).goes_on = true;
            const SingleChange& known = result_.singles[static_cast<std::size_t>(old)];
            if (known.partner < 0 || cost < known.size()) {
                set_switch(old, group.off_value(now), next, cost);
            }
        }
    }

    SingleChange& set_switch(int feature, double to, int partner, double cost) {
        SingleChange& change = result_.singles[static_cast<std::size_t>(feature)];
        change.partner = partner;
        set_change(change, to, cost);
        return change;
    }

    const Model& model_;
    const ExplainSettings& settings_;
    const Vector raw_;
    AxisSearch axis_;
    std::vector<const OneHotGroup*> group_;
    std::vector<const IntegerFeature*> integer_;
    Explanation result_;
};

void check_row(const Model& model, const VectorRef& raw) {
    check_length("raw", raw.size(), model.scaler().n_features());
    check_finite("raw", raw);
}

}  // namespace

void ExplainSettings::check() const {
    limits.check();
    check_value(n_named >= 0, "n_named", "an integer >= 0", n_named);
}

Explanation explain(const Model& model, const VectorRef& raw, const ExplainSettings& settings) {
    settings.check();
    check_row(model, raw);
    settings.attack_model.check(raw.size(), static_cast<Index>(model.classes().size()));
    settings.ranges.check(raw.size());
    ExplainSettings limited = settings;
    if (!settings.frozen.empty()) {
        for (int l : settings.frozen) {
            check_value(l >= 0 && l < raw.size(), "frozen", "features of the model", l);
        }
        limited.attack_model =
            settings.attack_model.with_frozen(settings.frozen, raw.size(), model.scaler().scale());
    }
    const int answer = model.predict_all(raw.transpose())[0];
    if (settings.attack_model.attacks(answer)) limited.attack_model.check_point(raw, 0);
    if (!settings.ranges.is_known()) return Explainer(model, raw, limited).explain();
    limited.ranges.widen(raw.transpose());
    limited.attack_model =
        limited.attack_model.within(limited.ranges.least, limited.ranges.greatest);
    return Explainer(model, raw, limited).explain();
}

}  // namespace redoubt

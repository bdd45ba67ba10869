#include "certify/class_problems.hpp"

namespace redoubt {

namespace {

constexpr int kEnter = -1;
constexpr int kLeave = -2;

std::vector<int> rivals_of(const ClassVote& vote, int c) {
    std::vector<int> rivals;
    for (int k = 0; k < vote.n_classes(); ++k) {
        if (k != c) rivals.push_back(k);
    }
    return rivals;
}

}  // namespace

template <typename Make>
const ClassProblem& ClassProblems::find(int c, int k, Make make) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const ClassProblem>& made = made_[{c, k}];
    // Not make_unique: its planes point at each other, so it is made in place.
    if (!made) made.reset(new ClassProblem(make()));
    return *made;
}

const ClassProblem& ClassProblems::enter(int c) {
    return find(c, kEnter, [&] {
        return vote_.score() == ClassScore::Value ? by_value(c, false)
                                                  : by_votes(c, rivals_of(vote_, c));
    });
}

const ClassProblem& ClassProblems::leave(int c) {
    return find(c, kLeave, [&] { return by_value(c, true); });
}

const ClassProblem& ClassProblems::beat(int c, int k) {
    return find(c, k, [&] { return by_votes(c, {k}); });
}

/// One plane per rival. Class c enters where all of them speak for it; it is left where one of them
/// speaks for the rival.
ClassProblem ClassProblems::by_value(int c, bool is_leaving) const {
    const std::vector<int> rivals = rivals_of(vote_, c);
    std::vector<Hyperplane> planes;
    CountingRules rules;
    for (int k : rivals) {
        planes.push_back(is_leaving ? vote_.difference(k, c) : vote_.difference(c, k));
        // The class that comes first has the tie.
        rules.is_minus_at_zero.push_back((is_leaving ? k < c : c < k) ? 0 : 1);
    }
    const Index required = is_leaving ? 1 : static_cast<Index>(rivals.size());
    return {Ensemble(planes), rivals, space_, std::move(rules), Amounts(required)};
}

/// Planes of class c as they are, those of its rivals turned round; one count per rival. Where
/// values settle ties, all votes count twice and the plane between the values of the two once.
ClassProblem ClassProblems::by_votes(int c, const std::vector<int>& rivals) const {
    const Ensemble& all = vote_.planes();
    const bool has_values = vote_.tie_values().has_value();
    const Index unit = has_values ? 2 : 1;
    std::vector<Hyperplane> planes;
    std::vector<int> names;
    CountingRules rules;
    rules.weights.resize(rivals.size());
    const auto add = [&](int of, double sign) {
        for (Index i = vote_.first_plane(of); i < vote_.first_plane(of + 1); ++i) {
            names.push_back(static_cast<int>(i));
            planes.push_back({sign * all.coef().row(i).transpose(), sign * all.intercept()[i]});
            rules.is_minus_at_zero.push_back(sign * vote_.answer_at_zero(i) < 0.0 ? 1 : 0);
            for (std::size_t r = 0; r < rivals.size(); ++r)
                rules.weights[r].push_back(of == c || of == rivals[r] ? unit * all.weight_units(i)
                                                                      : 0);
        }
    };
    add(c, 1.0);
    for (int k : rivals) add(k, -1.0);
    for (std::size_t r = 0; has_values && r < rivals.size(); ++r) {
        planes.push_back(vote_.difference(c, rivals[r]));
        rules.is_minus_at_zero.push_back(c < rivals[r] ? 0 : 1);
        for (std::size_t other = 0; other < rivals.size(); ++other)
            rules.weights[other].push_back(other == r ? 1 : 0);
    }
    std::vector<Index> required;
    for (std::size_t r = 0; r < rivals.size(); ++r) {
        // The score of c less the rival's is twice the weight that speaks for c, less all of it.
        Index total = 0;
        for (Index weight : rules.weights[r]) total += weight;
        required.push_back(c < rivals[r] ? (total + 1) / 2 : total / 2 + 1);
    }
    return {Ensemble(planes), std::move(names), space_, std::move(rules), Amounts(required)};
}

}  // namespace redoubt

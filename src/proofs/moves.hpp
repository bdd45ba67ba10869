#pragma once

#include "proofs/rules.hpp"

#include <functional>
#include <map>
#include <vector>

namespace redoubt::proofs {

/// The integers and members that the moves at a node of a proof may go to: the features of
/// integers, and the first features of groups. In l0 features without a grid have them, too: 0,
/// they stay, or 1, they change.
struct Box {
    struct Span {
        double first;
        double last;
    };
    std::map<int, Span> spans{};
    std::map<int, std::vector<int>> members{};
};

/// The most that moves add to lambda'g.
struct MostGain {
    bool is_endless = false;
    bool is_empty = false;  ///< there are no such moves
    ExactRatio value{};
    bool is_attained = true;
};

/// The moves of one point that are smaller than its radius, which may be infinite.
class Moves {
public:
    Moves(const Rules& rules, const Vector& point, double radius, const std::vector<int>& frozen);

    const Rules& rules() const { return rules_; }
    bool may_move(Index feature) const {
        return is_movable_[static_cast<std::size_t>(feature)] != 0;
    }
    /// Features that are neither integers nor in a group, unless they are counted.
    const std::vector<int>& columns() const { return columns_; }
    bool may_charge() const { return rules_.are_any && rules_.norm != Norm::LInf; }
    /// True if sizes are not those of a ball.
    bool needs_charge() const;

    /// All integers and members.
    Box box() const;
    /// The groups that may switch and the integers that may move, by their first features.
    const GroupRule* group_at(int feature) const;
    const IntegerRule* integer_at(int feature) const;
    /// Is it counted whether the feature changes, which is no integer and in no group?
    bool is_range(int feature) const;
    /// True if the group may switch to the member.
    bool can_switch(const GroupRule& group, int member) const;

    /// The supremum of c'd - charge size(d)^p + charge radius^p over the moves of a box.
    MostGain most(const std::function<ExactNumber(int)>& slope_of, const ExactNumber& charge,
                  const Box& box) const;

    /// Slopes as doubles, and how far they may be off.
    struct NearSlopes {
        Vector value;
        Vector error;
    };
    /// An upper end of the value of `most`; infinite where doubles cannot tell.
    double most_nearly(const NearSlopes& slopes, double charge, const Box& box) const;

private:
    struct Ends {
        double down;  ///< the values that are reached, or infinite
        double up;
    };
    using Slopes = std::function<ExactNumber(int)>;

    void add_group(const GroupRule& group, const std::vector<int>& members, const Slopes& slope_of,
                   const ExactNumber& charge, MostGain& most) const;
    void add_integer(const IntegerRule& one, Box::Span span, const ExactNumber& slope,
                     const ExactNumber& charge, MostGain& most) const;
    void add_charged_integer(const IntegerRule& one, Box::Span span, const ExactNumber& slope,
                             const ExactNumber& charge, MostGain& most) const;
    void add_range(int feature, const std::vector<int>& cases, const ExactNumber& slope,
                   const ExactNumber& charge, MostGain& most) const;
    void add_column(int feature, const ExactNumber& slope, const ExactNumber& charge,
                    MostGain& most) const;
    double near_gain(const GroupRule& group, const std::vector<int>& members,
                     const NearSlopes& slopes, double charge, double& sizes) const;
    double near_gain(const IntegerRule& one, Box::Span span, const NearSlopes& slopes,
                     double charge, double& sizes) const;
    double near_gain(int feature, double slope, double reached, double charge) const;
    double near_gain(int feature, const std::vector<int>& cases, const NearSlopes& slopes,
                     double charge, double& sizes) const;
    double near_power(double size) const { return rules_.norm == Norm::L2 ? size * size : size; }
    Box::Span cut(const IntegerRule& one, Box::Span span) const;

    const Rules& rules_;
    const Vector& point_;
    double radius_;
    double near_budget_ = 0.0;  ///< at least the budget
    std::vector<char> is_movable_;
    std::vector<int> columns_{};
    std::vector<int> ranges_{};  ///< the same in l0
    std::vector<Ends> ends_{};   ///< by feature
    std::vector<const IntegerRule*> integers_{};
    std::vector<const GroupRule*> groups_{};
    std::map<const GroupRule*, int> on_{};  ///< the members that are on
    std::vector<char>
        is_cheap_{};  ///< by feature: an integer in l0 whose change costs less than the radius
    ExactRatio budget_{};
    bool is_reached_ = false;  ///< sizes below the radius are at most the budget, not just less
};

}  // namespace redoubt::proofs

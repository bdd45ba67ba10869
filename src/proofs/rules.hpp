#pragma once

/// What the header of a proof file says about moves.

#include "io/json_field.hpp"
#include "proofs/exact_ratio.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

#include <map>
#include <optional>
#include <vector>

namespace redoubt::proofs {

/// A hexadecimal double, or an integer of at most 53 bits. Throws ParseError.
double exact_value(const io::JsonField& field);
/// The same, but infinite ones are allowed.
double exact_or_infinite(const io::JsonField& field);
/// `n` of them.
Vector exact_values(const io::JsonField& field, Index n, bool may_be_infinite = false);
/// Numbers below n, each once.
std::vector<int> places_in(const io::JsonField& field, Index n);

/// A feature with the values (z - offset) / scale of integers z, as doubles round them.
struct IntegerRule {
    int feature = 0;
    double offset = 0.0;
    double scale = 1.0;
    ExactRatio step{};  ///< the size of a move by 1; in l0 of any move
    double near_step = 1.0;

    bool is_raw() const { return offset == 0.0 && scale == 1.0; }
    /// Throws Refusal beyond 2^53.
    double value(double z) const;
    double nearest(double x) const;
    /// The last integer from `start` in one direction whose value does not pass the limit; may be
    /// infinite. Throws Refusal if the integers around the limit have one value.
    double inside(double limit, double start, double side) const;
};

/// Features of which exactly one is on.
struct GroupRule {
    std::vector<int> features{};
    Vector on{};
    Vector off{};
    double cost = 0.0;
    std::map<std::pair<int, int>, double> prices{};

    /// Infinite: there is no such switch.
    double price(int from, int to) const;
    /// The member whose value is nearest to its on value.
    int member_on(const Vector& point) const;
};

struct Rules {
    Norm norm = Norm::L2;
    Vector scale{};  ///< 0 = does not move
    Vector cost{};   ///< in l0, of changing a feature without a grid
    Vector lower{};
    Vector upper{};
    std::vector<std::string> direction{};
    std::vector<IntegerRule> integers{};
    std::vector<GroupRule> groups{};
    std::optional<int> attacking_class{};
    /// All sizes of integers and groups are multiples of it.
    std::optional<ExactRatio> unit{};
    bool are_any = false;  ///< more than a scale

    /// Sizes are sums of costs of what changes, however far.
    bool are_counted() const { return norm == Norm::L0; }

    /// Throws ParseError.
    static Rules read(const io::JsonField& header, Index n_features);
    /// Of a size: its square in l2.
    ExactRatio power(const ExactRatio& size) const { return norm == Norm::L2 ? size * size : size; }

private:
    void read_fields(const io::JsonField& header, Index n_features);
    void read_integers(const io::JsonField& list);
    void read_groups(const io::JsonField& list, Index n_features);
    bool has_unit(const ExactRatio& candidate) const;
};

}  // namespace redoubt::proofs

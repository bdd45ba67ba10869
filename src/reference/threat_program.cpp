#include "reference/threat_program.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace redoubt::reference {

namespace {

/// What "strictly" means here: beyond the plane by this share of what the move can gain. A hundred
/// times the feasibility tolerance of HiGHS, so that it is seen.
constexpr double kStrictMargin = 1e-7;
/// A plane is out of reach when it is by this share.
constexpr double kOutOfReach = 1e-6;

std::string numbered(const char* letter, Index index) {
    return std::string(letter) + "_" + std::to_string(index + 1);
}

}  // namespace

ThreatProgram::ThreatProgram(const PlaneSystem& system, Sense sense, double radius)
    : system_(system),
      unit_(radius > 0.0 ? radius : 1.0),
      limit_(radius > 0.0 ? 1.0 : 0.0),
      program_(sense),
      n_coordinates_(system.a.cols() + static_cast<Index>(system.parts.size())) {
    const bool is_reduced = system.basis.size() > 0;
    for (Index c = 0; c < system.a.cols(); ++c) {
        const Coordinate& one = system.coordinates[c];
        const auto lo = is_reduced ? -limit_ : static_cast<double>(one.lo / unit_);
        const auto hi = is_reduced ? limit_ : static_cast<double>(one.hi / unit_);
        add_lever({is_reduced ? numbered("e", c) : numbered("d", one.feature),
                   std::max(-limit_, lo), std::min(limit_, hi)},
                  c, 0, 1.0, system.a.col(c));
    }
    for (std::size_t p = 0; p < system.parts.size(); ++p)
        add_part(system.parts[p], system.a.cols() + static_cast<Index>(p));
    t_ = program_.add_column({"t", 0.0, limit_, sense == Sense::Minimize ? 1.0 : 0.0});
}

/// For l1 in two columns, so that sizes add up.
void ThreatProgram::add_lever(Column column, Index coordinate, int option, double size,
                              const RealVector& gain) {
    const bool is_split = system_.threat.norm == Norm::L1 && column.lower < 0.0;
    const Column minus{"minus_" + column.name, 0.0, -column.lower, 0.0, column.integer};
    if (is_split) column = {"plus_" + column.name, 0.0, column.upper, 0.0, column.integer};
    levers_.push_back({program_.add_column(column), coordinate, option, size, gain});
    if (!is_split) return;
    levers_.push_back({program_.add_column(minus), coordinate, -option, -size, -gain});
}

void ThreatProgram::add_part(const DiscretePart& part, Index coordinate) {
    if (part.group == nullptr) {
        const int one = part.last > 0.0 ? 1 : -1;
        const auto size = static_cast<double>(part.size(system_.x, one) / unit_);
        const double most = std::floor(limit_ / size + 1e-6);
        add_lever({numbered("steps", part.integer->feature), std::max(part.first, -most),
                   std::min(part.last, most), 0.0, true},
                  coordinate, 1, size, one * system_.gain(part, one) / unit_);
        return;
    }
    std::vector<Term> switches;
    for (int option = 1; option <= part.last; ++option) {
        const auto price = static_cast<double>(part.size(system_.x, option) / unit_);
        if (price > limit_ * (1.0 + 1e-9)) break;
        const int feature = part.group->features[part.members[option - 1]];
        add_lever({numbered("on", feature), 0.0, 1.0, 0.0, true}, coordinate, option, price,
                  system_.gain(part, option) / unit_);
        switches.push_back({levers_.back().column, 1.0});
    }
    if (!switches.empty())
        program_.add_row({numbered("switch", coordinate), -HUGE_VAL, 1.0}, switches);
}

void ThreatProgram::add_ball() {
    const Norm norm = system_.threat.norm;
    std::vector<std::vector<Term>> sizes(norm == Norm::L1 ? 1 : n_coordinates_, {{t_, -1.0}});
    for (const Lever& lever : levers_) {
        if (norm == Norm::L1) sizes[0].push_back({lever.column, std::abs(lever.size)});
        if (norm != Norm::L1) sizes[lever.coordinate].push_back({lever.column, lever.size});
    }
    for (Index c = 0; c < n_coordinates_; ++c) {
        program_.add_row({numbered("above", c), -HUGE_VAL, 0.0}, sizes[c]);
        if (norm == Norm::L1) return;
        sizes[c][0].value = 1.0;
        program_.add_row({numbered("below", c), 0.0, HUGE_VAL}, sizes[c]);
    }
    for (Index i = 0; i < system_.n_planes() && norm == Norm::L2; ++i) {
        Vector direction = Vector::Zero(n_coordinates_);
        for (const Lever& lever : levers_) {
            if (lever.size != 0.0)
                direction[lever.coordinate] = static_cast<double>(lever.gain[i] / lever.size);
        }
        add_cut(direction);
    }
}

/// No move gains more for this plane with this sign: what the ball allows, and what the columns'
/// bounds do.
double ThreatProgram::reach(Index plane, double sign) const {
    RealVector slope = RealVector::Zero(n_coordinates_);
    RealVector most = RealVector::Zero(n_coordinates_);
    for (const Lever& lever : levers_) {
        const Column& column = program_.columns()[lever.column];
        const Real gain = sign * lever.gain[plane];
        const Index c = lever.coordinate;
        if (gain != 0) slope[c] = std::max(slope[c], std::fabs(gain / lever.size));
        most[c] = std::max({most[c], gain * column.lower, gain * column.upper});
    }
    const Real ball = limit_ > 0.0 ? dual_size(system_.threat.norm, slope) : HUGE_VALL;
    return static_cast<double>(std::min(ball, most.sum()));
}

/// The row  factor * (what the move gains) + terms.
void ThreatProgram::add_row(Row row, Index plane, double factor, std::vector<Term> terms) {
    for (const Lever& lever : levers_)
        terms.push_back({lever.column, factor * static_cast<double>(lever.gain[plane])});
    program_.add_row(std::move(row), terms);
}

ThreatProgram ThreatProgram::least_move(const PlaneSystem& system, double farthest,
                                        std::int64_t need) {
    ThreatProgram result(system, Sense::Minimize, farthest);
    result.first_switch_ = result.program_.n_columns();
    std::vector<Term> missed;
    for (int i = 0; i < system.n_planes(); ++i) {
        const double up = result.reach(i, 1.0);
        const double down = result.reach(i, -1.0);
        const double size = std::max(up, down);
        const auto m = static_cast<double>(system.m[i] / result.unit_);
        const bool is_lost = size == 0.0 ? !system.met[i] : m > up + kOutOfReach * size;
        const int z = result.program_.add_column(
            {numbered("z", i), is_lost ? 1.0 : 0.0, is_lost || size > 0.0 ? 1.0 : 0.0, 0.0, true});
        missed.push_back({z, static_cast<double>(system.ensemble.weight_units(i))});
        if (is_lost || size == 0.0) continue;
        const double wanted = m / size + (system.strict ? kStrictMargin : 0.0);
        result.add_row({numbered("fool", i), wanted, HUGE_VAL}, i, 1.0 / size,
                       {{z, std::max(0.0, wanted + down / size)}});
    }
    const auto spared = static_cast<double>(system.ensemble.total_units() - need);
    result.program_.add_row({"need", -HUGE_VAL, spared}, missed);
    result.add_ball();
    return result;
}

ThreatProgram ThreatProgram::largest_sum(const PlaneSystem& system, double radius) {
    ThreatProgram result(system, Sense::Maximize, radius);
    Program& program = result.program_;
    result.first_switch_ = program.n_columns();
    for (int i = 0; i < system.n_planes(); ++i)
        program.add_column({numbered("v", i), 0.0, 1.0, 0.0, true});
    for (int i = 0; i < system.n_planes(); ++i) {
        // In the plane's own units.
        const double weight = system.ensemble.weight(i);
        const double factor = weight * static_cast<double>(result.unit_ / system.scale[i]);
        const double c = weight * static_cast<double>(1 - system.m[i] / system.scale[i]);
        const double most = std::max(0.0, c + factor * result.reach(i, 1.0));
        const double M = std::max(0.0, factor * result.reach(i, -1.0) - c);
        const int v = result.first_switch_ + i;
        const int h = program.add_column({numbered("h", i), 0.0, most, 1.0});
        result.add_row({numbered("hinge", i), -HUGE_VAL, c + M}, i, -factor, {{h, 1.0}, {v, M}});
        program.add_row({numbered("off", i), -HUGE_VAL, 0.0}, {{h, 1.0}, {v, -most}});
    }
    result.add_ball();
    return result;
}

PlaneChoice ThreatProgram::choice(const Vector& solution) const {
    PlaneChoice choice{std::vector<int>(system_.parts.size(), 0)};
    for (const Lever& lever : levers_) {
        if (lever.option == 0) continue;
        choice.options[lever.coordinate - system_.a.cols()] +=
            lever.option * static_cast<int>(std::lround(solution[lever.column]));
    }
    const bool is_on = program_.sense() == Sense::Maximize;
    for (int i = 0; i < system_.n_planes(); ++i) {
        if ((solution[first_switch_ + i] > 0.5) == is_on) choice.planes.push_back(i);
    }
    return choice;
}

Vector ThreatProgram::sizes(const Vector& solution) const {
    Vector sizes = Vector::Zero(n_coordinates_);
    for (const Lever& lever : levers_)
        sizes[lever.coordinate] += lever.size * solution[lever.column];
    return sizes;
}

Vector ThreatProgram::sizes_of(const Vector& d) const {
    RealVector u(system_.coordinates.size());
    for (Index c = 0; c < u.size(); ++c)
        u[c] = d[system_.coordinates[c].feature] / system_.coordinates[c].unit;
    if (system_.basis.size() > 0) u = system_.basis.transpose() * u;
    Vector sizes = Vector::Zero(n_coordinates_);
    sizes.head(u.size()) = u.cast<double>();
    for (std::size_t p = 0; p < system_.parts.size(); ++p) {
        const DiscretePart& part = system_.parts[p];
        double& size = sizes[u.size() + p];
        if (part.group == nullptr) size = d[part.integer->feature] / part.unit;
        if (part.group != nullptr && !d(part.group->features).isZero(0.0))
            size = part.group->cost_between(system_.x, system_.x + d);
    }
    return sizes / unit_;
}

void ThreatProgram::add_cut(const Vector& sizes) {
    const double length = sizes.norm();
    std::vector<Term> terms{{t_, -1.0}};
    for (const Lever& lever : levers_)
        terms.push_back({lever.column, lever.size * sizes[lever.coordinate] / length});
    if (length > 0.0) program_.add_row({numbered("cut", program_.n_rows()), -HUGE_VAL, 0.0}, terms);
}

bool ThreatProgram::forbid(const PlaneChoice& choice) {
    std::vector<Term> terms;
    double right = 1.0;
    for (int i : choice.planes) terms.push_back({first_switch_ + i, 1.0});
    for (const Lever& lever : levers_) {
        if (lever.option == 0) continue;
        const Index p = lever.coordinate - system_.a.cols();
        if (system_.parts[p].group == nullptr) return false;
        const bool is_on = choice.options[p] == lever.option;
        if (is_on || choice.options[p] == 0) terms.push_back({lever.column, is_on ? -1.0 : 1.0});
        right -= is_on ? 1.0 : 0.0;
    }
    program_.add_row({numbered("forbid", program_.n_rows()), right, HUGE_VAL}, terms);
    return true;
}

}  // namespace redoubt::reference

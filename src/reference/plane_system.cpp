#include "reference/plane_system.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "core/exact_sign.hpp"
#include "reference/small_programs.hpp"

namespace redoubt::reference {

namespace {

/// Below this, with numbers around 1, a linear program's optimum counts as zero.
constexpr Real kContradiction = 1e-13L;

/// v and then tau >= 0, with a_i'v > tau m_i for all i. By Gordan's theorem there are none exactly
/// when some l >= 0, l != 0 has A'l = 0 and m'l >= 0.
std::optional<RealVector> strict_point(const RealMatrix& a, const RealVector& m) {
    RealMatrix rows(a.rows() + 1, a.cols() + 1);
    rows.topRows(a.rows()) << a, -m;
    rows.bottomRows(1) = RealVector::Unit(a.cols() + 1, a.cols()).transpose();
    RealVector right = RealVector::Ones(a.rows() + 1);
    right[a.rows()] = 0;
    return least_distance(rows, right);
}

/// l1 and linf, some m_i > 0. With v = u / ||u|| and s = 1 / ||u||: max s, a_i'v >= m_i s,
/// ||v|| <= 1. Columns plus_l, minus_l in [0, 1] with v = plus - minus, then s; the last row holds
/// the l1 norm, and nothing for linf.
std::optional<RealVector> least_linear_step(const RealMatrix& a, const RealVector& m, Norm norm) {
    const Index n = a.cols();
    const Index k = a.rows();
    SmallLp lp;
    lp.A.setOnes(k + 1, 2 * n + 1);
    lp.A.topRows(k) << -a, a, m;
    lp.A(k, 2 * n) = 0;
    lp.b = RealVector::Unit(k + 1, k) * (norm == Norm::L1 ? 1 : 2 * n);
    lp.c = RealVector::Unit(2 * n + 1, 2 * n);
    lp.upper = RealVector::Ones(2 * n + 1);
    lp.upper[2 * n] = HUGE_VALL;
    const SmallLpAnswer answer = solve_small_lp(lp);
    if (!answer.solved || answer.value <= kContradiction) return std::nullopt;
    return (answer.x.head(n) - answer.x.segment(n, n)) / answer.value;
}

/// How many steps it is to the end of the range at `end`.
double steps_towards(const IntegerFeature& one, double x, double end) {
    if (std::isinf(end)) return HUGE_VAL;
    const double now = one.nearest(x);
    const double side = end < x ? -1.0 : 1.0;
    double steps = std::floor(std::abs(end * one.scale + one.offset - now) + 0.5);
    while (steps > 0.0 && side * (one.value(now + side * steps) - end) > 0.0) steps -= 1.0;
    return steps;
}

}  // namespace

Real join(Norm norm, Real a, Real b) {
    if (norm == Norm::L1) return a + b;
    return norm == Norm::LInf ? std::max(a, b) : std::hypot(a, b);
}

Real dual_size(Norm norm, const RealVector& v) {
    if (v.size() == 0) return 0;
    if (norm == Norm::L1) return v.lpNorm<Eigen::Infinity>();
    return norm == Norm::LInf ? v.lpNorm<1>() : v.stableNorm();
}

Real DiscretePart::size(const Vector& x, int option) const {
    if (option == 0) return 0;
    if (group != nullptr) return group->cost(on, members[option - 1]);
    const double now = x[integer->feature];
    return std::fabs((Real(integer->value(integer->nearest(now) + option)) - now) / unit);
}

void DiscretePart::apply(const Vector& x, int option, Vector* moved) const {
    if (option == 0) return;
    if (group == nullptr) {
        const int l = integer->feature;
        (*moved)[l] = integer->value(integer->nearest(x[l]) + option);
        return;
    }
    for (int i = 0; i < static_cast<int>(group->features.size()); ++i) {
        const bool is_on = i == members[option - 1];
        (*moved)[group->features[i]] = is_on ? group->on_value(i) : group->off_value(i);
    }
}

/// Inequalities  a u >= m.
struct PlaneSystem::Rows {
    RealMatrix a;
    RealVector m;
    std::vector<char> has_end{};  ///< of each coordinate, its lower and its upper one

    void add(const RealVector& row, Real right) {
        a.conservativeResize(a.rows() + 1, Eigen::NoChange);
        m.conservativeResize(m.size() + 1);
        a.bottomRows(1) = row.transpose();
        m[m.size() - 1] = right;
    }
    /// What to divide m by.
    Real unit() const {
        const Real largest = m.size() > 0 ? m.cwiseAbs().maxCoeff() : 0;
        return largest > 0 ? largest : 1;
    }
    std::optional<LeastStep> least_step(Norm norm) const {
        if (m.size() == 0 || m.maxCoeff() <= 0) return LeastStep{0, RealVector::Zero(a.cols())};
        const std::optional<RealVector> u = norm == Norm::L2
                                                ? least_distance(a, m / unit())
                                                : least_linear_step(a, m / unit(), norm);
        if (!u) return std::nullopt;
        return LeastStep{unit() * dual_size(dual(norm), *u), unit() * *u};
    }
};

PlaneSystem::PlaneSystem(const Ensemble& planes, const AttackModel& rules, const VectorRef& point,
                         int answer)
    : ensemble(planes), threat(rules), x(point), label(answer), strict(answer > 0) {
    add_features();
    add_groups();
    const Index k = ensemble.n_planes();
    const auto n = static_cast<Index>(coordinates.size());
    a.resize(k, n);
    scale = RealVector::Ones(k);
    size = RealVector::Zero(k);
    for (Index c = 0; c < n; ++c) {
        const Coordinate& one = coordinates[c];
        a.col(c) = -label * one.unit * ensemble.coef().col(one.feature).cast<Real>();
    }
    for (Index i = 0; i < k && n > 0; ++i) {
        const Real largest = a.row(i).lpNorm<Eigen::Infinity>();
        if (largest == 0) continue;
        // A power of two: nothing is rounded, parallel planes stay parallel.
        scale[i] = std::ldexp(Real(1), -std::ilogb(largest));
        a.row(i) *= scale[i];
        size[i] = dual_size(threat.norm, a.row(i).transpose());
    }
    if (threat.norm == Norm::L2) reduce_to_span();
    choose();
}

void PlaneSystem::add_features() {
    std::vector<bool> is_grouped(x.size(), false);
    for (const OneHotGroup& group : threat.one_hot) {
        for (int l : group.features) is_grouped[l] = true;
    }
    std::vector<const IntegerFeature*> integer(x.size(), nullptr);
    for (const IntegerFeature& one : threat.integers) integer[one.feature] = &one;
    for (int l = 0; l < x.size(); ++l) {
        const double unit = threat.scale_of(l);
        if (is_grouped[l] || unit == 0.0) continue;
        const Direction direction = threat.direction_of(l);
        const double lower = direction == Direction::Up ? x[l] : threat.lower_of(l);
        const double upper = direction == Direction::Down ? x[l] : threat.upper_of(l);
        if (integer[l] != nullptr) {
            parts.push_back({integer[l], unit, -steps_towards(*integer[l], x[l], lower),
                             steps_towards(*integer[l], x[l], upper)});
        } else {
            coordinates.push_back({l, unit, std::min<Real>(0, (Real(lower) - x[l]) / unit),
                                   std::max<Real>(0, (Real(upper) - x[l]) / unit)});
        }
    }
    std::erase_if(parts, [](const DiscretePart& part) { return part.first == part.last; });
    std::erase_if(coordinates, [](const Coordinate& one) { return one.lo == one.hi; });
}

void PlaneSystem::add_groups() {
    for (const OneHotGroup& group : threat.one_hot) {
        DiscretePart part{nullptr, 1.0, 0.0, 0.0, &group};
        bool is_frozen = false;
        for (int i = 0; i < static_cast<int>(group.features.size()); ++i) {
            const double value = x[group.features[i]];
            is_frozen = is_frozen || threat.scale_of(group.features[i]) == 0.0;
            if (std::abs(value - group.on_value(i)) > std::abs(value - group.off_value(i)))
                part.members.push_back(i);
            else
                part.on = i;
        }
        const auto price_of = [&](int member) { return group.cost(part.on, member); };
        std::erase_if(part.members, [&](int member) { return std::isinf(price_of(member)); });
        std::stable_sort(part.members.begin(), part.members.end(),
                         [&](int i, int j) { return price_of(i) < price_of(j); });
        part.last = static_cast<double>(part.members.size());
        if (!is_frozen && !part.members.empty()) parts.push_back(part);
    }
}

/// u lies in the span of the rows of `a` when ||u||_2 is least: work there.
void PlaneSystem::reduce_to_span() {
    const Index k = a.rows();
    const Index n = a.cols();
    const bool is_free =
        std::all_of(coordinates.begin(), coordinates.end(),
                    [](const Coordinate& one) { return std::isinf(one.lo) && std::isinf(one.hi); });
    if (n <= k || !is_free) return;
    const Eigen::HouseholderQR<RealMatrix> qr(a.transpose());
    basis = qr.householderQ() * RealMatrix::Identity(n, k);
    const RealMatrix R = qr.matrixQR().topRows(k).triangularView<Eigen::Upper>();
    a = R.transpose();
}

void PlaneSystem::choose(const std::vector<int>& options) {
    price = 0;
    base_ = x;
    for (std::size_t p = 0; p < options.size(); ++p) {
        parts[p].apply(x, options[p], &base_);
        price = join(threat.norm, price, parts[p].size(x, options[p]));
    }
    // Where doubles have a step that lands on a value, that one; and planes are seen from there.
    parts_move_ = base_ - x;
    for (Index l = 0; l < x.size(); ++l) {
        const double d = parts_move_[l];
        for (const double next : {std::nextafter(d, -HUGE_VAL), std::nextafter(d, HUGE_VAL), d}) {
            if (x[l] + next == base_[l]) parts_move_[l] = next;
        }
    }
    base_ = x + parts_move_;
    m.resize(n_planes());
    cost.resize(n_planes());
    met.resize(n_planes());
    for (int i = 0; i < n_planes(); ++i) {
        const VectorRef w = ensemble.coef().row(i).transpose();
        const double b = ensemble.intercept()[i];
        const int sign = exact_sign(w, b, base_);
        m[i] = sign == 0 ? 0 : scale[i] * label * (w.cast<Real>().dot(base_.cast<Real>()) + b);
        met[i] = (sign >= 0 ? 1 : -1) != label;
        cost[i] = size[i] > 0 ? std::max<Real>(0, m[i] / size[i]) : met[i] ? 0 : HUGE_VALL;
    }
}

/// Adds the ends of ranges that u / tau lies beyond. False when there are none.
bool PlaneSystem::add_broken_ends(const RealVector& u, Real tau, Rows* rows) const {
    if (basis.size() > 0) return false;
    rows->has_end.resize(2 * coordinates.size(), 0);
    bool is_broken = false;
    for (Index c = 0; c < u.size(); ++c) {
        for (const int side : {-1, 1}) {
            const Real end = side < 0 ? coordinates[c].lo : coordinates[c].hi;
            char& has_end = rows->has_end[2 * c + (side < 0 ? 0 : 1)];
            if (has_end != 0 || std::isinf(end) || side * (u[c] - tau * end) <= 0) continue;
            rows->add(-side * RealVector::Unit(u.size(), c), -side * end);
            has_end = 1;
            is_broken = true;
        }
    }
    return is_broken;
}

std::optional<LeastStep> PlaneSystem::least_step(const std::vector<int>& planes,
                                                 Real margin) const {
    Rows rows{RealMatrix(0, a.cols()), RealVector(0)};
    for (int i : planes) {
        if (size[i] > 0) rows.add(a.row(i).transpose(), m[i] + margin * size[i]);
        if (size[i] == 0 && !met[i]) return std::nullopt;
    }
    const bool is_open = strict && rows.m.size() > 0 && rows.m.maxCoeff() >= 0;
    std::optional<LeastStep> step;
    do {
        step = rows.least_step(threat.norm);
        if (!step) return step;
    } while (add_broken_ends(step->u, 1, &rows));
    while (is_open) {
        const std::optional<RealVector> point = strict_point(rows.a, rows.m / rows.unit());
        if (!point) return std::nullopt;
        const Real tau = (*point)[a.cols()] / rows.unit();
        if (!add_broken_ends(point->head(a.cols()), tau, &rows)) break;
    }
    return step;
}

RealVector PlaneSystem::gain(const DiscretePart& part, int option) const {
    Vector moved = x;
    part.apply(x, option, &moved);
    const RealVector step = moved.cast<Real>() - x.cast<Real>();
    return -label * scale.cwiseProduct(ensemble.coef().cast<Real>() * step);
}

Vector PlaneSystem::to_move(const RealVector& step) const {
    const RealVector u = basis.size() > 0 ? RealVector(basis * step) : step;
    Vector d = parts_move_;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
        const Coordinate& one = coordinates[c];
        const int l = one.feature;
        d[l] = static_cast<double>(one.unit * std::clamp(u[c], one.lo, one.hi));
        // A point a rounding outside its range stays where it is rather than being put inside.
        const double lower = std::min(x[l], threat.lower_of(l));
        const double upper = std::max(x[l], threat.upper_of(l));
        if (x[l] + d[l] < lower) d[l] = lower - x[l];
        if (x[l] + d[l] > upper) d[l] = upper - x[l];
    }
    return d;
}

}  // namespace redoubt::reference

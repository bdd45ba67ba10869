#include "svm/hinge_problem.hpp"

#include <utility>

#include "svm/check_data.hpp"

namespace redoubt {

namespace {

/// Wide data are compressed when fewer of their numbers than this are not 0: an entry of a
/// compressed row costs several times one of a dense row.
constexpr double kSparseShare = 0.15;

}  // namespace

HingeProblem::HingeProblem(const SvmData& data) {
    check_svm_data(data);
    m = data.X.rows();
    rows = SampleRows(data.X);
    if (is_wide()) rows.compress(kSparseShare);
    y = data.y;
    c = data.weights.size() == 0 ? Vector::Ones(m) : data.weights;
    total_weight = c.sum();
    c /= total_weight;
    mean = Vector::Zero(n());
    Vector squares = Vector::Zero(n());
    if (rows.is_sparse()) {
        for (Index j = 0; j < m; ++j) {
            rows.for_each(j, [&](Index l, double value) {
                mean[l] += c[j] * value;
                squares[l] += c[j] * value * value;
            });
        }
        squares = (squares - mean.cwiseAbs2()).cwiseMax(0.0);
    } else {
        const MatrixRef& X = data.X.dense();
        for (Index j = 0; j < m; ++j) mean += c[j] * X.row(j).transpose();
        for (Index j = 0; j < m; ++j) squares += c[j] * (X.row(j).transpose() - mean).cwiseAbs2();
    }
    mean_square = squares.mean();
    // All points alike: any scale will do.
    if (!(mean_square > 0.0)) mean_square = 1.0;
}

Vector HingeProblem::x(Index j) const {
    Vector x(n());
    rows.copy(j, x.data());
    return x;
}

void HingeProblem::set_threat(AttackModel model, const VectorRef& radii) {
    threat = std::move(model);
    r = radii.size() == 1 ? Vector::Constant(m, radii[0]) : Vector(radii);
    const bool is_frozen = threat.is_all_frozen(n());
    for (Index j = 0; j < m; ++j) {
        if (is_frozen || !threat.attacks(y[j] > 0.0 ? 1 : -1)) r[j] = 0.0;
    }
    threat.attacking_class.reset();
    if ((threat.scale.array() == 1.0).all()) threat.scale.resize(0);
    if (r.maxCoeff() > 0.0) return;
    r.resize(0);
    threat = AttackModel::ball(threat.norm);
}

bool HingeProblem::is_ball() const {
    AttackModel rest = threat;
    rest.scale.resize(0);
    return rest.is_plain();
}

}  // namespace redoubt

#pragma once

/// The integer programs of the source paper, and the least-radius program, as data.
///
/// All of them see planes through a_i and m_i: plane i is fooled by d when a_i'd >= m_i, with
/// a_i = -y w_i and m_i = y (w_i'x + b_i). Towards -1 (y = +1) fooling is strict; a linear program
/// cannot say so, and asks for a_i'd >= m_i + margin instead. Units are the caller's.

#include "reference/mip_model.hpp"
#include "redoubt/norm.hpp"

namespace redoubt::mip {

/// k planes in R^n.
struct ModelPlanes {
    Matrix a;  ///< k x n
    Vector m;  ///< length k
    double margin = 0.0;
    /// What a plane counts, in the first two models; empty = 1 each.
    Vector weight{};

    double weight_of(Index i) const { return weight.size() > 0 ? weight[i] : 1.0; }
    double total_weight() const {
        return weight.size() > 0 ? weight.sum() : static_cast<double>(m.size());
    }
};

/// Most planes fooled within the ball, in the paper's sense of z_i = 1 for "not fooled":
///
///     min sum_i weight_i z_i   s.t.  a_i'd + M_i z_i >= m_i + margin,   ||d||_p <= r,   z binary
///
/// with M_i = max(0, m_i + margin + r ||a_i||_q), the smallest valid constant. L1: d = plus -
/// minus, sum (plus + minus) <= r. LInf: bounds. L2: the box |d_l| <= r stands for the ball; the
/// caller adds cuts (see `add_ball_cut`). Columns d_1.. (or plus_1.., minus_1..), z_1...
MipModel exact_adversary_model(const ModelPlanes& planes, double radius, Norm norm);

/// The least radius t <= farthest at which planes of weight `need` can be fooled together:
///
///     min t   s.t.  a_i'd + M_i z_i >= m_i + margin,  sum_i weight_i z_i <= total - need,
///                   ||d||_p <= t
///
/// with M_i as above for r = farthest. L2: |d_l| <= t stands for the ball, as above.
/// Columns d_1.. (or plus_1.., minus_1..), t, z_1...
MipModel least_radius_model(const ModelPlanes& planes, double need, double farthest, Norm norm);

/// Adds g'd <= r (no column t) or g'd <= t, for a g with ||g||_2 = 1: true for every d of the l2
/// ball. For models with columns d_1...
void add_ball_cut(MipModel* model, const VectorRef& g, double radius);

/// The paper's corollary for LInf: max r sum_l nu_l + c'v with nu_l = (2 tau_l - 1) g_l and
/// g_l = sum_i w_il v_i; the product rho_l = tau_l g_l is linearised exactly. c_i = 1 - m_i.
/// Columns v_1.., nu_1.., rho_1.., tau_1...
///
/// and for L1: max r sum_l mu_l nu_l + c'v, sum_l mu_l = 1, nu_l <= |g_l| through tau_l; the
/// product pi_l = mu_l nu_l is linearised exactly. Columns v_1.., nu_1.., pi_1.., mu_1.., tau_1...
///
/// The margin plays no part. Throws std::logic_error for L2.
MipModel relaxed_adversary_model(const ModelPlanes& planes, double radius, Norm norm);

/// The relaxed adversary over d itself, for L2, where the paper has no model: max sum_i h_i with
/// h_i <= 1 - m_i + a_i'd + M_i (1 - v_i), h_i <= U_i v_i, |d_l| <= r, and ball cuts to come.
/// U_i = max(0, 1 - m_i + r ||a_i||_2), M_i = max(0, r ||a_i||_2 + m_i - 1). Columns d_1.., h_1..,
/// v_1...
MipModel relaxed_hinge_model(const ModelPlanes& planes, double radius);

}  // namespace redoubt::mip

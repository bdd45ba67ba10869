#include "reference/paper_models.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace redoubt::mip {

namespace {

std::string numbered(const char* letter, Index index) {
    return std::string(letter) + "_" + std::to_string(index + 1);
}

/// Where the coordinates of d are: one column each, or a difference of two.
struct Step {
    std::vector<int> plus;
    std::vector<int> minus;  ///< empty unless L1
};

/// `bound` holds every coordinate of d in [-bound, bound].
Step add_step_columns(MipModel* model, Index n, double bound, Norm norm) {
    Step step;
    if (norm == Norm::L1) {
        for (Index l = 0; l < n; ++l) {
            step.plus.push_back(model->add_column({numbered("plus", l), 0.0, bound, 0.0, false}));
        }
        for (Index l = 0; l < n; ++l) {
            step.minus.push_back(model->add_column({numbered("minus", l), 0.0, bound, 0.0, false}));
        }
        return step;
    }
    for (Index l = 0; l < n; ++l) {
        step.plus.push_back(model->add_column({numbered("d", l), -bound, bound, 0.0, false}));
    }
    return step;
}

std::vector<Term> terms_of(const Step& step, const VectorRef& a) {
    std::vector<Term> terms;
    for (Index l = 0; l < a.size(); ++l) terms.push_back({step.plus[l], a[l]});
    if (!step.minus.empty()) {
        for (Index l = 0; l < a.size(); ++l) terms.push_back({step.minus[l], -a[l]});
    }
    return terms;
}

/// a_i'd + M_i z_i >= m_i + margin, with new columns z_i of the given cost. Returns them.
std::vector<Term> add_fooling_rows(MipModel* model, const ModelPlanes& planes, const Step& step,
                                   double radius, Norm norm, double cost) {
    std::vector<Term> z;
    for (Index i = 0; i < planes.m.size(); ++i) {
        const double weight = planes.weight_of(i);
        z.push_back({model->add_binary(numbered("z", i), cost * weight), weight});
    }
    for (Index i = 0; i < planes.m.size(); ++i) {
        const Vector a = planes.a.row(i).transpose();
        const double wanted = planes.m[i] + planes.margin;
        std::vector<Term> terms = terms_of(step, a);
        terms.push_back({z[i].column, std::max(0.0, wanted + radius * norm_value(dual(norm), a))});
        model->add_row({numbered("fool", i), wanted, HUGE_VAL}, terms);
    }
    return z;
}

}  // namespace

MipModel exact_adversary_model(const ModelPlanes& planes, double radius, Norm norm) {
    MipModel model(Sense::Minimize);
    const Step step = add_step_columns(&model, planes.a.cols(), radius, norm);
    add_fooling_rows(&model, planes, step, radius, norm, 1.0);
    if (norm == Norm::L1) {
        std::vector<Term> length;
        for (int column : step.plus) length.push_back({column, 1.0});
        for (int column : step.minus) length.push_back({column, 1.0});
        model.add_row({"ball", -HUGE_VAL, radius}, length);
    }
    return model;
}

MipModel least_radius_model(const ModelPlanes& planes, double need, double farthest, Norm norm) {
    MipModel model(Sense::Minimize);
    const Index n = planes.a.cols();
    const Step step = add_step_columns(&model, n, farthest, norm);
    const int t = model.add_column({"t", 0.0, farthest, 1.0, false});
    const std::vector<Term> z = add_fooling_rows(&model, planes, step, farthest, norm, 0.0);
    model.add_row({"need", -HUGE_VAL, planes.total_weight() - need}, z);
    if (norm == Norm::L1) {
        std::vector<Term> length;
        for (int column : step.plus) length.push_back({column, 1.0});
        for (int column : step.minus) length.push_back({column, 1.0});
        length.push_back({t, -1.0});
        model.add_row({"ball", -HUGE_VAL, 0.0}, length);
        return model;
    }
    for (Index l = 0; l < n; ++l) {
        model.add_row({numbered("above", l), -HUGE_VAL, 0.0}, {{step.plus[l], 1.0}, {t, -1.0}});
        model.add_row({numbered("below", l), 0.0, HUGE_VAL}, {{step.plus[l], 1.0}, {t, 1.0}});
    }
    return model;
}

void add_ball_cut(MipModel* model, const VectorRef& g, double radius) {
    const int first = model->find_column("d_1");
    const int t = model->find_column("t");
    std::vector<Term> terms;
    for (Index l = 0; l < g.size(); ++l) terms.push_back({first + static_cast<int>(l), g[l]});
    if (t >= 0) terms.push_back({t, -1.0});
    model->add_row({numbered("cut", model->n_rows()), -HUGE_VAL, t >= 0 ? 0.0 : radius}, terms);
}

namespace {

/// sum_i w_il v_i times `factor`, as terms. The paper writes w; a = -y w gives the same |g_l|.
std::vector<Term> direction_terms(const ModelPlanes& planes, Index l, double factor) {
    std::vector<Term> terms;
    for (Index i = 0; i < planes.m.size(); ++i) {
        terms.push_back({static_cast<int>(i), factor * planes.a(i, l)});
    }
    return terms;
}

void add_row_with(MipModel* model, Row row, std::vector<Term> terms, std::vector<Term> more) {
    terms.insert(terms.end(), more.begin(), more.end());
    model->add_row(std::move(row), terms);
}

void add_linf_rows(MipModel* model, const ModelPlanes& planes, double radius) {
    const Index n = planes.a.cols();
    const Vector M = planes.a.cwiseAbs().colwise().sum().transpose();
    const int nu = model->n_columns();
    for (Index l = 0; l < n; ++l) model->add_column({numbered("nu", l), 0.0, M[l], radius, false});
    const int rho = model->n_columns();
    for (Index l = 0; l < n; ++l) model->add_column({numbered("rho", l), 0.0, M[l], 0.0, false});
    const int tau = model->n_columns();
    for (Index l = 0; l < n; ++l) model->add_binary(numbered("tau", l), 0.0);
    for (Index l = 0; l < n; ++l) {
        const int j = static_cast<int>(l);
        const auto g = [&](double factor) { return direction_terms(planes, l, factor); };
        add_row_with(model, {numbered("abs", l), 0.0, 0.0}, g(1.0),
                     {{nu + j, 1.0}, {rho + j, -2.0}});
        add_row_with(model, {numbered("positive", l), -HUGE_VAL, 0.0}, g(1.0), {{tau + j, -M[l]}});
        add_row_with(model, {numbered("negative", l), -M[l], HUGE_VAL}, g(1.0), {{tau + j, -M[l]}});
        // rho = tau g: zero for tau = 0, g for tau = 1. rho >= 0 because tau = 1 only where g >= 0.
        model->add_row({numbered("product_off", l), -HUGE_VAL, 0.0},
                       {{rho + j, 1.0}, {tau + j, -M[l]}});
        add_row_with(model, {numbered("product_above", l), -HUGE_VAL, M[l]}, g(-1.0),
                     {{rho + j, 1.0}, {tau + j, M[l]}});
        add_row_with(model, {numbered("product_below", l), -M[l], HUGE_VAL}, g(-1.0),
                     {{rho + j, 1.0}, {tau + j, -M[l]}});
    }
}

void add_l1_rows(MipModel* model, const ModelPlanes& planes, double radius) {
    const Index n = planes.a.cols();
    const Vector M = 2.0 * planes.a.cwiseAbs().colwise().sum().transpose();
    const int nu = model->n_columns();
    for (Index l = 0; l < n; ++l) {
        model->add_column({numbered("nu", l), 0.0, 0.5 * M[l], 0.0, false});
    }
    const int pi = model->n_columns();
    for (Index l = 0; l < n; ++l) {
        model->add_column({numbered("pi", l), 0.0, 0.5 * M[l], radius, false});
    }
    const int mu = model->n_columns();
    for (Index l = 0; l < n; ++l) model->add_binary(numbered("mu", l), 0.0);
    const int tau = model->n_columns();
    for (Index l = 0; l < n; ++l) model->add_binary(numbered("tau", l), 0.0);
    std::vector<Term> one;
    for (Index l = 0; l < n; ++l) one.push_back({mu + static_cast<int>(l), 1.0});
    model->add_row({"one", 1.0, 1.0}, one);
    for (Index l = 0; l < n; ++l) {
        const int j = static_cast<int>(l);
        add_row_with(model, {numbered("negative", l), -HUGE_VAL, 0.0},
                     direction_terms(planes, l, 1.0), {{nu + j, 1.0}, {tau + j, -M[l]}});
        add_row_with(model, {numbered("positive", l), -HUGE_VAL, M[l]},
                     direction_terms(planes, l, -1.0), {{nu + j, 1.0}, {tau + j, M[l]}});
        // pi = mu nu from above only: the objective pushes it up.
        model->add_row({numbered("product_off", l), -HUGE_VAL, 0.0},
                       {{pi + j, 1.0}, {mu + j, -0.5 * M[l]}});
        model->add_row({numbered("product_on", l), -HUGE_VAL, 0.0},
                       {{pi + j, 1.0}, {nu + j, -1.0}});
    }
}

}  // namespace

MipModel relaxed_adversary_model(const ModelPlanes& planes, double radius, Norm norm) {
    MipModel model(Sense::Maximize);
    for (Index i = 0; i < planes.m.size(); ++i) {
        model.add_column({numbered("v", i), 0.0, 1.0, 1.0 - planes.m[i], false});
    }
    switch (norm) {
        case Norm::LInf:
            add_linf_rows(&model, planes, radius);
            return model;
        case Norm::L1:
            add_l1_rows(&model, planes, radius);
            return model;
        case Norm::L2:
            break;
    }
    throw std::logic_error("the paper has no relaxed model for l2");
}

MipModel relaxed_hinge_model(const ModelPlanes& planes, double radius) {
    MipModel model(Sense::Maximize);
    const Step step = add_step_columns(&model, planes.a.cols(), radius, Norm::L2);
    const Index k = planes.m.size();
    const int h = model.n_columns();
    std::vector<double> reach;
    for (Index i = 0; i < k; ++i) {
        reach.push_back(radius * norm_value(Norm::L2, planes.a.row(i).transpose()));
        model.add_column(
            {numbered("h", i), 0.0, std::max(0.0, 1.0 - planes.m[i] + reach[i]), 1.0, false});
    }
    const int v = model.n_columns();
    for (Index i = 0; i < k; ++i) model.add_binary(numbered("v", i), 0.0);
    for (Index i = 0; i < k; ++i) {
        const int j = static_cast<int>(i);
        const double c = 1.0 - planes.m[i];
        const double M = std::max(0.0, reach[i] - c);
        std::vector<Term> terms = terms_of(step, -planes.a.row(i).transpose());
        terms.push_back({h + j, 1.0});
        terms.push_back({v + j, M});
        model.add_row({numbered("hinge", i), -HUGE_VAL, c + M}, terms);
        model.add_row({numbered("off", i), -HUGE_VAL, 0.0},
                      {{h + j, 1.0}, {v + j, -std::max(0.0, c + reach[i])}});
    }
    return model;
}

}  // namespace redoubt::mip

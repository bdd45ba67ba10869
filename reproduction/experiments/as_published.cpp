#include "experiments/as_published.hpp"

#include <cmath>

#include "attack/adversary.hpp"
#include "core/random.hpp"
#include "experiments/perturbations.hpp"
#include "experiments/published_tables.hpp"
#include "experiments/smo.hpp"

namespace redoubt::reproduction {

namespace {

/// numpy's sign, which knows zero.
double sign(double value) {
    return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : 0.0;
}

class PublishedTrainer {
public:
    PublishedTrainer(const SvmData& data, const PublishedEnsemble& job)
        : data_(data), job_(job), foolable_(static_cast<std::size_t>(data.y.size())) {}

    std::vector<Hyperplane> run() {
        add(first_plane());
        while (static_cast<Index>(planes_.size()) < job_.n_planes && !is_stopped()) add_next();
        return std::move(planes_);
    }

private:
    bool is_stopped() const { return job_.stop != nullptr && job_.stop->load(); }

    Hyperplane first_plane() const {
        Hyperplane plane = train_published_plane(data_, job_);
        if (job_.choices.noise > 0.0) {
            Random random(job_.choices.noise_seed);
            Vector direction =
                Vector::NullaryExpr(plane.w.size(), [&](Index) { return random.normal(); });
            plane.w += job_.choices.noise * plane.w.norm() * direction.normalized();
        }
        return plane;
    }

    void add(const Hyperplane& plane) {
        const auto newest = static_cast<int>(planes_.size());
        planes_.push_back(plane);
        const double reach = job_.radius * norm_value(dual(job_.norm), plane.w);
        for (Index j = 0; j < data_.y.size(); ++j) {
            const double margin = data_.y[j] * (data_.X.dense().row(j).dot(plane.w) + plane.b);
            if (margin - reach <= job_.choices.foolable_margin)
                foolable_[static_cast<std::size_t>(j)].push_back(newest);
        }
    }

    void add_next() {
        const Ensemble ensemble(planes_);
        const AttackModel ball = AttackModel::ball(job_.norm);
        const MoveSpace space(ball, ensemble.n_features());
        const ThreatenedVote vote(ensemble, space);
        ExactAdversary exact(vote);
        Matrix moved(data_.X.rows(), data_.X.cols());
        Vector weights(data_.y.size());
        for (Index j = 0; j < data_.y.size(); ++j) {
            if (is_stopped()) return;
            const Vector x = data_.X.dense().row(j).transpose();
            const PointProblem point{ensemble, ball, x, data_.y[j] > 0.0 ? 1 : -1, job_.radius};
            const Vector to = x + step(point, foolable_[static_cast<std::size_t>(j)], exact);
            moved.row(j) = to.transpose();
            weights[j] = 1.0 / (1.0 + static_cast<double>(planes_.size()) +
                                data_.y[j] * sum_of_answers(ensemble, to));
        }
        add(train_published_svm({moved, data_.y, weights}, job_.choices));
    }

    Vector step(const PointProblem& point, const std::vector<int>& foolable,
                ExactAdversary& exact) const {
        if (foolable.empty())
            return steepest_step(job_.norm, -point.y * planes_.back().w, job_.radius);
        if (job_.adversary == Adversary::Exact) {
            return worst_perturbation(point, foolable,
                                      job_.norm == Norm::LInf ? job_.choices.linf_perturbation
                                                              : job_.choices.l2_perturbation,
                                      exact);
        }
        const Ensemble some(point.ensemble.coef()(foolable, Eigen::all),
                            point.ensemble.intercept()(foolable));
        const PointProblem problem{some, point.threat, point.x, point.y, point.radius};
        return job_.adversary == Adversary::Heuristic
                   ? heuristic_adversary(problem, HeuristicRule::Published).d
                   : relaxed_adversary(problem, {}).d;
    }

    double sum_of_answers(const Ensemble& ensemble, const Vector& x) const {
        if (!job_.choices.zero_abstains) return ensemble.vote(x);
        const Vector values = ensemble.margins(x);
        double sum = 0.0;
        for (Index i = 0; i < values.size(); ++i) sum += sign(values[i]);
        return sum;
    }

    const SvmData& data_;
    const PublishedEnsemble& job_;
    std::vector<Hyperplane> planes_{};
    std::vector<std::vector<int>> foolable_;
};

}  // namespace

Hyperplane train_published_svm(const SvmData& data, const PublishedChoices& choices) {
    return choices.loose_svm ? train_pairwise_svm(data) : train_svm(data).plane;
}

Hyperplane train_published_plane(const SvmData& data, const PublishedEnsemble& job) {
    if (job.choices.first_plane == FirstPlane::Solver) {
        if (const auto plane = solver_plane(job.dataset, job.norm, job.radius)) return *plane;
    }
    RobustSvmSettings settings;
    settings.attack_model.norm = job.norm;
    settings.stop = job.stop;
    return train_robust_svm(data, Vector::Constant(1, job.radius), settings).plane;
}

std::vector<Hyperplane> train_as_published(const SvmData& data, const PublishedEnsemble& job) {
    return PublishedTrainer(data, job).run();
}

}  // namespace redoubt::reproduction

#include "commands/train_classes.hpp"

#include <algorithm>
#include <utility>

#include "output/progress_bar.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {
namespace {

/// One class against the rest.
struct ClassPart {
    std::vector<Hyperplane> planes;
    TrainedPlanes trained;
};

void check_options(const TrainOptions& options, const MethodOptions& method,
                   const TrainingInput& input) {
    const auto refuse = [](const std::string& option) {
        throw InvalidInput(option, "two classes", "more");
    };
    if (!options.checkpoint.empty()) refuse("--checkpoint");
    if (method.quota) refuse("--quota");
    if (method.has_auto_radius() && input.training.radii.size() == 0)
        throw InvalidInput("--radius", "a number with more than two classes", "auto");
}

std::vector<Hyperplane> planes_of(const Ensemble& ensemble) {
    std::vector<Hyperplane> planes;
    for (Index i = 0; i < ensemble.n_planes(); ++i)
        planes.push_back({ensemble.coef().row(i).transpose(), ensemble.intercept()[i]});
    return planes;
}

/// Votes are compared, so each class must have as many planes: an interrupted one may have fewer.
ClassVote join(const std::vector<ClassPart>& parts) {
    std::size_t n_planes = parts.front().planes.size();
    for (const ClassPart& part : parts) n_planes = std::min(n_planes, part.planes.size());
    std::vector<Ensemble> classes;
    for (const ClassPart& part : parts)
        classes.emplace_back(std::vector<Hyperplane>(
            part.planes.begin(), part.planes.begin() + static_cast<std::ptrdiff_t>(n_planes)));
    return {classes, n_planes == 1 ? ClassScore::Value : ClassScore::Votes};
}

/// The first class speaks for all, where they cannot be added up.
TrainedPlanes summary_of(std::vector<ClassPart>& parts, std::size_t n_classes) {
    TrainedPlanes all = std::move(parts.front().trained);
    for (std::size_t c = 1; c < parts.size(); ++c) {
        const TrainedPlanes& one = parts[c].trained;
        if (is_success(all.status)) all.status = one.status;
        if (all.warning.empty()) all.warning = one.warning;
        all.record.is_partial = all.record.is_partial || one.record.is_partial;
        all.record.seconds = all.record.seconds.value_or(0.0) + one.record.seconds.value_or(0.0);
        if (all.record.objective && one.record.objective)
            *all.record.objective += *one.record.objective;
        if (all.record.gap && one.record.gap)
            all.record.gap = std::max(*all.record.gap, *one.record.gap);
    }
    all.effort = std::to_string(n_classes) + " classes against the rest";
    all.record.rounds = {};
    all.record.status = to_string(all.status);
    all.ensemble.reset();
    return all;
}

}  // namespace

TrainedPlanes train_classes(const TrainOptions& options, MethodOptions& method,
                            const TrainingInput& input, const TrainingControl& control) {
    check_options(options, method, input);
    // Votes of several classes are often equal: single planes of the collaborative kind are not.
    const bool is_collaborative = method.method == "ens-c";
    if (is_collaborative && !options.has_planes()) method.n_planes = 1;
    const std::size_t n_classes = input.training.data.classes.size();
    const Stopwatch watch;
    std::vector<ClassPart> parts;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const Vector signs = (input.training.data.y.array() == static_cast<double>(c))
                                 .select(Vector::Ones(input.scaled.rows()), -1.0);
        TrainingJob job{method, {input.scaled, signs, input.weights}, input.training.radii};
        if (job.radii.size() == 0) job.radii = Vector::Constant(1, method.radius());
        job.attack_model = input.rules.model.scaled(input.scaler);
        job.is_one_of_many = true;
        job.control.stop = control.stop;
        job.control.max_seconds = std::max(0.0, control.max_seconds - watch.seconds());
        ProgressBar bar(options.messages,
                        "training '" + input.training.data.classes[c] + "' against the rest",
                        progress_noun(method));
        job.control.progress = bar.rounds();
        ClassPart part{{}, train_planes(job)};
        if (part.trained.ensemble) part.planes = planes_of(*part.trained.ensemble);
        parts.push_back(std::move(part));
        if (parts.back().trained.status == Status::Interrupted) break;
    }
    const bool is_whole = parts.size() == n_classes &&
                          std::none_of(parts.begin(), parts.end(),
                                       [](const ClassPart& part) { return part.planes.empty(); });
    TrainedPlanes all = summary_of(parts, n_classes);
    if (is_whole) {
        all.class_vote.emplace(join(parts));
        all.ensemble.emplace(all.class_vote->planes());
    }
    return all;
}

}  // namespace redoubt::app

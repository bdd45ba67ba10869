#include "commands/train_classes.hpp"

#include <algorithm>
#include <utility>

#include "output/progress_bar.hpp"
#include "redoubt/radius_choice.hpp"

namespace redoubt::app {
namespace {

/// The first class speaks for all, where they cannot be added up.
TrainedPlanes summary_of(const std::vector<TrainedPlanes>& parts, std::size_t n_classes) {
    TrainedPlanes all = parts.front();
    for (std::size_t c = 1; c < parts.size(); ++c) {
        const TrainedPlanes& one = parts[c];
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

TrainedPlanes train_class(const TrainingJob& job, int c) {
    const Vector signs = against_rest(job.data.y, c);
    TrainingJob own{job.method, {job.data.X, signs, job.data.weights}, job.radii};
    own.attack_model = job.attack_model.against_rest(c);
    own.control = job.control;
    own.is_one_of_many = true;
    return train_planes(own);
}

TrainedPlanes train_classes(const TrainingJob& job, const ClassNames& classes,
                            const Vector& class_radii, const MessageOptions& messages) {
    const Stopwatch watch;
    std::vector<TrainedPlanes> parts;
    std::vector<Ensemble> votes;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        TrainingJob own = job;
        if (class_radii.size() > 0)
            own.radii = Vector::Constant(1, class_radii[static_cast<Index>(c)]);
        own.control.max_seconds = std::max(0.0, job.control.max_seconds - watch.seconds());
        ProgressBar bar(messages, "training '" + classes[c] + "' against the rest",
                        progress_noun(job.method));
        own.control.progress = bar.rounds();
        parts.push_back(train_class(own, static_cast<int>(c)));
        if (parts.back().ensemble) votes.push_back(*parts.back().ensemble);
        if (parts.back().status == Status::Interrupted) break;
    }
    TrainedPlanes all = summary_of(parts, classes.size());
    if (class_radii.size() > 0) all.record.radii = TrainingRadii::of(class_radii);
    if (votes.size() == classes.size()) {
        all.class_vote.emplace(ClassVote::against_rest(votes));
        all.ensemble.emplace(all.class_vote->planes());
    }
    return all;
}

TrainedPlanes train_all(TrainingJob job, const ClassNames& classes, const Vector& class_radii,
                        const MessageOptions& messages, const std::string& what) {
    const bool is_joint = classes.size() > 2 && is_trained_jointly(job.method);
    if (classes.size() > 2 && !is_joint) return train_classes(job, classes, class_radii, messages);
    if (is_joint) job.n_classes = static_cast<Index>(classes.size());
    ProgressBar bar(messages, what, progress_noun(job.method));
    job.control.progress = bar.rounds();
    TrainedPlanes trained = train_planes(job);
    if (is_joint && trained.ensemble)
        trained.class_vote.emplace(vote_of_classes(*trained.ensemble, classes.size()));
    return trained;
}

bool is_trained_jointly(const MethodOptions& method) {
    return method.method == "ens-c" && method.n_planes == 1;
}

ClassVote vote_of_classes(const Ensemble& planes, std::size_t n_classes) {
    return {planes, std::vector<Index>(n_classes, 1), ClassScore::Value};
}

}  // namespace redoubt::app

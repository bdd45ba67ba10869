#include "train_checkpoint.hpp"

#include <iostream>

#include "io/atomic_file.hpp"

namespace redoubt::app {

TrainCheckpoint::TrainCheckpoint(const TrainOptions& options,
                                 const TrainingFingerprint& fingerprint)
    : path_(options.checkpoint),
      method_(options.method),
      resume_(options.resume),
      fingerprint_(fingerprint) {
    if (is_wanted()) io::check_can_write(path_);
}

bool TrainCheckpoint::can_resume() const {
    if (!resume_) return false;
    if (std::filesystem::exists(path_)) return true;
    std::cerr << "no checkpoint at " << path_ << ": training from the start\n";
    return false;
}

}  // namespace redoubt::app

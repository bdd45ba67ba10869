#include "commands/train_checkpoint.hpp"

#include <iostream>
#include <utility>

#include "redoubt/atomic_file.hpp"

namespace redoubt::app {

TrainCheckpoint::TrainCheckpoint(CheckpointFile file, std::string method,
                                 const TrainingFingerprint& fingerprint)
    : file_(std::move(file)), method_(std::move(method)), fingerprint_(fingerprint) {
    if (is_wanted()) check_can_write(file_.path);
}

bool TrainCheckpoint::can_resume() const {
    if (!file_.resume) return false;
    if (std::filesystem::exists(file_.path)) return true;
    std::cerr << "no checkpoint at " << file_.path << ": training from the start\n";
    return false;
}

}  // namespace redoubt::app

#pragma once

/// DATA of a command with a model, a block of rows at a time: memory does not grow with the rows.

#include <optional>
#include <string>

#include "output/messages.hpp"
#include "output/progress_bar.hpp"
#include "redoubt/data_files.hpp"
#include "redoubt/point_reader.hpp"
#include "redoubt/solver.hpp"

namespace redoubt::app {

/// Notes columns in a different order from the model's. Throws InvalidInput if the requested label
/// column does not exist.
void check_points(const PointData& points, const std::string& label,
                  const MessageOptions& messages);

class PointStream {
public:
    /// Points that are in memory: one block.
    explicit PointStream(PointData points) : points_(std::move(points)), is_last_(true) {}
    /// A file, with its labels in the column `label` unless that is empty.
    PointStream(PointReader reader, std::string label, const MessageOptions& messages)
        : reader_(std::move(reader)), label_(std::move(label)), messages_(messages) {}

    /// Moves on to the next block, of at least one row; false at the end.
    bool next();

    const PointData& points() const { return points_; }
    /// Rows before this block, and up to its end.
    Index n_before() const { return n_before_; }
    Index n_rows() const { return n_before_ + points_.X.rows(); }
    /// True if this block is known to be the last.
    bool is_last() const { return is_last_; }

    /// For a search over this block: the bar shows all blocks, whose number of rows is estimated
    /// from the bytes that are left.
    Progress progress(ProgressBar& bar) const;

    /// Call after a block: true, with a warning, if the program was interrupted with blocks left.
    bool is_stopped() const;

private:
    std::optional<PointReader> reader_;
    std::string label_;
    MessageOptions messages_{};
    PointData points_;
    Index n_before_ = 0;
    bool is_begun_ = false;
    bool is_last_ = false;
};

}  // namespace redoubt::app

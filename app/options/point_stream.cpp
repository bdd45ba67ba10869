#include "options/point_stream.hpp"

#include <utility>

#include "options/data_argument.hpp"
#include "redoubt/error.hpp"
#include "shell/interrupt.hpp"

namespace redoubt::app {

void check_points(const PointData& points, const std::string& label,
                  const MessageOptions& messages) {
    if (!points.y && !label.empty()) {
        throw InvalidInput("--label", "DATA has no column '" + label + "'");
    }
    if (points.reordered.empty()) return;
    messages.note("columns in another order than the model's, matched by name: " +
                  some_of(points.reordered));
}

bool PointStream::next() {
    const bool is_first = !std::exchange(is_begun_, true);
    if (!reader_) return is_first;
    const Stopwatch watch;
    n_before_ = n_rows();
    points_ = {};
    std::optional<PointData> found = reader_->next();
    if (!found) return false;
    points_ = *std::move(found);
    is_last_ = reader_->is_at_end();
    messages_.detail("read " + std::to_string(points_.X.rows()) + " rows in " + watch.text());
    if (is_first) check_points(points_, label_, messages_);
    return true;
}

Progress PointStream::progress(ProgressBar& bar) const {
    const auto so_far = static_cast<double>(n_rows());
    const double share = reader_ ? reader_->share_read().value_or(0.0) : 0.0;
    const double total = is_last_ ? so_far : share > 0.0 ? so_far / share : 0.0;
    return [&bar, total, before = n_before_](Index done, Index) {
        bar.set(static_cast<double>(before + done), total);
    };
}

bool PointStream::is_stopped() const {
    if (is_last_ || !stop_on_interrupt().load()) return false;
    warn("stopped after " + std::to_string(n_rows()) + " rows; the rest of DATA was not read");
    return true;
}

}  // namespace redoubt::app

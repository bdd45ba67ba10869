#pragma once

/// The text of a source, a block of whole rows at a time.

#include "io/byte_source.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace redoubt::io {

class TextBlocks {
public:
    /// How much of a text that goes on consists of whole rows; 0 if it is too short to tell.
    using RowCutter = std::function<std::size_t(std::string_view)>;

    /// Blocks have about `block_bytes`: more if a row is longer, less if a pipe pauses.
    TextBlocks(const DataSource& source, std::size_t block_bytes);

    const std::string& name() const noexcept { return bytes_.name(); }

    /// Reads on until there is a block, without taking it. Returns what follows the last block
    /// taken, without a byte order mark; it need not consist of whole rows.
    std::string_view peek();

    /// The next block, checked to be text (text_checks.hpp); empty at the end. The view is valid
    /// until the next call.
    std::string_view take(const RowCutter& cut);

    /// The line on which the last block taken starts.
    long first_line() const noexcept { return first_line_; }
    /// True if it was the last one.
    bool is_at_end() const noexcept { return is_read_ && used_ == text_.size(); }
    std::optional<double> share_read() const { return bytes_.share_read(); }

private:
    void read_up_to(std::size_t n_bytes);

    ByteSource bytes_;
    std::size_t block_bytes_;
    /// The file from the last block taken onwards.
    std::string text_;
    std::size_t used_ = 0;
    bool is_started_ = false;
    bool is_read_ = false;
    long first_line_ = 1;
    long next_line_ = 1;
};

}  // namespace redoubt::io

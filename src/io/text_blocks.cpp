#include "io/text_blocks.hpp"

#include <algorithm>

#include "io/text_checks.hpp"

namespace redoubt::io {

TextBlocks::TextBlocks(const DataSource& source, std::size_t block_bytes)
    : bytes_(source), block_bytes_(std::max<std::size_t>(block_bytes, 1)) {}

void TextBlocks::read_up_to(std::size_t n_bytes) {
    text_.erase(0, used_);
    used_ = 0;
    // What a slow pipe has given so far need not wait for more.
    constexpr int kPatience = 200;
    while (!is_read_ && text_.size() < n_bytes) {
        if (!text_.empty() && bytes_.is_idle(kPatience)) break;
        const std::size_t before = text_.size();
        text_.resize(n_bytes);
        const std::size_t n = bytes_.read(text_.data() + before, n_bytes - before);
        text_.resize(before + n);
        is_read_ = n == 0;
    }
    constexpr std::size_t kByteOrderMark = 3;
    if (is_started_ || (!is_read_ && text_.size() < kByteOrderMark)) return;
    is_started_ = true;
    text_.erase(0, text_.size() - without_byte_order_mark(text_).size());
}

std::string_view TextBlocks::peek() {
    read_up_to(std::max<std::size_t>(block_bytes_, 8));
    return text_;
}

std::string_view TextBlocks::take(const RowCutter& cut) {
    std::size_t wanted = std::max<std::size_t>(block_bytes_, 8);
    std::size_t n_rows = 0;
    for (;;) {
        read_up_to(wanted);
        n_rows = is_read_ ? text_.size() : cut(text_);
        if (n_rows > 0 || is_read_) break;
        if (text_.size() >= wanted) wanted *= 2;
    }
    first_line_ = next_line_;
    used_ = n_rows;
    const std::string_view block = std::string_view(text_).substr(0, n_rows);
    check_is_text(name(), block, first_line_);
    next_line_ += std::count(block.begin(), block.end(), '\n');
    return block;
}

}  // namespace redoubt::io

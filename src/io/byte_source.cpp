#include "io/byte_source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "io/inflater.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

ByteSource::ByteSource(const DataSource& source) : name_(source.name()) {
    if (source.is_text()) {
        text_ = source.text();
        size_ = text_.size();
        return;
    }
    if (source.name() == "-") {
        name_ = "<stdin>";
        handle_ = STDIN_FILENO;
    } else {
        open_file();
    }
    try {
        while (n_start_ < start_.size()) {
            const std::size_t n = read_handle(&start_[n_start_], start_.size() - n_start_);
            if (n == 0) break;
            n_start_ += n;
        }
        if (n_start_ == start_.size() && start_[0] == '\x1f' && start_[1] == '\x8b') {
            inflater_ = std::make_unique<Inflater>(
                name_, [this](char* to, std::size_t n) { return read_packed(to, n); });
        }
    } catch (...) {
        // No destructor runs for an object that was not finished.
        if (owns_handle_) ::close(handle_);
        throw;
    }
}

ByteSource::~ByteSource() {
    if (owns_handle_) ::close(handle_);
}

void ByteSource::open_file() {
    handle_ = ::open(name_.c_str(), O_RDONLY | O_CLOEXEC);
    if (handle_ < 0) {
        if (errno == ENOENT) fail("no such file");
        fail_with_errno(errno);
    }
    owns_handle_ = true;
    struct stat info {};
    const bool is_known = ::fstat(handle_, &info) == 0;
    if (is_known && !S_ISDIR(info.st_mode)) {
        // Files that tell no size (/proc) are like pipes.
        if (S_ISREG(info.st_mode) && info.st_size > 0) {
            size_ = static_cast<std::size_t>(info.st_size);
        }
        return;
    }
    const int code = errno;
    ::close(handle_);
    if (!is_known) fail_with_errno(code);
    fail("expected a file, found a directory");
}

std::size_t ByteSource::read(char* to, std::size_t n) {
    return inflater_ ? inflater_->read(to, n) : read_packed(to, n);
}

std::size_t ByteSource::read_packed(char* to, std::size_t n) {
    if (handle_ < 0) {
        n = std::min(n, text_.size() - n_read_);
        std::memcpy(to, text_.data() + n_read_, n);
        n_read_ += n;
        return n;
    }
    if (start_used_ == n_start_) return read_handle(to, n);
    n = std::min(n, n_start_ - start_used_);
    std::memcpy(to, &start_[start_used_], n);
    start_used_ += n;
    return n;
}

std::size_t ByteSource::read_handle(char* to, std::size_t n) {
    for (;;) {
        const ssize_t n_now = ::read(handle_, to, n);
        if (n_now < 0 && errno == EINTR) continue;
        if (n_now < 0) fail_with_errno(errno);
        n_read_ += static_cast<std::size_t>(n_now);
        return static_cast<std::size_t>(n_now);
    }
}

bool ByteSource::is_idle(int milliseconds) const {
    if (handle_ < 0 || size_ || inflater_ || start_used_ < n_start_) return false;
    pollfd waiting{.fd = handle_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, milliseconds) == 0;
}

std::optional<double> ByteSource::share_read() const {
    if (!size_) return std::nullopt;
    return *size_ == 0 ? 1.0 : static_cast<double>(n_read_) / static_cast<double>(*size_);
}

std::optional<std::pair<int, std::size_t>> ByteSource::plain_file() const {
    if (handle_ < 0 || !size_ || inflater_) return std::nullopt;
    return std::pair(handle_, *size_);
}

void ByteSource::fail(std::string_view problem) const {
    throw ParseError(name_, 0, 0, problem);
}

void ByteSource::fail_with_errno(int code) const {
    fail("cannot read the file: " + std::generic_category().message(code));
}

}  // namespace redoubt::io

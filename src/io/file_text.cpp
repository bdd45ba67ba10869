#include "io/file_text.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

/// Closes on every way out.
struct OpenFile {
    int handle;
    ~OpenFile() { ::close(handle); }
};

}  // namespace

FileText::FileText(const DataSource& source, std::size_t max_bytes)
    : name_(source.name()), max_bytes_(max_bytes) {
    static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    try {
        if (source.is_text()) {
            check_size(source.text().size());
            text_ = source.text();
        } else if (source.name() == "-") {
            name_ = "<stdin>";
            read_all(STDIN_FILENO);
        } else {
            open_file();
        }
        check_is_text();
        if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
        if (trimmed(text_).empty()) fail("the file is empty");
    } catch (...) {
        // No destructor runs for an object that was not finished.
        if (map_ != nullptr) ::munmap(map_, map_size_);
        throw;
    }
}

FileText::~FileText() {
    if (map_ != nullptr) ::munmap(map_, map_size_);
}

void FileText::open_file() {
    const OpenFile file{::open(name_.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.handle < 0) {
        if (errno == ENOENT) fail("no such file");
        fail_with_errno(errno);
    }
    struct stat info {};
    if (::fstat(file.handle, &info) != 0) fail_with_errno(errno);
    if (S_ISDIR(info.st_mode)) fail("expected a file, found a directory");
    if (S_ISREG(info.st_mode) && info.st_size > 0) {
        const auto size = static_cast<std::size_t>(info.st_size);
        check_size(size);
        void* const map = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.handle, 0);
        if (map != MAP_FAILED) {
            ::madvise(map, size, MADV_SEQUENTIAL);
            map_ = map;
            map_size_ = size;
            text_ = {static_cast<const char*>(map), size};
            return;
        }
    }
    // Pipes, devices, files that tell no size (/proc) and file systems without maps.
    read_all(file.handle);
}

void FileText::read_all(int file) {
    static constexpr std::size_t kBlock = std::size_t{1} << 20;
    std::size_t used = 0;
    for (;;) {
        bytes_.resize(used + kBlock);
        const ssize_t n = ::read(file, bytes_.data() + used, kBlock);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail_with_errno(errno);
        if (n == 0) break;
        used += static_cast<std::size_t>(n);
        check_size(used);
    }
    bytes_.resize(used);
    text_ = bytes_;
}

void FileText::check_size(std::size_t size) const {
    if (size > max_bytes_)
        fail("longer than the limit of " + std::to_string(max_bytes_) + " bytes");
}

void FileText::check_is_text() const {
    if (text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff")) {
        fail("expected UTF-8 text, found UTF-16; convert it with " + iconv_from("utf-16"));
    }
    if (text_.starts_with("PAR1") && text_.ends_with("PAR1")) {
        fail(
            "expected text, found a Parquet file; convert it to CSV, in Python with "
            "pandas.read_parquet(..).to_csv(.., index=False)");
    }
    const auto fail_at = [&](std::size_t place, const std::string& problem) {
        const std::string_view before = text_.substr(0, place);
        throw ParseError(name_, 1 + std::count(before.begin(), before.end(), '\n'), 0, problem);
    };
    const std::size_t nul = text_.find('\0');
    if (nul != std::string_view::npos) fail_at(nul, "expected text, found a NUL byte");
    const std::size_t bad = find_not_utf8(text_);
    if (bad == std::string_view::npos) return;
    fail_at(bad, "expected UTF-8 text, found the byte " + quote_text(text_.substr(bad, 1)) +
                     "; if it is Latin-1, convert it with " + iconv_from("latin1"));
}

/// A command to copy; a name that a shell would take apart is left to the user.
std::string FileText::iconv_from(const char* encoding) const {
    const bool is_plain = std::all_of(name_.begin(), name_.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '/' || c == '_' || c == '-';
    });
    return "iconv -f " + std::string(encoding) + " -t utf-8 " + (is_plain ? name_ : "FILE");
}

void FileText::fail(std::string_view problem) const {
    throw ParseError(name_, 0, 0, problem);
}

void FileText::fail_with_errno(int code) const {
    fail("cannot read the file: " + std::generic_category().message(code));
}

}  // namespace redoubt::io

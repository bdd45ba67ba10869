#include "io/file_text.hpp"

#include <sys/mman.h>

#include "core/text_tools.hpp"
#include "io/byte_source.hpp"
#include "io/text_checks.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

FileText::FileText(const DataSource& source, std::size_t max_bytes, FileContent content)
    : name_(source.name()), max_bytes_(max_bytes) {
    try {
        if (source.is_text()) {
            check_size(source.text().size());
            text_ = source.text();
        } else {
            ByteSource bytes(source);
            name_ = bytes.name();
            if (!map(bytes)) read_all(bytes);
        }
        if (content == FileContent::Model) check_starts_like_model(name_, text_);
        check_is_text(name_, text_);
        text_ = without_byte_order_mark(text_);
        if (trimmed(text_).empty()) throw ParseError(name_, 0, 0, "the file is empty");
    } catch (...) {
        // No destructor runs for an object that was not finished.
        if (map_ != nullptr) ::munmap(map_, map_size_);
        throw;
    }
}

FileText::~FileText() {
    if (map_ != nullptr) ::munmap(map_, map_size_);
}

/// Pipes, devices, gzip data and file systems without maps are left to be read.
bool FileText::map(const ByteSource& bytes) {
    const auto file = bytes.plain_file();
    if (!file) return false;
    const auto [handle, size] = *file;
    check_size(size);
    void* const found = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (found == MAP_FAILED) return false;
    ::madvise(found, size, MADV_SEQUENTIAL);
    map_ = found;
    map_size_ = size;
    text_ = {static_cast<const char*>(found), size};
    return true;
}

void FileText::read_all(ByteSource& bytes) {
    static constexpr std::size_t kBlock = std::size_t{1} << 20;
    std::size_t used = 0;
    for (;;) {
        bytes_.resize(used + kBlock);
        const std::size_t n = bytes.read(bytes_.data() + used, kBlock);
        if (n == 0) break;
        used += n;
        check_size(used);
    }
    bytes_.resize(used);
    text_ = bytes_;
}

void FileText::check_size(std::size_t size) const {
    if (size <= max_bytes_) return;
    throw ParseError(name_, 0, 0,
                     "longer than the limit of " + std::to_string(max_bytes_) + " bytes");
}

}  // namespace redoubt::io

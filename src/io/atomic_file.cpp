#include "redoubt/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>

#include "redoubt/error.hpp"

namespace redoubt {

namespace fs = std::filesystem;

/// Not without a name: AtomicFile::State, which other files know of, is made of these.
namespace atomic_parts {

[[noreturn]] void fail(const fs::path& path, int code) {
    throw WriteError(path.string(), std::generic_category().message(code));
}

/// An open file; closed on every way out.
class Handle {
public:
    explicit Handle(int handle) : handle_(handle) {}
    ~Handle() {
        if (handle_ >= 0) ::close(handle_);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    int get() const noexcept { return handle_; }
    bool is_open() const noexcept { return handle_ >= 0; }
    /// Closing may report that earlier writes failed.
    int close() noexcept {
        const int result = ::close(handle_);
        handle_ = -1;
        return result;
    }

private:
    int handle_;
};

void write_all(int file, std::string_view text, const fs::path& path) {
    while (!text.empty()) {
        const ssize_t n = ::write(file, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail(path, errno);
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

/// Where a path leads to, and what is there.
struct Target {
    fs::path given;
    fs::path path;
    bool exists = false;
    bool is_ordinary = true;
    mode_t rights = 0;

    explicit Target(const fs::path& given_path) : given(given_path), path(given_path) {
        if (given.empty()) fail(given, ENOENT);
        struct stat info {};
        if (::stat(given.c_str(), &info) != 0) {
            if (errno != ENOENT) fail(given, errno);
            return;
        }
        if (S_ISDIR(info.st_mode)) fail(given, EISDIR);
        exists = true;
        is_ordinary = S_ISREG(info.st_mode);
        rights = info.st_mode & 0777;
        // A file without write permission is not to be replaced behind its owner's back.
        if (::faccessat(AT_FDCWD, given.c_str(), W_OK, AT_EACCESS) != 0) fail(given, errno);
        std::error_code error;
        if (is_ordinary) path = fs::canonical(given, error);
        if (error) fail(given, error.value());
    }
};

/// A file under a name of its own, which is removed again unless it was given its final name.
class TemporaryFile {
public:
    explicit TemporaryFile(const Target& target) : target_(target), handle_(create()) {}
    ~TemporaryFile() {
        if (!name_.empty()) ::unlink(name_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void take_over_rights() {
        if (target_.exists && ::fchmod(handle_.get(), target_.rights) != 0) {
            fail(target_.given, errno);
        }
    }

    void write(std::string_view text) { write_all(handle_.get(), text, target_.given); }

    void move_into_place() {
        // Onto the disk first: the name must not outlive a crash that the content did not survive.
        if (::fsync(handle_.get()) != 0) fail(target_.given, errno);
        if (handle_.close() != 0) fail(target_.given, errno);
        if (::rename(name_.c_str(), target_.path.c_str()) != 0) fail(target_.given, errno);
        name_.clear();
    }

private:
    int create() {
        static std::atomic<unsigned> counter{0};
        for (;;) {
            // Not made from the final name, which may be as long as names can be.
            const fs::path name =
                target_.path.parent_path() / (".redoubt-" + std::to_string(::getpid()) + "-" +
                                              std::to_string(counter++) + ".tmp");
            const int handle = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (handle < 0 && errno == EEXIST) continue;
            if (handle < 0) fail(target_.given, errno);
            name_ = name;
            return handle;
        }
    }

    const Target& target_;
    fs::path name_;
    Handle handle_;
};

/// Makes the new name last through a crash. Some file systems cannot, and the file is complete
/// either way, so a refusal is no failure.
void settle_folder(const fs::path& path) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const Handle handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.is_open()) static_cast<void>(::fsync(handle.get()));
}

int open_directly(const fs::path& path) {
    const int handle = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (handle < 0) fail(path, errno);
    return handle;
}

}  // namespace atomic_parts

using namespace atomic_parts;

/// An ordinary file is written under another name first; anything else at once.
class AtomicFile::State {
public:
    explicit State(const fs::path& path) : target_(path) {
        if (!target_.is_ordinary) {
            direct_.emplace(open_directly(path));
            return;
        }
        file_.emplace(target_);
        file_->take_over_rights();
    }

    void write(std::string_view text) {
        if (direct_) return write_all(direct_->get(), text, target_.given);
        file_->write(text);
    }

    void finish() {
        if (direct_) {
            if (direct_->close() != 0) fail(target_.given, errno);
            return;
        }
        file_->move_into_place();
        settle_folder(target_.path);
    }

private:
    Target target_;
    std::optional<TemporaryFile> file_;
    std::optional<Handle> direct_;
};

AtomicFile::AtomicFile(const fs::path& path) : state_(std::make_unique<State>(path)) {}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view text) {
    state_->write(text);
}

void AtomicFile::finish() {
    state_->finish();
}

void write_file_atomically(const fs::path& path, std::string_view text) {
    AtomicFile file(path);
    file.write(text);
    file.finish();
}

void check_can_write(const fs::path& path) {
    const Target target(path);
    if (target.is_ordinary) const TemporaryFile file(target);
}

}  // namespace redoubt

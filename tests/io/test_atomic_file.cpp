#include "redoubt/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "support/file_helpers.hpp"

namespace redoubt::io {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::size_t n_files(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string error_of_write(const fs::path& path, std::string_view text = "text") {
    return test::message_of<WriteError>([&] { write_file_atomically(path, text); });
}

/// Both must fail alike.
void expect_refused(const fs::path& path, const std::string& reason) {
    const std::string message = path.string() + ": cannot write the file: " + reason;
    EXPECT_EQ(error_of_write(path), message);
    EXPECT_EQ(test::message_of<WriteError>([&] { check_can_write(path); }), message);
}

TEST(AtomicFile, HoldsTheTextAndNothingElseIsLeft) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "file";
    check_can_write(path);
    EXPECT_EQ(n_files(folder.path()), 0U);
    for (const std::string& text :
         {std::string("first"), std::string(3000000, 'x'), std::string(), std::string("a\0b", 3)}) {
        write_file_atomically(path, text);
        EXPECT_EQ(content_of(path), text);
        check_can_write(path);
        EXPECT_EQ(content_of(path), text);
        EXPECT_EQ(n_files(folder.path()), 1U);
    }
}

TEST(AtomicFile, PartsAreThereTogetherOrNotAtAll) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "file";
    write_file_atomically(path, "before");
    {
        AtomicFile file(path);
        file.write("one, ");
        EXPECT_EQ(content_of(path), "before");
    }
    EXPECT_EQ(content_of(path), "before");
    EXPECT_EQ(n_files(folder.path()), 1U);
    AtomicFile file(path);
    file.write("one, ");
    file.write("two");
    EXPECT_EQ(content_of(path), "before");
    file.finish();
    EXPECT_EQ(content_of(path), "one, two");
    EXPECT_EQ(n_files(folder.path()), 1U);
}

TEST(AtomicFile, KeepsAccessRightsAndFollowsLinks) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "file";
    write_file_atomically(path, "first");
    ::chmod(path.c_str(), 0640);
    fs::create_symlink("file", folder.path() / "link");
    write_file_atomically(folder.path() / "link", "second");
    EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
    EXPECT_EQ(content_of(path), "second");
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST(AtomicFile, ANewFileObeysTheMask) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "file";
    const mode_t mask = ::umask(027);
    write_file_atomically(path, "text");
    ::umask(mask);
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST(AtomicFile, ALongNameWorks) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / std::string(255, 'n');
    write_file_atomically(path, "text");
    EXPECT_EQ(content_of(path), "text");
    expect_refused(folder.path() / std::string(256, 'n'), "File name too long");
}

TEST(AtomicFile, NamesWhatIsInTheWay) {
    const test::TemporaryFolder folder;
    const fs::path file = folder.write("file", "text");
    expect_refused(folder.path() / "none" / "file", "No such file or directory");
    expect_refused(folder.path(), "Is a directory");
    expect_refused(file / "below", "Not a directory");
    expect_refused("", "No such file or directory");
}

/// Root may write everywhere, so the test steps down for a moment.
TEST(AtomicFile, AReadOnlyFolderOrFileIsLeftAlone) {
    constexpr uid_t kNobody = 65534;
    const test::TemporaryFolder folder;
    const fs::path file = folder.write("file", "before");
    const fs::path locked = folder.path() / "locked";
    fs::create_directory(locked);
    ::chmod(file.c_str(), 0444);
    ::chmod(locked.c_str(), 0555);
    ::chmod(folder.path().c_str(), 0777);
    const bool is_root = ::geteuid() == 0;
    if (is_root) {
        ASSERT_EQ(::seteuid(kNobody), 0);
    }
    expect_refused(locked / "new", "Permission denied");
    expect_refused(file, "Permission denied");
    if (is_root) {
        ASSERT_EQ(::seteuid(0), 0);
    }
    EXPECT_EQ(content_of(file), "before");
    EXPECT_EQ(n_files(locked), 0U);
}

/// A limit on the size of files stands in for a disk that is full.
TEST(AtomicFile, AFullDiskLeavesTheOldFile) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.write("file", "before");
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit tight{1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string message = error_of_write(path, std::string(2000, 'x'));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(message, path.string() + ": cannot write the file: File too large");
    EXPECT_EQ(content_of(path), "before");
    EXPECT_EQ(n_files(folder.path()), 1U);
}

TEST(AtomicFile, DevicesAreWrittenToAndNotReplaced) {
    write_file_atomically("/dev/null", "text");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_EQ(error_of_write("/dev/full"),
              "/dev/full: cannot write the file: No space left on device");
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace redoubt::io

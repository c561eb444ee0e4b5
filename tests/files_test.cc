#include "harness/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace causalcheck {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// A folder of its own for each test, gone afterwards.
class Files : public ::testing::Test {
 protected:
  Files() {
    std::string name = ::testing::TempDir() + "files_test_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category());
    folder_ = name;
  }
  ~Files() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      found.push_back(entry.path().filename());
    }
    return found;
  }

 private:
  fs::path folder_;
};

std::string content(const std::string& path) {
  const auto read = read_file(path);
  return read ? *read : "? " + read.error().text;
}

/// Exits with 0 when the write was refused.
[[noreturn]] void write_with_little_room(const std::string& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = 4096;
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(3);
  const auto written = write_file_atomically(path, std::string(100'000, 'n'));
  std::_Exit(written.has_value() ? 1 : 0);
}

TEST_F(Files, GiveBackWhatWasWritten) {
  const std::string bytes("a\0b\r\n\xFF", 6);
  ASSERT_TRUE(write_file_atomically(path("x"), bytes).has_value());
  EXPECT_EQ(content(path("x")), bytes);
  EXPECT_THAT(names(), UnorderedElementsAre("x"));
}

TEST_F(Files, AreReplacedWhole) {
  ASSERT_TRUE(write_file_atomically(path("x"), std::string(3'000'000, 'o')).has_value());
  EXPECT_EQ(content(path("x")).size(), 3'000'000U);
  ASSERT_TRUE(write_file_atomically(path("x"), "new").has_value());
  EXPECT_EQ(content(path("x")), "new");
  EXPECT_THAT(names(), UnorderedElementsAre("x"));
}

TEST_F(Files, MayBeEmpty) {
  ASSERT_TRUE(write_file_atomically(path("x"), "").has_value());
  EXPECT_EQ(content(path("x")), "");
}

TEST_F(Files, AreWrittenThroughALinkThatStays) {
  ASSERT_TRUE(write_file_atomically(path("real"), "old").has_value());
  fs::create_symlink("real", path("link"));
  ASSERT_TRUE(write_file_atomically(path("link"), "new").has_value());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content(path("real")), "new");
}

TEST_F(Files, AreNotWrittenWhereNoFolderIs) {
  const auto written = write_file_atomically(path("missing/x"), "bytes");
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().text, StartsWith("cannot write " + path("missing/x") + ": "));
}

TEST_F(Files, AreNotWrittenBelowAFile) {
  ASSERT_TRUE(write_file_atomically(path("x"), "a file").has_value());
  const auto written = write_file_atomically(path("x/y"), "bytes");
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().text, StartsWith("cannot write " + path("x/y") + ": "));
  EXPECT_THAT(names(), UnorderedElementsAre("x"));
}

TEST_F(Files, DoNotTakeThePlaceOfAFolder) {
  ASSERT_TRUE(fs::create_directory(path("folder")));
  EXPECT_FALSE(write_file_atomically(path("folder"), "bytes").has_value());
  EXPECT_THAT(names(), UnorderedElementsAre("folder"));
}

TEST_F(Files, LeaveNothingBehindWhenThereIsNoRoom) {
  ASSERT_TRUE(write_file_atomically(path("x"), "old").has_value());
  // In a process of its own: the limit would hit whatever else this one writes.
  EXPECT_EXIT(write_with_little_room(path("x")), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(content(path("x")), "old");
  EXPECT_THAT(names(), UnorderedElementsAre("x"));
}

TEST(Device, IsWrittenToAndNotReplaced) {
  ASSERT_TRUE(write_file_atomically("/dev/null", "bytes").has_value());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Device, ThatIsFullIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const auto written = write_file_atomically("/dev/full", "bytes");
  ASSERT_FALSE(written.has_value());
  EXPECT_THAT(written.error().text, StartsWith("cannot write /dev/full: "));
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int kept = ::dup(STDIN_FILENO);
  ASSERT_EQ(::dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
  const std::string bytes(60'000, 'p');  // fits into the pipe, so that nobody need read meanwhile
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::close(ends[1]);
  const auto read = read_file("-");
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ::close(ends[0]);
  ASSERT_TRUE(read.has_value()) << read.error().text;
  EXPECT_EQ(*read, bytes);
}

TEST(ReadFile, RefusesWhatIsNotThereAndFolders) {
  EXPECT_FALSE(read_file("no/such/file").has_value());
  const auto folder = read_file("/");
  ASSERT_FALSE(folder.has_value());
  EXPECT_THAT(folder.error().text, HasSubstr("/"));
}

}  // namespace
}  // namespace causalcheck

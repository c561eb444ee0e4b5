#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "adapters/adapters.h"
#include "adapters/fs/fs_store.h"
#include "tests/plain_runtime.h"
#include "tests/scratch_folder.h"

namespace causalcheck {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr Time kFar = std::chrono::seconds(10);

class FsStoreTest : public testing::Test {
 protected:
  std::unique_ptr<FsStore> open() { return *FsStore::open(folder_.path()); }
  Result<Created> create(FsStore& store, std::string_view key, std::string_view content) {
    return store.create_if_absent(key, content, runtime_, kFar);
  }
  std::optional<std::string> get(FsStore& store, std::string_view key) {
    return store.get(key, runtime_, kFar).value();
  }
  std::vector<std::string> list(FsStore& store, std::string_view prefix) {
    return store.list(prefix, runtime_, kFar).value();
  }

  ScratchFolder folder_{};
  PlainRuntime runtime_{};
};

// Files may grow no further than this, as if the disk were full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(FsStoreTest, AnObjectIsAFileWithItsContent) {
  const auto store = open();
  EXPECT_EQ(create(*store, "run/a topic/log/7", "content").value(), Created::kCreated);
  EXPECT_EQ(folder_.read("run/a%20topic/log/7"), "content");
  EXPECT_EQ(get(*store, "run/a topic/log/7"), "content");
  EXPECT_THAT(list(*store, "run/"), ElementsAre("run/a topic/log/7"));
}

TEST_F(FsStoreTest, NothingButTheObjectIsLeftOfACreate) {
  const auto store = open();
  create(*store, "run/x/0", "first").value();
  EXPECT_EQ(create(*store, "run/x/0", "second").value(), Created::kTaken);
  EXPECT_THAT(folder_.content(), ElementsAre("run", "run/x", "run/x/0"));
}

TEST_F(FsStoreTest, NoKeyLeavesTheFolder) {
  const auto store = open();
  for (const char* key : {"../up", "/up", "run/../../up", "run//up", "...", ".tmp-x"}) {
    EXPECT_EQ(create(*store, key, key).value(), Created::kCreated) << key;
    EXPECT_EQ(get(*store, key), key);
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/../up"));
  EXPECT_THAT(list(*store, ""), SizeIs(6));
}

TEST_F(FsStoreTest, ForgetLeavesWhatOthersPutThere) {
  folder_.write("mine.txt", "keep");
  folder_.write("run/x/theirs", "keep");
  folder_.write("other/x/0", "keep");
  {
    const auto store = open();
    create(*store, "run/x/0", "ours").value();
    create(*store, "run/y/0", "ours").value();
    folder_.write("run/y/theirs", "keep");
    ASSERT_TRUE(store->forget("run/").has_value());
    EXPECT_THAT(folder_.content(), ElementsAre("mine.txt", "other", "other/x", "other/x/0", "run",
                                               "run/x", "run/x/theirs", "run/y", "run/y/theirs"));
  }
  EXPECT_EQ(folder_.read("other/x/0"), "keep");
}

TEST_F(FsStoreTest, ForgetLeavesOtherRuns) {
  const auto store = open();
  create(*store, "run/x/0", "").value();
  create(*store, "run2/x/0", "").value();
  ASSERT_TRUE(store->forget("run/").has_value());
  EXPECT_THAT(folder_.content(), ElementsAre("run2", "run2/x", "run2/x/0"));
}

TEST_F(FsStoreTest, TheEndForgetsEverything) {
  folder_.write("mine.txt", "keep");
  {
    const auto store = open();
    create(*store, "run/x/0", "").value();
    create(*store, "run2/x/0", "").value();
  }
  EXPECT_THAT(folder_.content(), ElementsAre("mine.txt"));
}

TEST_F(FsStoreTest, ATemporaryFolderGoesWithItsStore) {
  std::string root;
  {
    const auto store = FsStore::open_temporary().value();
    root = store->root();
    create(*store, "run/x/0", "").value();
    EXPECT_TRUE(std::filesystem::exists(root));
  }
  EXPECT_FALSE(std::filesystem::exists(root));
}

// What a crash between the write and the link leaves behind.
TEST_F(FsStoreTest, AFileThatWasNeverLinkedIsNotSeenAndIsCleanedAway) {
  auto store = open();
  create(*store, "run/x/0", "whole").value();
  folder_.write("run/x/.tmp-1-1", "who");
  EXPECT_THAT(list(*store, ""), ElementsAre("run/x/0"));
  EXPECT_EQ(get(*store, "run/x/.tmp-1-1"), std::nullopt);
  EXPECT_EQ(create(*store, "run/x/1", "next").value(), Created::kCreated);
  ASSERT_TRUE(store->forget("run/").has_value());
  EXPECT_THAT(folder_.content(), IsEmpty());
}

TEST_F(FsStoreTest, ACreateThatDoesNotFitCertainlyDidNotHappen) {
  const auto store = open();
  create(*store, "run/x/0", "fits").value();
  {
    const FileSizeLimit limit(1000);
    const Result<Created> answer = create(*store, "run/x/1", std::string(5000, 'x'));
    ASSERT_TRUE(answer.has_error());
    EXPECT_EQ(answer.error().code, ErrorCode::kRejected);
    EXPECT_THAT(answer.error().text, HasSubstr("run/x/1"));
  }
  EXPECT_EQ(get(*store, "run/x/1"), std::nullopt);
  EXPECT_THAT(folder_.content(), ElementsAre("run", "run/x", "run/x/0"));
  EXPECT_EQ(create(*store, "run/x/1", std::string(5000, 'x')).value(), Created::kCreated);
}

TEST_F(FsStoreTest, ANameThatIsTooLongIsRefused) {
  const auto store = open();
  EXPECT_EQ(create(*store, "run/" + std::string(300, 'x') + "/0", "").error().code,
            ErrorCode::kRejected);
  EXPECT_EQ(create(*store, "run/x/" + std::string(300, 'x'), "").error().code,
            ErrorCode::kRejected);
}

TEST_F(FsStoreTest, AnObjectThatIsNoFileCannotBeRead) {
  const auto store = open();
  folder_.write("run/x/0/below", "");
  const auto answer = store->get("run/x/0", runtime_, kFar);
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().code, ErrorCode::kUndecodable);
}

TEST_F(FsStoreTest, AFolderThatIsNotThereIsRefusedWithItsName) {
  const auto answer = FsStore::open(folder_ / "nowhere");
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().text, AllOf(HasSubstr("nowhere"), HasSubstr("No such file")));
}

TEST_F(FsStoreTest, AFileInPlaceOfAFolderIsRefused) {
  folder_.write("file", "");
  EXPECT_THAT(FsStore::open(folder_ / "file").error().text, HasSubstr("Not a directory"));
}

// Runs `body` in a process of its own; its exit code.
template <class Body>
pid_t in_child(Body body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  return pid;
}

int exit_code_of(pid_t pid) {
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(FsStoreTest, AFolderThatMayNotBeWrittenIsRefused) {
  if (::geteuid() != 0) {
    std::filesystem::permissions(
        folder_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_THAT(FsStore::open(folder_.path()).error().text, HasSubstr("cannot write"));
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
    return;
  }
  // Root may write everywhere, so somebody else tries.
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::others_read |
                                                   std::filesystem::perms::others_exec |
                                                   std::filesystem::perms::owner_all);
  EXPECT_EQ(exit_code_of(in_child([&] {
              if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
              const auto answer = FsStore::open(folder_.path());
              ::_exit(answer.has_error() && answer.error().text.find("cannot write") == 0 ? 0 : 1);
            })),
            0);
}

// Two processes go for the same 40 slots; each notes in files of its own what it won.
TEST_F(FsStoreTest, OfTwoProcessesThatRaceForASlotOneWins) {
  constexpr int kSlots = 40;
  const auto racer = [&](const std::string& name) {
    return in_child([&] {
      const auto store = open();
      for (int slot = 0; slot < kSlots; ++slot) {
        const std::string key = "run/x/" + std::to_string(slot);
        const Result<Created> answer = create(*store, key, name + " " + std::string(2000, 'x'));
        if (answer.has_error()) ::_exit(1);
        if (*answer == Created::kCreated) folder_.write("won/" + name + std::to_string(slot), "");
      }
      ::_exit(0);  // forgets nothing
    });
  };
  const pid_t a = racer("A");
  const pid_t b = racer("B");
  ASSERT_EQ(exit_code_of(a), 0);
  ASSERT_EQ(exit_code_of(b), 0);
  const auto store = open();
  const std::set<std::string> content = folder_.content();
  for (int slot = 0; slot < kSlots; ++slot) {
    const std::string number = std::to_string(slot);
    const bool by_a = content.count("won/A" + number) == 1;
    const bool by_b = content.count("won/B" + number) == 1;
    EXPECT_NE(by_a, by_b) << slot;
    EXPECT_EQ(get(*store, "run/x/" + number), (by_a ? "A " : "B ") + std::string(2000, 'x'));
  }
  EXPECT_THAT(list(*store, "run/"), SizeIs(kSlots));
}

// A process that is killed wherever it happens to be: all that it said to be created is there, and
// all that is there is whole.
TEST_F(FsStoreTest, AKilledProcessLeavesWholeObjectsAndAllItAcknowledged) {
  const std::string content(3000, 'x');
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t writer = in_child([&] {
    const auto store = open();
    for (int slot = 0;; ++slot) {
      if (create(*store, "run/x/" + std::to_string(slot), content).has_error()) ::_exit(1);
      if (::write(told[1], "+", 1) != 1) ::_exit(1);
    }
  });
  ::close(told[1]);
  const auto store = open();
  char acknowledged[20];
  std::size_t count = 0;
  while (count < sizeof acknowledged) {
    const ssize_t got = ::read(told[0], acknowledged, sizeof acknowledged - count);
    ASSERT_GT(got, 0);
    count += static_cast<std::size_t>(got);
    // Meanwhile too, nobody sees a part of an object.
    for (const std::string& key : list(*store, "run/")) EXPECT_EQ(get(*store, key), content);
  }
  ::kill(writer, SIGKILL);
  EXPECT_EQ(exit_code_of(writer), -1);
  for (ssize_t got = 1; got > 0; count += static_cast<std::size_t>(got)) {
    got = ::read(told[0], acknowledged, sizeof acknowledged);
    ASSERT_GE(got, 0);
  }
  ::close(told[0]);
  const std::vector<std::string> keys = list(*store, "run/");
  EXPECT_GE(keys.size(), count);
  EXPECT_LE(keys.size(), count + 1);
  for (std::size_t slot = 0; slot < keys.size(); ++slot) {
    EXPECT_EQ(get(*store, "run/x/" + std::to_string(slot)), content);
  }
}

TEST(FsAdapter, UsesTheFolderOfItsAddressAndLeavesItAsItWas) {
  const ScratchFolder folder;
  folder.write("mine.txt", "keep");
  {
    const auto backend = make_backend("fs:" + folder.path()).value();
    PlainRuntime runtime;
    for (const char* run : {"run1", "run2"}) {
      ASSERT_TRUE(backend->reset({run, {"x"}}).has_value());
      const auto session = *backend->open({0, "A", 1}, runtime, nullptr);
      ASSERT_TRUE(session->commit({"x", "A1", false}, kFar).has_value());
    }
    EXPECT_THAT(folder.content(), ElementsAre("mine.txt", "run2", "run2/x", "run2/x/log",
                                              "run2/x/log/00000000000000000000"));
  }
  EXPECT_THAT(folder.content(), ElementsAre("mine.txt"));
}

TEST(FsAdapter, SaysWhichFolderItCannotUse) {
  const auto answer = make_backend("fs:/nowhere/at/all");
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().text, HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace causalcheck

// Tests that a store survives a kill of its writer at every write to the disk, before the write or
// in the middle of it.

#include <cstring>
#include <map>
#include <memory>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "results/model/testing/example_suite_run.h"
#include "results/store/store.h"
#include "results/store/testing/store_file.h"

namespace overlane::store {
namespace kill_test {

using model::example_suite_run;
using model::SuiteRun;

/// How a write ends the process.
enum class Kill { Before, InTheMiddle };

constexpr int kKilled = 42;

/// Counts the process's writes to SQLite files, and ends the process at one of them. Used only in a
/// child process, with a VFS for this test.
struct Countdown {
  int left = 0;
  Kill kill = Kill::Before;
} countdown;

/// The file functions of SQLite's default VFS; those that change files are replaced.
struct Watched {
  sqlite3_io_methods methods;
  const sqlite3_io_methods* original;
};

const sqlite3_io_methods& original(sqlite3_file* file) {
  return *reinterpret_cast<const Watched*>(file->pMethods)->original;
}

int watched_write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (countdown.left-- == 0) {
    if (countdown.kill == Kill::InTheMiddle) original(file).xWrite(file, bytes, size / 2, offset);
    _exit(kKilled);
  }
  return original(file).xWrite(file, bytes, size, offset);
}

int watched_truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (countdown.left-- == 0) _exit(kKilled);
  return original(file).xTruncate(file, size);
}

int watched_sync(sqlite3_file* file, int flags) {
  if (countdown.left-- == 0) _exit(kKilled);
  return original(file).xSync(file, flags);
}

int watched_open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags,
                 int* out_flags) {
  static std::map<const sqlite3_io_methods*, std::unique_ptr<Watched>> known;
  auto* real = static_cast<sqlite3_vfs*>(vfs->pAppData);
  const int code = real->xOpen(real, name, file, flags, out_flags);
  if (file->pMethods == nullptr) return code;
  auto& watched = known[file->pMethods];
  if (!watched) {
    watched = std::make_unique<Watched>(Watched{*file->pMethods, file->pMethods});
    watched->methods.xWrite = watched_write;
    watched->methods.xTruncate = watched_truncate;
    watched->methods.xSync = watched_sync;
  }
  file->pMethods = &watched->methods;
  return code;
}

void watch_writes(int until, Kill kill) {
  static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
  vfs.pAppData = sqlite3_vfs_find(nullptr);
  vfs.zName = "watched";
  vfs.xOpen = watched_open;
  countdown = {until, kill};
  sqlite3_vfs_register(&vfs, 1);
}

/// The steps of the killed program; it reports each one that is done.
void work(const std::string& file, int said) {
  const auto done = [&](bool worked) {
    if (!worked) _exit(1);
    if (write(said, ".", 1) != 1) _exit(1);
  };
  auto store = Store::open(file, Store::Use::Write);
  done(store.has_value());
  SuiteRun run = example_suite_run("a");
  const auto cases = std::exchange(run.cases, {});
  done(store->add(run).has_value());
  for (std::size_t i = 0; i < cases.size(); ++i)
    done(store->put_case("a", cases[i], i).has_value());
  done(store->put_case("a", cases[0], 0).has_value());
  done(store->finish("a", model::RunState::Complete, 7).has_value());
}
constexpr std::size_t kSteps = 6;

/// The steps that were done before the kill, or all steps if the process was not killed.
std::size_t steps_before_kill(const std::string& file, int writes, Kill kill) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    watch_writes(writes, kill);
    work(file, ends[1]);
    _exit(0);
  }
  close(ends[1]);
  char dots[kSteps];
  std::size_t steps = 0;
  for (ssize_t got; (got = read(ends[0], dots, sizeof dots)) > 0;)
    steps += static_cast<std::size_t>(got);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == kKilled || WEXITSTATUS(status) == 0))
      << "status " << status << " after " << writes << " writes";
  return steps;
}

/// Every reported step is in the store, and later ones can follow.
void expect_valid(const std::string& file, std::size_t steps) {
  auto store = Store::open(file, Store::Use::Write);
  ASSERT_TRUE(store) << store.error();
  const auto runs = store->runs();
  ASSERT_TRUE(runs) << runs.error();
  EXPECT_GE(runs->size(), steps >= 2 ? 1u : 0u);
  if (!runs->empty()) {
    const auto run = store->load("a");
    ASSERT_TRUE(run) << run.error();
    const auto cases = example_suite_run("a").cases;
    EXPECT_GE(run->cases.size(), steps >= 4 ? 2u : steps >= 3 ? 1u : 0u);
    for (const model::CaseRun& one : run->cases)
      EXPECT_TRUE(one == cases[0] || one == cases[1]) << one.name << " is there in part";
    EXPECT_TRUE(run->state == model::RunState::Complete || steps < kSteps);
    ASSERT_TRUE(store->remove("a"));
  }
  ASSERT_TRUE(store->add(example_suite_run("a")));
  EXPECT_EQ(store->load("a").value(), example_suite_run("a"));
}

class KilledRun : public ::testing::TestWithParam<Kill> {};

TEST_P(KilledRun, LeavesAValidStoreAtEveryWrite) {
  std::size_t steps = 0;
  int writes = 0;
  for (; steps < kSteps; ++writes) {
    ASSERT_LT(writes, 10'000);
    const testing::StoreFile file;
    steps = steps_before_kill(file.path(), writes, GetParam());
    expect_valid(file.path(), steps);
    ASSERT_FALSE(HasFailure()) << "killed at write " << writes;
  }
  EXPECT_GT(writes, 30) << "hardly a write was watched";
}

INSTANTIATE_TEST_SUITE_P(Kills, KilledRun, ::testing::Values(Kill::Before, Kill::InTheMiddle));

}  // namespace kill_test
}  // namespace overlane::store

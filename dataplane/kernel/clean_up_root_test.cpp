#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::kernel {
namespace clean_up_root_test {

using namespace std::chrono_literals;
using node::testing::make_cluster;

template <typename Predicate>
bool soon(Predicate holds) {
  for (int i = 0; i < 500; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

/// The network namespaces (inodes) in which a process runs or which it holds open.
std::set<std::string> namespaces_of(const std::filesystem::path& process) {
  std::set<std::string> found;
  std::error_code ignored;
  found.insert(std::filesystem::read_symlink(process / "ns/net", ignored));
  for (const auto& fd : std::filesystem::directory_iterator(process / "fd", ignored)) {
    const std::string target = std::filesystem::read_symlink(fd.path(), ignored);
    if (target.starts_with("net:")) found.insert(target);
  }
  return found;
}

/// Whether any process on this machine runs in one of the namespaces or holds it open.
bool any_is_in_use(const std::set<std::string>& namespaces) {
  std::error_code ignored;
  for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
    for (const std::string& used : namespaces_of(process.path())) {
      if (namespaces.contains(used)) return true;
    }
  }
  return false;
}

/// Whether a process has `text` in its command line.
bool is_running(const std::string& text) {
  std::error_code ignored;
  for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
    std::ifstream file(process.path() / "cmdline");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

TEST(CleanUp, NamespacesGoWithTheProcessThatIsKilled) {
  if (geteuid() != 0) GTEST_SKIP() << "making a network namespace needs root";
  const pid_t child = fork();
  if (child == 0) {
    // Many injections whose packets never arrive keep the experiment running.
    std::vector<Injection> injections(1000, Injection{.packet = {0x45}, .expected = 99});
    const auto state = make_cluster({.encapsulation = Encapsulation::Vxlan}).nodes[0];
    const Experiment experiment = make_experiment(state, std::move(injections));
    const auto outcome = run(experiment);
    _exit(outcome ? 0 : 1);
  }
  const auto own = namespaces_of("/proc/self");
  std::set<std::string> made;
  const auto both_are_there = [&] {
    made = namespaces_of("/proc/" + std::to_string(child));
    std::erase_if(made, [&](const std::string& name) { return own.contains(name); });
    return made.size() == 2;
  };
  EXPECT_TRUE(soon(both_are_there)) << "the node's namespace and the world's";
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it was still at work";
  EXPECT_TRUE(soon([&] { return !any_is_in_use(made); }));
}

TEST(CleanUp, ASupervisedProgramGoesWithTheProcessThatIsKilled) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder) << folder.error();
  const std::filesystem::path path = folder->path();
  // Sleeps in a child process with a unique name.
  const std::string mark = path.filename().string();
  const pid_t child = fork();
  if (child == 0) {
    const auto ended =
        run_supervised({"sh", "-c", "sh -c 'sleep 600; : " + mark + "'; :"}, path, 600s);
    _exit(ended ? 0 : 1);
  }
  ASSERT_TRUE(soon([&] { return is_running("sleep 600; : " + mark); }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(soon([&] { return !is_running("sleep 600; : " + mark); }));
  EXPECT_TRUE(soon([&] { return !std::filesystem::exists(path); }));
}

TEST(CleanUp, ASupervisedProgramDoesNotOutlastItsLimit) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder) << folder.error();
  const auto ended = run_supervised({"sleep", "600"}, folder->path(), 1s);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error(), "sleep did not end in time");
}

TEST(CleanUp, ASupervisedProgramsOutputComesBack) {
  auto folder = TemporaryFolder::make();
  ASSERT_TRUE(folder) << folder.error();
  EXPECT_EQ(run_supervised({"sh", "-c", "echo out; echo err >&2"}, folder->path(), 10s),
            "out\nerr\n");
}

}  // namespace clean_up_root_test
}  // namespace overlane::kernel

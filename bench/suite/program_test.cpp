#include "bench/suite/program.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::suite {
namespace program_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

const std::atomic<bool> kNever = false;

Parsed<ProgramRun> shell(const std::string& script, std::chrono::milliseconds timeout = 30s,
                         const std::atomic<bool>& stop = kNever) {
  return run_program({.words = {"sh", "-c", script}, .folder = "/", .timeout = timeout}, stop);
}

TEST(Program, PrintsAndEnds) {
  const auto run = shell("pwd; echo oops >&2; read x; exit 3");
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->output, "/\n");
  EXPECT_EQ(run->errors, "oops\n");
  EXPECT_EQ(run->code, 3);
  EXPECT_EQ(run->problem(), "exit code 3: oops");
  EXPECT_GT(run->peak_rss_bytes, 100'000);
}

TEST(Program, PrintsMoreThanAPipeHolds) {
  const auto run = shell("head -c 3000000 /dev/zero");
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->output.size(), 3'000'000u);
}

TEST(Program, ItsEnvironmentIsFixed) {
  setenv("SURPRISE", "1", 1);
  const auto run = shell("env | sort | cut -d= -f1 | tr '\\n' ' '");
  ASSERT_TRUE(run) << run.error();
  EXPECT_THAT(run->output, HasSubstr("LANG "));
  EXPECT_THAT(run->output, ::testing::Not(HasSubstr("SURPRISE")));
}

TEST(Program, ACrashIsNamed) {
  const auto run = shell("kill -SEGV $$");
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->end, ProgramEnd::Signalled);
  EXPECT_THAT(run->problem(), StartsWith("killed by signal 11"));
}

TEST(Program, OneThatHangsIsKilledWithItsChildren) {
  const auto run = shell("sleep 1000 & echo $!; sleep 1000", 200ms);
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->end, ProgramEnd::TimedOut);
  EXPECT_THAT(run->problem(), StartsWith("not over after"));
  const pid_t child = std::stoi(run->output);
  for (int i = 0; i < 100 && kill(child, 0) == 0; ++i)  // Until init has reaped the process.
    std::this_thread::sleep_for(20ms);
  EXPECT_NE(kill(child, 0), 0) << "the child is left";
}

TEST(Program, IsStoppedOnRequest) {
  std::atomic<bool> stop = false;
  std::jthread later([&] {
    std::this_thread::sleep_for(100ms);
    stop = true;
  });
  const auto run = shell("sleep 1000", 30s, stop);
  ASSERT_TRUE(run) << run.error();
  EXPECT_EQ(run->end, ProgramEnd::Stopped);
}

TEST(Program, OneThatIsNotThereIsAnError) {
  const auto run =
      run_program({.words = {"/no/such/program"}, .folder = "", .timeout = 1s}, kNever);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error(), "/no/such/program: No such file or directory");
}

}  // namespace program_test
}  // namespace overlane::suite

#include "bench/suite/suite_runner.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::suite {
namespace session_test {

using model::CaseRun;
using model::CaseStatus;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Two builds whose program `measure` is a shell script that logs each of its runs.
class SessionTest : public ::testing::Test {
 protected:
  SessionTest() {
    std::string name = std::filesystem::temp_directory_path() / "overlane-session-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    suite_.file = folder_ / "s.yaml";
    suite_.rounds = {.min = 3, .max = 6};
    case_ = {.name = "a",
             .owner = "o",
             .command = {"measure"},
             .metrics = {{.value = "time_ns",
                          .unit = "ns",
                          .better = model::Better::Lower,
                          .tolerance = model::Tolerance::Time,
                          .place = {}},
                         {.value = "hash", .place = {}}},
             .timeout = std::chrono::seconds(20),
             .place = {}};
  }
  ~SessionTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string build(const std::string& name, const std::string& script) {
    const auto build_folder = folder_ / name;
    std::filesystem::create_directories(build_folder);
    const auto file = build_folder / "measure";
    std::ofstream(file) << "#!/bin/sh\necho " << name << " >>log\n" << script << '\n';
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return build_folder;
  }
  static std::string prints(const std::string& time) {
    return "echo '{\"time_ns\": " + time + ", \"hash\": \"f68c\"}'";
  }

  std::vector<CaseRun> run(std::vector<std::string> builds) {
    SuiteRunner runner(suite_, std::move(builds),
                       {.rounds = suite_.rounds, .stop = nullptr, .on_round = {}});
    return runner.run(case_).value();
  }
  std::string log() const {
    std::ifstream stream(folder_ / "log");
    std::string text, line;
    while (std::getline(stream, line))
      text += line + ' ';
    return text;
  }

  std::filesystem::path folder_;
  Suite suite_;
  SuiteCase case_;
};

TEST_F(SessionTest, OneBuildRunsTheLeastRounds) {
  const auto results = run({build("new", prints("5.5"))});
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].status, CaseStatus::Complete) << results[0].reason;
  EXPECT_THAT(results[0].rounds, SizeIs(3));
  EXPECT_GT(results[0].rounds[0].compute_ns, 0);
  ASSERT_THAT(results[0].metrics, SizeIs(2));
  EXPECT_THAT(results[0].metrics[0].samples, SizeIs(3));
}

TEST_F(SessionTest, TwoBuildsAlternateAndEachIsFirstInTurns) {
  const auto results = run({build("new", prints("5.5")), build("base", prints("5.0"))});
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(log(), "new base base new new base ") << "clear after the least rounds";
}

TEST_F(SessionTest, SeveralRunsOfARoundAlternateToo) {
  suite_.rounds = {.min = 1, .max = 1, .runs = 2};
  const auto results = run({build("new", prints("5.5")), build("base", prints("5.0"))});
  EXPECT_EQ(log(), "new base base new ");
  EXPECT_THAT(results[0].rounds, SizeIs(1));
  EXPECT_THAT(results[0].metrics[0].samples, SizeIs(2));
}

TEST_F(SessionTest, NoiseNeedsMoreRounds) {
  // Prints 5 in odd runs and 9 in even ones.
  const std::string noisy =
      "[ $(($(wc -l <log) % 2)) = 0 ] && " + prints("5") + " || " + prints("9");
  const auto results = run({build("new", noisy), build("base", prints("7"))});
  EXPECT_THAT(results[0].rounds, SizeIs(6));
}

TEST_F(SessionTest, ACaseWithoutTimesRunsOnce) {
  case_.metrics.erase(case_.metrics.begin());
  run({build("new", prints("5")), build("base", prints("5"))});
  EXPECT_EQ(log(), "new base ");
}

TEST_F(SessionTest, WhatGoesWrongEndsTheCaseWithAReason) {
  struct Row {
    const char* script;
    CaseStatus status;
    const char* reason;
  };
  constexpr Row kRows[] = {
      {"kill -SEGV $$", CaseStatus::Failed, "killed by signal 11"},
      {"echo bad luck >&2; exit 4", CaseStatus::Failed, "exit code 4: bad luck"},
      {"sleep 100", CaseStatus::TimedOut, "not over after"},
      {"echo hello", CaseStatus::Failed, "it printed no JSON"},
      {"echo '[1]'", CaseStatus::Failed, "no JSON object"},
      {"echo '{\"time_ns\": 5}'", CaseStatus::Failed, "no value of the result matches hash"},
  };
  case_.timeout = std::chrono::milliseconds(300);
  for (const Row& row : kRows) {
    const auto results = run({build("new", row.script)});
    EXPECT_EQ(results[0].status, row.status) << row.script;
    EXPECT_THAT(results[0].reason, HasSubstr(row.reason)) << row.script;
  }
}

TEST_F(SessionTest, AProgramThatIsInNoBuildIsMissing) {
  case_.command = {"no-such-program-of-overlane"};
  const auto results = run({build("new", prints("5"))});
  EXPECT_EQ(results[0].status, CaseStatus::Missing);
  EXPECT_THAT(results[0].reason, HasSubstr("No such file"));
}

TEST_F(SessionTest, OtherExitCodesCanBeExpected) {
  case_.exit_codes = {0, 1};
  const auto results = run({build("new", prints("5") + "; exit 1")});
  EXPECT_EQ(results[0].status, CaseStatus::Complete) << results[0].reason;
}

TEST_F(SessionTest, StopsAtOnce) {
  const std::atomic<bool> stop = true;
  SuiteRunner runner(suite_, {build("new", "sleep 100")},
                     {.rounds = suite_.rounds, .stop = &stop, .on_round = {}});
  EXPECT_FALSE(runner.run(case_));
}

}  // namespace session_test
}  // namespace overlane::suite

#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace bench_test {

using testing::HasSubstr;
using testing::Not;

/// A build whose program `measure` is a script, suites with that program, and a store, in one
/// folder.
class BenchVerb : public testing::Test {
 protected:
  BenchVerb() {
    std::string name = std::filesystem::temp_directory_path() / "overlane-bench-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    write("suite.yaml",
          "apiVersion: overlane.dev/v1alpha1\nkind: Suite\nmetadata: {name: s}\n"
          "spec:\n  rounds: {least: 3, most: 3}\n  timeout: 20s\n  cases:\n"
          "  - name: one\n    owner: sim/run\n    command: [measure, one]\n"
          "    metrics:\n    - {value: hash}\n"
          "    - {value: time_ns, unit: ns, better: lower, tolerance: time}\n"
          "  - name: two\n    owner: dataplane/fib\n    command: [measure, two]\n"
          "    metrics: [{value: hash}]\n");
    build("new", prints("5.0", "f68c"));
  }
  ~BenchVerb() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::FILE* file = std::fopen(path(name).c_str(), "w");
    std::fputs(text.c_str(), file);
    std::fclose(file);
    return path(name);
  }
  void build(const std::string& name, const std::string& script) const {
    std::filesystem::create_directories(folder_ / name);
    chmod(write(name + "/measure", "#!/bin/sh\n" + script + "\n").c_str(), 0755);
  }
  static std::string prints(const std::string& time, const std::string& hash) {
    return "echo '{\"time_ns\": " + time + ", \"hash\": \"" + hash + "\"}'";
  }
  Answer overlane(const std::string& verb, const std::string& arguments) const {
    return run_overlane(verb + " --store " + path("store.sqlite") + " " + arguments);
  }
  Answer bench(const std::string& arguments = "") const {
    return overlane("bench", path("suite.yaml") + " --build " + path("new") + " " + arguments);
  }
  std::filesystem::path folder_;
};

TEST_F(BenchVerb, KeepsWhatEachCaseMeasured) {
  const Answer answer = bench();
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("one: 2 metrics of 3 rounds"));
  EXPECT_THAT(answer.out, HasSubstr("two: 1 metric of 1 round"));
  EXPECT_THAT(overlane("store list", "").out, HasSubstr("complete     s\n"));
  const Answer lines = overlane("store export", "latest");
  EXPECT_THAT(lines.out, HasSubstr("\"tolerance\":\"time\",\"samples\":[[0,5.0],[1,5.0],[2,5.0]]"));
}

TEST_F(BenchVerb, AnotherBuildIsTheBaseThatARegressionIsFoundBy) {
  build("new", prints("5.6", "91ab"));
  build("base", prints("5.0", "f68c"));
  const Answer answer = bench("--against " + path("base"));
  EXPECT_EQ(answer.exit_code, 1) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("regression: 1 worse, 2 changed"));
  EXPECT_THAT(answer.out, HasSubstr("one (owner: sim/run)"));
  EXPECT_THAT(answer.out, HasSubstr("+12.0 %; 5 → 5.600 ns; limit 5 %"));
  EXPECT_THAT(answer.out, HasSubstr("f68c → 91ab; must be equal"));
  EXPECT_THAT(overlane("store list", "").out, HasSubstr("s (base)"));
}

TEST_F(BenchVerb, AnAcceptedChangeOfAnotherBaseIsNamed) {
  write("suite.yaml",
        "apiVersion: overlane.dev/v1alpha1\nkind: Suite\nmetadata: {name: s}\nspec:\n"
        "  cases: [{name: one, owner: o, command: [measure, one], metrics: [{value: hash}]}]\n"
        "  accepted: [{case: one, metric: hash, base: 012345a, reason: zones}]\n");
  build("base", prints("5.0", "91ab"));
  const Answer answer = bench("--against " + path("base"));
  EXPECT_EQ(answer.exit_code, 1) << "the base is of no known commit";
  EXPECT_THAT(answer.err, HasSubstr("hash is for the base 012345a, and this one is unknown"));
}

TEST_F(BenchVerb, ACaseThatCrashesDoesNotEndTheOthers) {
  build("new", "[ $1 = one ] && kill -SEGV $$; " + prints("5.0", "f68c"));
  const Answer answer = bench();
  EXPECT_EQ(answer.exit_code, 4);
  EXPECT_THAT(answer.out, HasSubstr("one: failed: killed by signal 11"));
  EXPECT_THAT(answer.out, HasSubstr("two: 1 metric of 1 round"));
}

TEST_F(BenchVerb, AnInterruptedRunIsContinued) {
  // On its first run, the second case interrupts the command that runs it.
  build("new", "if [ $1 = two ] && [ ! -e " + path("again") + " ]; then touch " + path("again") +
                   "; kill -INT $PPID; sleep 20; fi; " + prints("5.0", "f68c"));
  const Answer first = bench();
  EXPECT_EQ(first.exit_code, 130) << first.err;
  EXPECT_THAT(first.err, HasSubstr("--continue runs the other cases"));
  EXPECT_THAT(overlane("store list", "").out, HasSubstr("interrupted"));
  const Answer second = bench("--continue");
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.out, Not(HasSubstr("one: ")));
  EXPECT_THAT(second.out, HasSubstr("two: 1 metric"));
  EXPECT_THAT(overlane("store export", "latest").out, HasSubstr("\"name\":\"one\""));
  EXPECT_EQ(bench("--continue").exit_code, 3) << "nothing is left to be continued";
}

TEST_F(BenchVerb, ListsAndChoosesCases) {
  EXPECT_EQ(bench("--list").out, "one (owner: sim/run)\ntwo (owner: dataplane/fib)\n");
  EXPECT_THAT(bench("--only 't*'").out, Not(HasSubstr("one: ")));
  const Answer none = bench("--only three");
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("no case has such a name"));
}

TEST_F(BenchVerb, TheNoiseOfEqualBuildsIsMeasuredAndLimitsBelowItAreRefused) {
  // Every other run takes a third longer.
  build("new", "echo >>" + path("count") + "; if [ $(($(wc -l <" + path("count") +
                   ") / 2 % 2)) = 0 ]; then " + prints("5.0", "f68c") + "; else " +
                   prints("6.7", "f68c") + "; fi");
  const Answer noise = bench("--aa --rounds 8");
  EXPECT_EQ(noise.exit_code, 0) << noise.err;
  EXPECT_THAT(noise.out, HasSubstr("one: time_ns"));
  EXPECT_THAT(overlane("store noise", "--rounds 3").out, HasSubstr("nights of 3 rounds"));
  // The A/A run itself has the machine class of its noise, even on a busy machine.
  const std::string list = overlane("store list", "").out;
  const std::size_t line = list.rfind('\n', list.size() - 2) + 1;
  const std::string id = list.substr(line, list.find(' ', line) - line);
  const Answer refused = overlane("compare", id + " --limit time=1%");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("below the noise of this machine"));
  EXPECT_EQ(bench("--limit time=5").exit_code, 2) << "not a percentage";
}

TEST_F(BenchVerb, RunsAreComparedExportedAndImported) {
  ASSERT_EQ(bench().exit_code, 0);
  build("new", prints("5.0", "91ab"));
  ASSERT_EQ(bench().exit_code, 0);
  const std::string markdown = path("pull-request.md"), junit = path("junit.xml");
  const Answer compared =
      overlane("compare", "latest~1 latest -o markdown --out " + markdown + " --junit " + junit);
  EXPECT_EQ(compared.exit_code, 1) << compared.err;
  EXPECT_THAT(read_text(markdown), HasSubstr("| changed | one | hash |"));
  EXPECT_THAT(read_text(junit), HasSubstr("<failure type=\"changed\""));
  EXPECT_THAT(read_text(junit), HasSubstr("<skipped message=\"not judged"));
  const auto json = nlohmann::json::parse(overlane("compare", "latest~1 latest -o json").out);
  EXPECT_EQ(json["verdict"], "regression");

  const std::string lines = path("run.jsonl");
  ASSERT_EQ(overlane("store export", "latest --out " + lines).exit_code, 0);
  const std::string other = " --store " + path("other.sqlite");
  EXPECT_EQ(run_overlane("store import " + lines + other).err, "1 run added\n");
  EXPECT_EQ(run_overlane("store import " + lines + other).err, "0 runs added\n");
  EXPECT_EQ(run_overlane("store export latest" + other).out, read_text(lines));
  EXPECT_EQ(overlane("compare", lines + " latest").exit_code, 0);
  const Answer trend = overlane("trend", "");
  EXPECT_EQ(trend.exit_code, 0) << trend.err;
  EXPECT_THAT(trend.out, HasSubstr("changed     hash"));
  for (const auto& [verb, begin] :
       {std::pair{"trend -o csv", "case,owner,metric,better,tolerance,of,verdict,ratio,"},
        std::pair{"store list -o csv", "id,"},
        std::pair{"compare latest~1 latest -o csv", "case,owner,metric,unit,better,"}})
    EXPECT_THAT(overlane(verb, "").out, testing::StartsWith(begin)) << verb;
}

TEST_F(BenchVerb, ABaselineHasWhatEveryMachineMustAgreeOn) {
  ASSERT_EQ(bench().exit_code, 0);
  const std::string baseline = path("baseline.jsonl");
  ASSERT_EQ(overlane("store export", "latest --baseline --out " + baseline).exit_code, 0);
  EXPECT_THAT(read_text(baseline), HasSubstr("\"f68c\""));
  EXPECT_THAT(read_text(baseline), Not(HasSubstr("time_ns")));
  EXPECT_THAT(read_text(baseline), HasSubstr("\"cpu_model\":\"\""));
  EXPECT_EQ(overlane("compare", baseline + " latest").exit_code, 0);
  build("new", prints("5.0", "91ab"));
  ASSERT_EQ(bench().exit_code, 0);
  const Answer changed = overlane("compare", baseline + " latest");
  EXPECT_EQ(changed.exit_code, 1);
  EXPECT_THAT(changed.out, HasSubstr("f68c → 91ab; must be equal"));
}

TEST_F(BenchVerb, RefusesWhatItCannotUse) {
  EXPECT_THAT(overlane("trend", "").err, HasSubstr("cannot be opened"));
  ASSERT_EQ(bench().exit_code, 0);
  EXPECT_THAT(overlane("compare", "latest~7 latest").err, HasSubstr("there are 1 complete runs"));
  EXPECT_THAT(overlane("compare", "abcdef latest").err, HasSubstr("no complete run of commit"));
  EXPECT_THAT(overlane("compare", path("suite.yaml") + " latest").err,
              HasSubstr("line 1: no JSON"));
  EXPECT_THAT(overlane("compare", path("store.sqlite") + " latest").err,
              HasSubstr("a store; name"));
  EXPECT_THAT(overlane("trend", "--suite other").err, HasSubstr("no complete run of suite other"));
  EXPECT_EQ(run_overlane("store list --store postgres://there/it").exit_code, 2);
  write("store.sqlite", "no database, and long enough to be looked at as one: ……………………………………");
  EXPECT_EQ(bench().exit_code, 3);
  EXPECT_THAT(bench().err, HasSubstr("damaged, or not a store"));
}

}  // namespace bench_test
}  // namespace overlane::command

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace sweep_test {

using testing::HasSubstr;
using testing::Not;

class SweepVerb : public testing::Test {
 protected:
  SweepVerb() {
    std::string name = std::filesystem::temp_directory_path() / "overlane-sweep-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    // Seven cells; nodes=3 fails.
    suite_ = write_temporary(
        "sweep-suite.yaml",
        "apiVersion: overlane.dev/v1alpha1\nkind: Suite\nmetadata: {name: s}\nspec:\n  cases:\n"
        "  - name: cell\n    owner: o\n    matrix: {nodes: [1, 2, 3, 4, 5, 6, 7]}\n"
        "    command: [sh, -c, 'test {nodes} != 3 && echo \"{\\\"square\\\": "
        "$(({nodes} * {nodes}))}\"']\n"
        "    metrics: [{value: square}]\n");
  }
  ~SweepVerb() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string store(const std::string& name) const { return folder_ / (name + ".sqlite"); }
  Answer sweep(const std::string& to, const std::string& arguments) const {
    return run_overlane("sweep " + suite_ + " --store " + store(to) + ' ' + arguments);
  }

  std::filesystem::path folder_;
  std::string suite_;
};

TEST_F(SweepVerb, RunsEveryCellOfAMatrix) {
  const Answer answer = sweep("all", "-o csv");
  EXPECT_EQ(answer.exit_code, 4) << "a cell failed";
  EXPECT_THAT(answer.out, HasSubstr("case,nodes,status,metric,value,unit\r\n"));
  EXPECT_THAT(answer.out, HasSubstr("cell/nodes=7,7,complete,square,49,\r\n"));
  EXPECT_THAT(answer.out, HasSubstr("cell/nodes=3,3,failed,,,\r\n"));
}

TEST_F(SweepVerb, AShardIsEveryNthCellAndAllOfThemAreOneRunAgain) {
  const Answer whole = sweep("all", "-o csv");
  EXPECT_THAT(sweep("one", "--shard 1/3").out, HasSubstr("nodes=7"));
  EXPECT_THAT(sweep("two", "--shard 2/3").out, Not(HasSubstr("nodes=7")));
  const Answer early =
      run_overlane("merge " + store("one") + ' ' + store("two") + " --store " + store("merged"));
  EXPECT_EQ(early.exit_code, 0) << early.err;
  EXPECT_THAT(early.err, HasSubstr("2 runs added"));
  EXPECT_THAT(early.err, HasSubstr("these shards are missing: 3/3"));
  sweep("three", "--shard 3/3");
  const Answer late = run_overlane("merge " + store("three") + " --store " + store("merged"));
  EXPECT_THAT(late.err, HasSubstr("s: 3 shards are one run"));
  const Answer merged = run_overlane("store show latest -o csv --store " + store("merged"));
  EXPECT_EQ(merged.out, whole.out);
}

TEST_F(SweepVerb, RefusesShardsThatAreNone) {
  for (const char* shard : {"0/3", "4/3", "1", "1/", "/3", "1/3x", "-1/3"})
    EXPECT_EQ(sweep("x", std::string("--shard ") + shard).exit_code, 2) << shard;
  EXPECT_EQ(run_overlane("merge /no/such.sqlite --store " + store("m")).exit_code, 3);
}

}  // namespace sweep_test
}  // namespace overlane::command

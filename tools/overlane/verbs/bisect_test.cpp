#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace bisect_test {

using testing::HasSubstr;

/// A repository of ten commits, tagged c0 to c9, whose program takes 30 % longer from c6 on and
/// cannot be built in c3.
class BisectVerb : public testing::Test {
 protected:
  BisectVerb() {
    std::string name = std::filesystem::temp_directory_path() / "overlane-bisect-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
    shell(
        "git init --quiet .; git config user.name test; git config user.email test@example.org;"
        "for i in 0 1 2 3 4 5 6 7 8 9; do"
        "  time=5.0; [ $i -lt 6 ] || time=6.5; rm -f good;"
        "  [ $i = 3 ] || touch good;"
        "  printf '#!/bin/sh\\necho '\"'\"'{\"time_ns\": %s, \"i\": 1}'\"'\"'\\n' $time >measure;"
        "  echo $i >number; chmod +x measure; git add --all;"
        "  git commit --quiet --message \"change $i\"; git tag c$i; done");
    suite_ = write_temporary("bisect-suite.yaml",
                             "apiVersion: overlane.dev/v1alpha1\nkind: Suite\nmetadata: {name: s}\n"
                             "spec:\n  rounds: {least: 3, most: 3}\n  cases:\n"
                             "  - name: one\n    owner: o\n    command: [measure]\n    metrics:\n"
                             "    - {value: time_ns, better: lower, tolerance: time}\n"
                             "    - {value: i}\n");
  }
  ~BisectVerb() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void shell(const std::string& commands) const {
    ASSERT_EQ(
        std::system(fmt::format("cd {} && ({}) >/dev/null", folder_.string(), commands).c_str()),
        0);
  }
  Answer bisect(const std::string& arguments) const {
    return run_overlane(
        fmt::format("bisect {} --suite {} --case one --repository {} --build-command 'test -e "
                    "good' --programs .",
                    arguments, suite_, folder_.string()));
  }

  std::filesystem::path folder_;
  std::string suite_;
};

TEST_F(BisectVerb, FindsTheCommitThatChangedAMetric) {
  const Answer answer = bisect("c0 c9");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("time_ns of case one: +30.0 % since\n"));
  EXPECT_THAT(answer.out, HasSubstr("change 6\n"));
  EXPECT_THAT(answer.err, HasSubstr("change 9: +30.0 %"));
}

TEST_F(BisectVerb, NamesTheSuspectsAndWritesJson) {
  // Move the change to c3, which cannot be built.
  shell(
      "git checkout --quiet c2; git checkout --quiet -b other;"
      "rm good; sed -i s/5.0/6.5/ measure; git commit --quiet --all --message broken; git tag b0;"
      "touch good; git add good; git commit --quiet --message repaired; git tag b1");
  const auto json = nlohmann::json::parse(bisect("c2 b1 -o json --quiet").out);
  EXPECT_EQ(json["kind"], "Bisection");
  EXPECT_EQ(json["subject"], "repaired");
  EXPECT_EQ(json["suspects"].size(), 1u);
}

TEST_F(BisectVerb, RefusesWhatItCannotSearch) {
  EXPECT_THAT(bisect("c0 nothing").err, HasSubstr("nothing is no commit of"));
  EXPECT_THAT(bisect("c9 c0").err, HasSubstr("no commit is after"));
  const Answer same = bisect("c0 c5");
  EXPECT_EQ(same.exit_code, 3);
  EXPECT_THAT(same.err, HasSubstr("do not differ"));
  EXPECT_THAT(bisect("c3 c9").err, HasSubstr("exit code 1")) << "the good one must be built";
}

}  // namespace bisect_test
}  // namespace overlane::command

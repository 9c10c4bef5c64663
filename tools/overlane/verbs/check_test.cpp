#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/report/text.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace check_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kShoot = "topologies/library/manifests/shoot-aws.yaml";

constexpr const char* kBadShoot =
    "apiVersion: core.gardener.cloud/v1beta1\n"
    "kind: Shoot\n"
    "metadata: {name: one, namespace: garden-dev}\n"
    "spec:\n"
    "  provider: {type: aws, workers: [{name: w, minimum: 1, maximum: 2}]}\n"
    "  networking: {type: calico, nodes: 10.250.0.0/16, pods: 240.0.0.0/16, pdos: x}\n";

TEST(Check, PrintsTheCountsAndThenFindingsAsLines) {
  const std::string file = write_temporary("check.yaml", kBadShoot);
  const Answer answer = run_overlane("check " + file);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(unwrapped(answer.out),
              HasSubstr(file + ":6:58: error: garden-dev/one: pods 240.0.0.0/16 overlaps"));
  EXPECT_THAT(answer.out, StartsWith("result: 1 shoot, 1 error, 1 warning\n"));
  EXPECT_THAT(answer.err, IsEmpty());
}

TEST(Check, ValidManifestHasOnlyNotes) {
  const Answer answer = run_overlane(std::string("check --fail-on warning ") + kShoot);
  EXPECT_EQ(answer.exit_code, 0) << answer.out;
  EXPECT_THAT(answer.out, StartsWith("result: 1 shoot, 0 errors, 0 warnings"));
}

TEST(Check, SelectionAndSeverityDetermineTheExitCode) {
  const std::string check = "check " + write_temporary("check.yaml", kBadShoot);
  struct Row {
    const char* options;
    int exit_code;
    const char* said;  ///< Empty: nothing is printed.
  };
  for (const Row& row : {
           Row{" --ignore reserved-range", 0, "1 shoot, 0 errors, 1 warning, 2 notes\n"},
           Row{" --ignore reserved-range --fail-on warning", 1,
               "1 shoot, 0 errors, 1 warning, 2 notes\n"},
           Row{" --rule unknown-field", 0, "1 shoot, 0 errors, 1 warning\n"},
           Row{" --ignore reserved-range,unknown-field", 0,
               "1 shoot, 0 errors, 0 warnings, 2 notes\n"},
           Row{" --rule unknown-field --rule mtu-too-large", 0, "1 shoot, 0 errors, 1 warning\n"},
           Row{" --quiet", 1, "choose another range\n"},
           Row{" --ignore reserved-range --quiet", 0, ""},
           Row{" --ignore reserved-range --quiet --fail-on warning", 1, "did you mean pods?\n"},
       }) {
    const Answer answer = run_overlane(check + row.options);
    EXPECT_EQ(answer.exit_code, row.exit_code) << row.options;
    EXPECT_THAT(answer.out, HasSubstr(row.said)) << row.options;
    EXPECT_EQ(answer.out.empty(), std::string_view(row.said).empty()) << row.options;
  }
}

TEST(Check, NamesBothLinesOfOverlappingRanges) {
  std::string yaml = kBadShoot;
  yaml.replace(yaml.find("{type: calico"), std::string::npos,
               "\n    type: calico\n    nodes: 10.250.0.0/16\n    pods: 10.250.0.0/17\n");
  const std::string file = write_temporary("lines.yaml", yaml);
  EXPECT_THAT(unwrapped(run_overlane("check " + file).out),
              HasSubstr(file + ":9:11: error: garden-dev/one: pods 10.250.0.0/17 overlaps nodes "
                               "10.250.0.0/16 in line 8 [ranges-overlap]"));
}

TEST(Check, SuggestsTheClosestProviderAndNetworkType) {
  std::string yaml = kBadShoot;
  yaml.replace(yaml.find("type: aws"), 9, "type: awss");
  yaml.replace(yaml.find("type: calico"), 12, "type: calicoo");
  yaml.replace(yaml.find("240.0.0.0/16"), 12, "100.96.0.0/11");
  const std::string text = unwrapped(
      run_overlane("check --fail-on warning --quiet " + write_temporary("typo.yaml", yaml)).out);
  for (const char* end :
       {"[provider-misspelt]; did you mean aws?", "[unsupported-cni]; did you mean calico?"})
    EXPECT_THAT(text, HasSubstr(end));
}

TEST(Check, PartlyCheckedShootIsNotClean) {
  std::string yaml = kBadShoot;
  yaml.replace(yaml.find("240.0.0.0/16"), 12, "10.0.0.5/16");
  const Answer answer =
      run_overlane("check --ignore invalid-cidr " + write_temporary("part.yaml", yaml));
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.out, HasSubstr("0 errors, 1 warning, 1 object judged only in part\n"));
}

TEST(Check, UnknownRuleIsAUsageError) {
  for (const char* option : {"--rule", "--ignore", "--explain-rule"}) {
    const Answer answer =
        run_overlane(std::string("check ") + option + " reserved-rnage " + kShoot);
    EXPECT_EQ(answer.exit_code, 2) << option;
    EXPECT_THAT(answer.err, HasSubstr("did you mean reserved-range?")) << option;
  }
  EXPECT_EQ(run_overlane("check").exit_code, 2);
}

TEST(Check, InputWithoutAShootIsNotUsable) {
  const Answer missing = run_overlane("check nonexistent.yaml");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.out, HasSubstr("nonexistent.yaml: error: "));
  const std::string other = write_temporary("other.yaml", "kind: Secret\n");
  EXPECT_EQ(run_overlane("check " + other).exit_code, 3);
}

TEST(Check, WritesJsonSarifAndJunit) {
  const std::string file = write_temporary("check.yaml", kBadShoot);
  const std::string sarif = write_temporary("sarif.json", "");
  const std::string junit = write_temporary("junit.xml", "");
  const Answer answer = run_overlane("check -o json " + file + " --sarif " + sarif + " --junit " +
                                     junit + " --rules-url https://example.org/rules");
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(answer.out)["kind"], "CheckReport");
  const auto log = nlohmann::json::parse(read_text(sarif));
  EXPECT_EQ(log["runs"][0]["results"].size(), 2u);
  EXPECT_THAT(log["runs"][0]["tool"]["driver"]["rules"][0]["helpUri"].get<std::string>(),
              HasSubstr("https://example.org/rules#"));
  EXPECT_THAT(read_text(junit), HasSubstr("<testcase classname=\"garden-dev/one\""));
  EXPECT_EQ(run_overlane("check --sarif /nonexistent/x " + file).exit_code, 4);
}

TEST(Check, WritesSarifAndJunitToStandardOutput) {
  const std::string file = write_temporary("check.yaml", kBadShoot);
  const Answer sarif = run_overlane("check --sarif - " + file);
  EXPECT_EQ(nlohmann::json::parse(sarif.out)["version"], "2.1.0");
  EXPECT_THAT(sarif.err, StartsWith("result: 1 shoot, 1 error, 1 warning\n"));
  const Answer junit = run_overlane("check --quiet --junit - " + file);
  EXPECT_THAT(junit.out, StartsWith("<?xml"));
  EXPECT_EQ(run_overlane("check --sarif - - < " + file).exit_code, 1);
  for (const char* both : {"--sarif - --junit - ", "--sarif - -o json "})
    EXPECT_EQ(run_overlane(std::string("check ") + both + file).exit_code, 2) << both;
  EXPECT_EQ(run_overlane("check --sarif - -o json --out /dev/null " + file).exit_code, 1);
}

TEST(Check, FindingsFit80ColumnsAfterTheirLocation) {
  const std::string file = write_temporary("check.yaml", kBadShoot);
  const std::string text = run_overlane("check " + file).out;
  std::istringstream lines(text);
  int findings = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(file + ":6:")) ++findings;
    EXPECT_LE(report::display_width(line), 80u) << line;
  }
  EXPECT_EQ(findings, 2) << text;
}

TEST(Check, ChecksTheUpdateFromOldToNewManifests) {
  const char* ipip = "topologies/library/manifests/shoot-aws-ipip.yaml";
  const std::string update = std::string("check --update ") + ipip + ' ';
  const Answer same = run_overlane(update + ipip);
  EXPECT_EQ(same.exit_code, 0) << same.out;
  EXPECT_THAT(same.out, HasSubstr("1 shoot, 1 of them updated, 0 errors"));
  EXPECT_EQ(run_overlane(update + "topologies/library/manifests/shoot-gcp.yaml").exit_code, 3);
  EXPECT_EQ(run_overlane(update).exit_code, 2);
  EXPECT_EQ(run_overlane(update + ipip + ' ' + ipip).exit_code, 2);
}

TEST(Check, ComparesTheShootWithItsCluster) {
  const std::string shoot = write_temporary(
      "shoot.yaml",
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {name: one, namespace: garden-dev}\n"
      "spec: {provider: {type: local}, networking: {type: calico, pods: 100.96.0.0/11}}\n");
  const std::string node = write_temporary(
      "node.yaml",
      "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nspec: {podCIDR: 10.0.0.0/24}\n");
  const std::string pod = write_temporary("pod.yaml", "apiVersion: v1\nkind: Pod\n");
  const std::string rule = " --rule live-pod-range-outside";
  const Answer outside = run_overlane("check --live " + node + ',' + pod + ' ' + shoot + rule);
  EXPECT_EQ(outside.exit_code, 1) << outside.err;
  EXPECT_THAT(outside.out, HasSubstr("which is outside the pod range 100.96.0.0/11"));
  EXPECT_THAT(outside.out,
              StartsWith("result: 1 shoot, compared with 1 object, 1 error, 0 warnings\n"));
  EXPECT_EQ(run_overlane("check --live " + pod + ' ' + shoot).exit_code, 3);
  const Answer several = run_overlane("check --live " + node + " topologies/library/manifests");
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err, HasSubstr("choose one with --shoot"));
  EXPECT_EQ(run_overlane("check --shoot a/b " + shoot).exit_code, 2);
}

TEST(Check, ExplainsRulesWithoutInput) {
  EXPECT_THAT(run_overlane("check --list-rules").out, HasSubstr("reserved-range"));
  EXPECT_THAT(run_overlane("check --explain-rule reserved-range").out,
              HasSubstr("noticed by:  admission refuses the object\n"));
}

}  // namespace check_test
}  // namespace overlane::command

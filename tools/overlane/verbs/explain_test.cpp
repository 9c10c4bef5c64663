#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace explain_test {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kShoot = "topologies/library/manifests/shoot-aws.yaml";

nlohmann::json explain_json(const std::string& arguments) {
  return nlohmann::json::parse(run_overlane("explain -o json " + arguments).out);
}

TEST(Explain, PrintsTheDataplaneOfAManifestWithLocations) {
  const Answer answer = run_overlane(std::string("explain ") + kShoot);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("garden-dev/routed-aws"));
  EXPECT_THAT(answer.out, HasSubstr("shoot-aws.yaml:47:11"));
}

TEST(Explain, WritesTheExplanationDocument) {
  const auto json = explain_json(kShoot);
  EXPECT_EQ(json["kind"], "Explanation");
  EXPECT_EQ(json["networks"][0]["dataplane"]["mode"], "routed");
}

TEST(Explain, StageDeterminesTheMeaningOfAnAbsentOverlayKey) {
  const std::string create =
      explain_json(std::string(kShoot) + " --stage create")["networks"][0]["stage"];
  const std::string live =
      explain_json(std::string(kShoot) + " --stage live")["networks"][0]["stage"];
  EXPECT_EQ(create, "create");
  EXPECT_EQ(live, "live");
}

TEST(Explain, ReadsStandardInputAndFolders) {
  EXPECT_EQ(run_overlane(std::string("explain - <") + kShoot).exit_code, 0);
  EXPECT_GT(explain_json("topologies/library/manifests")["networks"].size(), 5u);
}

TEST(Explain, StandardInputIsReadOnceAndAnEmptyPathIsAnError) {
  const Answer twice = run_overlane(std::string("explain - - <") + kShoot);
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_THAT(twice.err, HasSubstr("<stdin>: error: standard input is given twice"));
  const Answer empty = run_overlane("explain ''");
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_THAT(empty.err, HasSubstr("\"\": error: an empty path names no file or folder"));
}

struct BadInput {
  const char* what;
  const char* text;
  const char* place;  ///< The location after the file's name.
};

constexpr BadInput kBadInputs[] = {
    {"a binary file", "\x7f\x45\x4c\x46\x02\x01", ""},
    {"a Helm template", "kind: Shoot\nmetadata:\n  name: {{ .Values.name }}\n", ":3:"},
    {"an elision", "kind: Shoot\n...\nspec: {}\n", ":2:"},
    {"no YAML", "kind: Shoot\nspec: [1, 2\n", ":2:"},
    {"an empty file", "", ""},
};

TEST(Explain, UnusableSingleInputExitsWith3AndNamesTheFile) {
  for (const BadInput& bad : kBadInputs) {
    const std::string file = write_temporary("bad.yaml", bad.text);
    const Answer answer = run_overlane("explain " + file);
    EXPECT_EQ(answer.exit_code, 3) << bad.what;
    EXPECT_THAT(answer.err, HasSubstr(file + bad.place)) << bad.what;
    EXPECT_THAT(answer.err, HasSubstr("error: ")) << bad.what;
  }
  const Answer missing = run_overlane("explain nonexistent.yaml");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("nonexistent.yaml: error: "));
}

TEST(Explain, OneBadDocumentAmongGoodOnesIsAFinding) {
  const Answer answer = run_overlane(std::string("explain nonexistent.yaml ") + kShoot);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.out, HasSubstr("garden-dev/routed-aws"));
  EXPECT_THAT(answer.err, HasSubstr("nonexistent.yaml: error: "));
}

TEST(Explain, FailOnAndQuietSelectBySeverity) {
  const char* old_name = "topologies/library/manifests/network-old-name.yaml ";
  const std::string explain = std::string("explain ") + old_name;
  EXPECT_EQ(run_overlane(explain).exit_code, 0);
  EXPECT_EQ(run_overlane(explain + "--fail-on warning").exit_code, 1);
  EXPECT_THAT(run_overlane(explain).err, HasSubstr(": warning:"));
  EXPECT_THAT(run_overlane(explain + "--quiet").err, IsEmpty());
}

constexpr const char* kIpip = "topologies/library/manifests/shoot-aws-ipip.yaml ";
constexpr const char* kCilium = "topologies/library/manifests/shoot-aws-cilium.yaml ";

TEST(ExplainNodeState, PrintsTheStateOfANode) {
  struct Row {
    const char* arguments;
    const char* line;
  };
  for (const Row& row :
       {Row{kIpip, "# node-1\n"}, Row{kIpip, " dev tunl0 proto bird onlink\n"},
        Row{kIpip, "\n*nat\n"}, Row{kIpip, "\nnet.ipv4.ip_forward = 1\n"},
        Row{"--calico-version 3.33 ", " dev tunl0 proto 80 mtu 8981 onlink\n"},
        Row{"--node node-2 ", "# node-2\n"}, Row{"--fabric-state ", "\n# the VPC\nvpc "},
        Row{kCilium, "cilium_geneve: geneve id 256 dstport 6081 external mtu 9001"},
        Row{kCilium, "pod routes mtu 8951\n"}}) {
    const std::string path = std::string(row.arguments).starts_with("--") ? kIpip : "";
    const Answer answer = run_overlane("explain --node-state " + std::string(row.arguments) + path);
    EXPECT_EQ(answer.exit_code, 0) << row.arguments << answer.err;
    EXPECT_THAT(answer.out, HasSubstr(row.line)) << row.arguments;
  }
}

TEST(ExplainNodeState, IsImpliedByOptionsOfTheState) {
  const Answer fabric = run_overlane(std::string("explain --fabric-state --node node-2 ") + kIpip);
  EXPECT_EQ(fabric.exit_code, 0) << fabric.err;
  EXPECT_THAT(fabric.out, testing::StartsWith("# node-2\n"));
  EXPECT_THAT(fabric.out, HasSubstr("\n# the VPC\nvpc "));
  EXPECT_EQ(run_overlane(std::string("explain --patch '{overlay: {enabled: true}}' ") + kIpip).out,
            "# node-1\n");
}

TEST(ExplainNodeState, ShowsTheDifferencesOfAPatch) {
  const std::string explain = std::string("explain --node-state ") + kIpip;
  const Answer off = run_overlane(explain + "--fabric-state --patch '{overlay: {enabled: false}}'");
  EXPECT_EQ(off.exit_code, 0) << off.err;
  EXPECT_THAT(off.out, HasSubstr("- tunl0: ipip mtu 8981"));
  EXPECT_THAT(off.out, HasSubstr("+ table "));
  EXPECT_THAT(off.out, testing::Not(HasSubstr("\ndefault via")));
  EXPECT_EQ(run_overlane(explain + "--patch '{overlay: {enabled: true}}'").out, "# node-1\n");
}

constexpr const char* kCompareTo = " --compare-to topologies/library/manifests/shoot-aws-ipip.yaml";

TEST(Explain, CompareToShowsTheDifferencesToAnotherManifest) {
  const Answer text = run_overlane(std::string("explain ") + kShoot + kCompareTo);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("  dataplane.encapsulation\n    - none\n    + ipip\n"));
  const auto json = explain_json(std::string(kShoot) + kCompareTo);
  EXPECT_EQ(json["kind"], "ExplanationDifference");
  const Answer same = run_overlane(std::string("explain ") + kIpip + kCompareTo);
  EXPECT_EQ(same.out, "nothing differs\n");
}

TEST(ExplainNodeState, CompareToShowsTheDifferencesOnANode) {
  const Answer answer = run_overlane(std::string("explain --node-state ") + kShoot + kCompareTo);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("+ tunl0: ipip mtu 8981"));
}

TEST(Explain, OldOptionNamesAreHiddenAndWarn) {
  const std::string state = std::string("explain --node-state ") + kIpip;
  const std::string patch = " '{overlay: {enabled: false}}'";
  const Answer old_patch = run_overlane(state + " --diff" + patch);
  EXPECT_EQ(old_patch.out, run_overlane(state + " --patch" + patch).out);
  EXPECT_THAT(old_patch.err, HasSubstr("overlane: warning: --diff is now called --patch"));
  const std::string other = " topologies/library/manifests/shoot-aws-ipip.yaml";
  const std::string routed = std::string("explain ") + kShoot;
  const Answer old_other = run_overlane(routed + " --against" + other);
  EXPECT_EQ(old_other.out, run_overlane(routed + " --compare-to" + other).out);
  EXPECT_THAT(old_other.err, HasSubstr("warning: --against is now called --compare-to"));
  EXPECT_EQ(run_overlane(state + " --diff" + patch + " --patch" + patch).exit_code, 2);
  EXPECT_EQ(run_overlane(state + " --diff" + patch + " --against" + other).exit_code, 2);
  const std::string help = run_overlane("explain --help").out;
  EXPECT_THAT(help, testing::Not(HasSubstr("--diff")));
  EXPECT_THAT(help, testing::Not(HasSubstr("--against")));
}

TEST(ExplainNodeState, ShowsTheDifferencesOfDualStack) {
  const std::string dual = "topologies/library/manifests/shoot-aws-dual-stack.yaml";
  const Answer answer = run_overlane(std::string("explain --node-state --fabric-state ") + kShoot +
                                     " --compare-to " + dual);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  for (const char* line :
       {"+ default via 2001:db8:12:3400::1 dev eth0 proto boot\n",
        "+ table routes-eu-central-1a: ::/0 -> internet (infrastructure)\n",
        "+ instance node-1 10.250.0.4 2001:db8:12:3400::4 prefix 2001:db8:12:3400:4::/80 "})
    EXPECT_THAT(answer.out, HasSubstr(line));
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("- default via 10.250")));
}

TEST(ExplainNodeState, PrintsItsAssumptions) {
  const char* six = "topologies/library/manifests/shoot-aws-ipv6.yaml";
  const Answer answer = run_overlane(std::string("explain --node-state ") + six);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("\n# assumed: status.networking.pods 2001:db8::/56: "));
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("10.250")));
}

TEST(ExplainNodeState, RejectsUnsupportedRequests) {
  struct Row {
    std::string arguments;
    int exit_code;
    const char* message;
  };
  for (const Row& row : {
           Row{std::string("--node-state --node node-9 ") + kIpip, 2, "there is no node node-9"},
           Row{std::string("--node node-1 ") + kIpip, 2, "--node-state"},
           Row{std::string("--nodes 3 ") + kIpip, 2, "--node-state"},
           Row{std::string("--shoot a/b ") + kIpip, 2, "--node-state"},
           Row{std::string("--node-state --patch '{overlai: {}}' ") + kIpip, 3, "overlai"},
           Row{std::string("--node-state --patch '[' ") + kIpip, 2, "--patch takes one YAML"},
           Row{std::string("--node-state --calico-version latest ") + kIpip, 2, "not like 3.31"},
           Row{"--node-state topologies/library/manifests", 2, "choose one with --shoot"},
       }) {
    const Answer answer = run_overlane("explain " + row.arguments);
    EXPECT_EQ(answer.exit_code, row.exit_code) << row.arguments;
    EXPECT_THAT(answer.err, HasSubstr(row.message)) << row.arguments;
  }
}

}  // namespace explain_test

}  // namespace overlane::command

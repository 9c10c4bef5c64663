#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/report/text.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {

namespace overlap_diagnostics_test {

using testing::HasSubstr;
using testing::IsEmpty;

/// A running shoot on gcp with `field` renamed.
std::string shoot(const std::string& name, const std::string& field = "",
                  const std::string& as = "") {
  std::string text = fmt::format(
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {{namespace: garden-dev, name: {0}, uid: u-{0}}}\n"
      "spec: {{credentialsBindingName: main, networking: {{type: calico, pods: 10.0.0.0/16, "
      "services: 100.64.0.0/13, nodes: 10.250.0.0/24, providerConfig: {{overlay: {{enabled: true"
      "}}}}}}, provider: {{type: gcp, infrastructureConfig: {{networks: {{vpc: {{name: shared}}, "
      "workers: 10.250.0.0/24}}}}, workers: [{{name: w, minimum: 3, maximum: 3}}]}}}}\n",
      name);
  return field.empty() ? text : text.replace(text.find(field), field.size(), as);
}

/// Runs the verb on a text and returns its output on standard error.
std::string said(const std::string& text, const std::string& arguments = "") {
  return run_overlane("overlap --quiet " + write_temporary("landscape.yaml", text) + ' ' +
                      arguments)
      .err;
}

TEST(OverlapDiagnostics, NameAMisspelledFieldThatMayHideAnOverlap) {
  EXPECT_THAT(unwrapped(said(shoot("a", "pods:", "pod:"))),
              HasSubstr("warning: garden-dev/a: spec.networking.pod is not a known field"));
  EXPECT_THAT(unwrapped(said(shoot("a", "vpc:", "vcp:"))), HasSubstr("did you mean vpc?"));
  EXPECT_THAT(unwrapped(said(shoot("a", "networks:", "network:"))),
              HasSubstr("infrastructureConfig.network is not a known field"));
  EXPECT_THAT(unwrapped(said(shoot("a", "credentialsBindingName:", "credentialBindingsName:"))),
              HasSubstr("did you mean credentialsBindingName?"));
}

TEST(OverlapDiagnostics, NameShootsThatWereNotCompared) {
  EXPECT_THAT(said(shoot("a", "gcp", "vsphere")), HasSubstr("[network-not-modelled]"));
}

TEST(OverlapDiagnostics, OmitOtherWarnings) {
  EXPECT_THAT(said(shoot("a") + "---\napiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\n"
                                "metadata: {name: d}\nspec: {networks: [{shoot: garden-dev/b}]}\n"),
              IsEmpty());
}

TEST(OverlapDiagnostics, CountHiddenFindings) {
  std::string many;
  for (int i = 0; i < 12; ++i)
    many += shoot(fmt::format("s{}", i), "vpc:", "vcp:");
  const std::string text = said(many);
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("    ")) ++count;  // Indented lines continue a finding.
  EXPECT_EQ(count, 11) << text;
  EXPECT_THAT(text, HasSubstr("… and 2 more findings like these that may hide overlaps"));
}

TEST(OverlapDiagnostics, ExplainWhyNoRangesAreProposed) {
  EXPECT_THAT(said(shoot("a"), "--propose 3/8"), HasSubstr("0 of 3 ranges are free"));
}

}  // namespace overlap_diagnostics_test

namespace overlap_files_test {

using ::testing::HasSubstr;

/// Two shoots of one network with the same pod range.
std::string two_shoots() {
  std::string yaml;
  for (const char* name : {"one", "two"})
    yaml += std::string("apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n") +
            "metadata: {name: " + name + R"(, namespace: garden-dev}
spec:
  cloudProfile: {name: openstack}
  region: r
  provider:
    type: openstack
    infrastructureConfig:
      apiVersion: openstack.provider.extensions.gardener.cloud/v1alpha1
      kind: InfrastructureConfig
      floatingPoolName: f
      networks: {router: {id: r-1}, workers: 10.250.0.0/16}
    workers: [{name: a, machine: {type: m}, minimum: 1, maximum: 2, zones: [z]}]
  networking:
    {type: calico, pods: 100.96.0.0/11, services: 100.64.0.0/13, nodes: 10.250.0.0/16}
---
)";
  return write_temporary("two.yaml", yaml);
}

TEST(OverlapFiles, SarifOnStandardOutputMovesTheTextToStandardError) {
  const Answer answer = run_overlane("overlap " + two_shoots() + " --sarif -");
  EXPECT_EQ(nlohmann::json::parse(answer.out)["version"], "2.1.0");
  EXPECT_THAT(answer.err, HasSubstr("openstack/r-1"));
  EXPECT_EQ(run_overlane("overlap " + two_shoots() + " --sarif - -o csv").exit_code, 2);
}

TEST(OverlapFiles, WritesSvgSarifAndJunit) {
  const std::string svg = write_temporary("map.svg", "");
  const std::string sarif = write_temporary("overlap.sarif", "");
  const std::string junit = write_temporary("overlap.xml", "");
  const Answer answer = run_overlane("overlap " + two_shoots() + " --svg " + svg + " --sarif " +
                                     sarif + " --junit " + junit);
  EXPECT_EQ(answer.exit_code, 1) << answer.err;
  EXPECT_THAT(read_text(svg), HasSubstr("Addresses of openstack/r-1"));
  const auto run = nlohmann::json::parse(read_text(sarif))["runs"][0];
  ASSERT_GE(run["results"].size(), 1u);
  for (const auto& result : run["results"])
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
              result["ruleId"]);
  EXPECT_THAT(read_text(junit), HasSubstr("<testsuite name=\"overlane overlap\""));
  EXPECT_THAT(read_text(junit), HasSubstr("<testcase classname=\"garden-dev/two\""));
  EXPECT_EQ(run_overlane("overlap " + two_shoots() + " --svg /nonexistent/x").exit_code, 4);
}

TEST(OverlapBaseline, ReportsOnlyNewOverlaps) {
  const std::string old = write_temporary("old.json", "");
  EXPECT_EQ(run_overlane("overlap -o json --out " + old + ' ' + two_shoots()).exit_code, 1);
  const Answer same = run_overlane("overlap --baseline " + old + ' ' + two_shoots());
  EXPECT_EQ(same.exit_code, 0) << same.out;
  EXPECT_THAT(unwrapped(same.out),
              HasSubstr("0 errors, 0 warnings; 1 overlap of the baseline is not shown"));
  const auto json = nlohmann::json::parse(
      run_overlane("overlap -o json --baseline " + old + ' ' + two_shoots()).out);
  EXPECT_EQ(json["summary"]["known"], 1);
  const Answer odd = run_overlane("overlap --baseline " + two_shoots() + ' ' + two_shoots());
  EXPECT_EQ(odd.exit_code, 3);
  EXPECT_EQ(run_overlane("overlap --baseline nonexistent.json " + two_shoots()).exit_code, 3);
}

}  // namespace overlap_files_test

namespace overlap_test {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A running shoot in the GCP network "shared".
std::string shoot(const std::string& name, const std::string& pods, const std::string& overlay,
                  int subnet) {
  const std::string nodes = "10.250." + std::to_string(subnet) + ".0/24";
  return "---\napiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
         "metadata: {namespace: garden-dev, name: " +
         name + ", uid: u-" + name +
         "}\n"
         "spec: {credentialsBindingName: main, networking: {type: calico, pods: " +
         pods + ", services: 100.64.0.0/13, nodes: " + nodes +
         ", providerConfig: {overlay: {enabled: " + overlay +
         "}}}, provider: {type: gcp, infrastructureConfig: {networks: {vpc: {name: shared}, "
         "workers: " +
         nodes + "}}, workers: [{name: w, minimum: 3, maximum: 3}]}}\n";
}

const std::string kOne = shoot("one", "100.96.0.0/11", "false", 1);
const std::string kTwo = shoot("two", "100.96.0.0/11", "false", 2);
const std::string kHidden = shoot("hidden", "100.96.0.0/11", "true", 3);
const std::string kApart = shoot("apart", "10.0.0.0/16", "false", 4);

Answer overlap(const std::string& text, const std::string& arguments = "") {
  return run_overlane("overlap " + write_temporary("landscape.yaml", text) + " " + arguments);
}

json overlap_json(const std::string& text, const std::string& arguments = "") {
  const Answer answer = overlap(text, "-o json " + arguments);
  return json::parse(answer.out);
}

TEST(Overlap, ExitsWith1OnAnErrorAndNamesTheAction) {
  const Answer answer = overlap(kOne + kTwo);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(unwrapped(answer.out),
              AllOf(HasSubstr("errors now gcp/shared: 1 overlap involving 2 shoots (6 nodes)"),
                    HasSubstr("garden-dev/one"), HasSubstr("action"),
                    HasSubstr("reaches garden-dev/two node-2/pod-0"),
                    HasSubstr("2 shoots in 1 network: 1 error, 0 warnings")));
}

/// A hibernated shoot creates its minimum number of nodes when it wakes up.
TEST(Overlap, ConflictsOfAHibernatedShootAreLater) {
  const Answer answer = overlap(kOne + "status: {hibernated: true}\n" + kTwo);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(
      unwrapped(answer.out),
      AllOf(HasSubstr("errors later gcp/shared: 1 overlap involving 2 shoots (3 nodes), when a "
                      "shoot wakes up "),
            HasSubstr("is hibernated: no nodes until it wakes up, then at "
                      "least 3 "),
            HasSubstr("garden-dev/one has woken up")));
}

/// 46 shoots have 1,035 pairs, of which the report lists 1,000.
TEST(Overlap, CountsUnlistedPairs) {
  std::string many;
  for (int i = 0; i < 46; ++i)
    many += shoot("s" + std::to_string(i), "100.96.0.0/16", "false", i);
  EXPECT_THAT(unwrapped(overlap(many).out),
              AllOf(HasSubstr("errors now gcp/shared: 1,035 overlaps involving 46 shoots "),
                    HasSubstr(": 1,035 pairs of 46 shoots"), HasSubstr("… and 1,030 more pairs ")));
}

TEST(Overlap, NamesTheShootsOfPairsThatAreOmitted) {
  std::string some;
  for (int i = 0; i < 5; ++i)
    some += shoot("s" + std::to_string(i), "100.96.0.0/16", "false", i);
  EXPECT_THAT(unwrapped(overlap(some).out),
              HasSubstr(" … and 5 more pairs; all shoots: garden-dev/s0, garden-dev/s1, "
                        "garden-dev/s2, garden-dev/s3, "));
}

TEST(Overlap, EscapesNamesFromDocuments) {
  const std::string declared = write_temporary(
      "odd.yaml",
      "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: d}\n"
      "spec: {reserved: [{cidr: 100.96.0.0/12, purpose: \"a\\nb\\e[31m\"}]}\n");
  EXPECT_THAT(overlap(kOne, "--domains " + declared).out, HasSubstr("a\\nb\\x1b[31m    reserved"));
}

TEST(Overlap, LinesFitATerminalExceptForLocations) {
  std::istringstream lines(run_overlane("overlap --notes --plan topologies/library/landscape").out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(report::display_width(line), 100u) << line;
}

TEST(Overlap, ExitsWith0WithoutErrors) {
  const Answer answer = overlap(kOne + kApart);
  EXPECT_EQ(answer.exit_code, 0) << answer.out;
  EXPECT_THAT(answer.out, HasSubstr("0 errors, 0 warnings, 1 harmless overlap"));
}

TEST(Overlap, VpcBehindAConnectionHasNoWitness) {
  const std::string vpc =
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {namespace: garden-dev, name: a, uid: u}\n"
      "spec: {networking: {type: calico, pods: 100.96.0.0/11, services: 100.64.0.0/13, nodes: "
      "10.0.0.0/20}, provider: {type: aws, infrastructureConfig: {networks: {vpc: {cidr: "
      "10.0.0.0/16}, zones: [{name: z, workers: 10.0.0.0/20}]}}}}\n";
  const std::string vpn =
      "---\napiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: d}\n"
      "spec: {connections: [{name: x, kind: vpn, networks: [{shoot: garden-dev/a}], "
      "ranges: [{cidr: 10.0.0.0/15}]}]}\n";
  const json report = overlap_json(vpc + vpn);
  ASSERT_EQ(report["overlaps"].size(), 1u);
  EXPECT_EQ(report["overlaps"][0]["kind"], "vpc-declared");
  EXPECT_EQ(report["overlaps"][0]["witness"], nullptr);
}

TEST(Overlap, FilesOfOneLandscapeAreCombined) {
  const std::string nodes =
      write_temporary("nodes.yaml",
                      "apiVersion: v1\nkind: Node\nmetadata: {name: shoot--dev--two-w-1}\n"
                      "spec: {podCIDR: 100.96.7.0/24}\n");
  const Answer answer = run_overlane(
      "overlap -o json --landscape east=" + write_temporary("shoots.yaml", kOne + kTwo) +
      " --landscape east=" + nodes);
  const json report = json::parse(answer.out);
  EXPECT_THAT(report["findings"], IsEmpty());
  EXPECT_EQ(report["overlaps"][0]["creations_until_conflict"], 1) << "0 without the Node";
}

TEST(Overlap, ControlCharactersOfDocumentsAreEscaped) {
  const std::string domains = write_temporary(
      "domains.yaml",
      "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: d}\n"
      "spec: {connections: [{name: \"c\\e[2J\", kind: vpn, networks: [{provider: gcp, network: "
      "\"n\\e[2J\"}], ranges: [{cidr: 100.96.0.0/12, purpose: \"p\\e[2J\\n\"}]}]}\n");
  std::string shoot = kOne;
  shoot.replace(shoot.find("shared"), 6, "\"n\\e[2J\"");
  for (const char* format : {"table", "json", "csv"}) {
    const Answer answer = overlap(shoot, "--domains " + domains + " -o " + format);
    EXPECT_THAT(answer.out, HasSubstr("x1b[2J"));
    EXPECT_THAT(answer.out + answer.err, Not(HasSubstr("\x1b")));
  }
  EXPECT_EQ(run_overlane("overlap --landscape '\x1b[2J=x.yaml'").exit_code, 2);
}

TEST(Overlap, FailOnSetsTheThreshold) {
  EXPECT_EQ(overlap(kOne + kHidden).exit_code, 0);
  EXPECT_EQ(overlap(kOne + kHidden, "--fail-on warning").exit_code, 1);
  EXPECT_EQ(overlap(kOne + kApart, "--fail-on note").exit_code, 1);
}

TEST(Overlap, WritesTheReport) {
  const json report = overlap_json(kOne + kTwo);
  EXPECT_EQ(report["kind"], "OverlapReport");
  ASSERT_EQ(report["overlaps"].size(), 1u);
  const json& found = report["overlaps"][0];
  EXPECT_EQ(found["kind"], "pods-pods");
  EXPECT_EQ(found["severity"], "error");
  EXPECT_EQ(found["a"]["shoot"], "garden-dev/one");
  EXPECT_EQ(found["b"]["shoot"], "garden-dev/two");
  EXPECT_EQ(found["intersection"], "100.96.0.0/11");
  EXPECT_EQ(found["nodes_until_conflict"], 0);
  EXPECT_TRUE(found["witness"]["wrong"]);
  EXPECT_EQ(report["summary"]["errors"], 1);
  EXPECT_EQ(report["route_budget"][0]["routes_minimum"], 7);
  const Answer csv = overlap(kOne + kTwo, "-o csv");
  EXPECT_THAT(csv.out, HasSubstr("\r\nerror,overlap-routes-contested,pods-pods,gcp/shared,sure,"));
  const std::string hint = found["hint"];
  EXPECT_THAT(csv.out, AllOf(HasSubstr(",urgency,a_mode,b_mode,hint\r\n"),
                             HasSubstr(",now,routed,routed,"), HasSubstr(hint)));
}

TEST(Overlap, AnswersWhatIf) {
  const auto errors = [](const std::string& text, const std::string& arguments) {
    return overlap_json(text, arguments)["summary"]["errors"].get<int>();
  };
  EXPECT_EQ(errors(kOne + kHidden, "--assume garden-dev/hidden=routed"), 1);
  EXPECT_EQ(errors(kOne + kTwo, "--assume garden-dev/two=overlay"), 0);
  const std::string candidate = write_temporary("candidate.yaml", kTwo);
  EXPECT_EQ(errors(kOne, "--with " + candidate), 1);
  const std::string moved = write_temporary("moved.yaml", shoot("two", "10.0.0.0/16", "false", 2));
  EXPECT_EQ(errors(kOne + kHidden, "--with " + moved), 0);
  const Answer refused = overlap(kOne + kTwo, "--with " + moved);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("may not change from 100.96.0.0/11 to 10.0.0.0/16"));
}

TEST(Overlap, SeparatesLandscapes) {
  const std::string one = write_temporary("first.yaml", kOne);
  const std::string again =
      write_temporary("second.yaml", shoot("one", "100.96.0.0/12", "false", 5));
  const std::string both = "overlap --landscape live=" + one + " --landscape canary=" + again;
  const Answer answer = run_overlane(both);
  EXPECT_EQ(answer.exit_code, 0) << "secrets of one name in two landscapes are two";
  EXPECT_THAT(unwrapped(answer.out), AllOf(HasSubstr("example canary:garden-dev/one node-1/pod-0"),
                                           HasSubstr("reaches live:garden-dev/one node-2/pod-0")));
  const std::string project = write_temporary(
      "project.yaml",
      "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: d}\n"
      "spec: {projects: [{name: p, provider: gcp, credentials: ['live:garden-dev/main', "
      "'canary:garden-dev/main']}]}\n");
  EXPECT_EQ(run_overlane(both + " --domains " + project).exit_code, 1);
}

TEST(Overlap, ReadsRoutingDomains) {
  const std::string spec =
      "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\n"
      "metadata: {name: d}\nspec: {reserved: [{cidr: ";
  const std::string good = write_temporary("good.yaml", spec + "100.96.0.0/12}]}\n");
  EXPECT_EQ(overlap_json(kOne, "--domains " + good)["overlaps"][0]["rule"],
            "overlap-landscape-reserved");
  const std::string bad = write_temporary("bad.yaml", spec + "100.96.0.1/12}]}\n");
  const Answer answer = overlap(kOne, "--domains " + bad);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.err, HasSubstr(bad + ":4:26: error: "));
}

TEST(Overlap, ProposesAndPlans) {
  EXPECT_EQ(overlap_json(kOne, "--propose 1/16")["proposals"][0]["pods"], "100.72.0.0/16");
  const json plan = overlap_json(kOne + kTwo, "--plan")["plan"];
  ASSERT_EQ(plan.size(), 1u);
  EXPECT_EQ(plan[0]["action"], "re-create");
  EXPECT_EQ(plan[0]["changes"][0]["from"], "100.96.0.0/11");
  const std::string hub = write_temporary(
      "hub.yaml",
      "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\nmetadata: {name: d}\n"
      "spec: {connections: [{name: hub, kind: vpn, networks: [{shoot: garden-dev/one}], "
      "ranges: [{cidr: 100.96.0.0/12}]}]}\n");
  const std::string of_hub = "--plan --domain connection/hub --domains " + hub;
  EXPECT_EQ(overlap_json(kOne + kApart, of_hub)["plan"][0]["shoot"], "garden-dev/one");
}

TEST(Overlap, BrokenDocumentIsNamedAndTheOthersAreCompared) {
  const Answer answer = overlap(kOne + "---\nkind: Shoot\nspec: [\n" + kTwo);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.err, HasSubstr(": error: "));
  EXPECT_THAT(answer.out,
              HasSubstr("2 shoots in 1 network: 2 errors, 0 warnings (1 about documents)"));
}

TEST(Overlap, InputWithoutAUsableShootExitsWith3) {
  for (const char* text : {"", "kind: ConfigMap\napiVersion: v1\n", "\x7f\x45\x4c\x46"}) {
    const Answer answer = overlap(text);
    EXPECT_EQ(answer.exit_code, 3) << text;
    EXPECT_THAT(answer.err, HasSubstr("no shoot among the inputs can be compared")) << text;
  }
  EXPECT_EQ(run_overlane("overlap - </dev/null").exit_code, 3);
}

struct Wrong {
  const char* arguments;
  const char* message;
};

constexpr Wrong kWrong[] = {
    {"--assume garden-dev/three=routed",
     "there is no shoot garden-dev/three among the 1 shoot given"},
    {"--assume x=routed", "; these are: garden-dev/one"},
    {"--assume garden-dev/one=tunnel", "must be routed or overlay"},
    {"--assume garden-dev/one", "not like NAME=VALUE"},
    {"--domain gcp/shard", "did you mean gcp/shared?"},
    {"--domain x", "among the 1 network and 0 connections given; these are: gcp/shared"},
    {"--domain garden-dev/one",
     "--domain takes a routing domain; garden-dev/one is a shoot in the routing domain gcp/shared"},
    {"--propose 0/16", "not like 3/16"},
    {"--propose 3/0", "not like 3/16"},
    {"--propose x", "not like 3/16"},
    {"--propose 1/16 --pools 10.0.0.1/8", "host bits"},
    {"--propose 1/16 --pools 10.0.0.0/8,fd00::/8", "cannot be combined"},
    {"--propose 1/28", "pods of /28 are too few"},
    {"--propose 2/16 --nodes 5000", "these need a /11"},
    {"--propose 2/16 --domain connection/hub --domains topologies/library/routing-domains.yaml",
     "is not a network of shoots"},
    {"--nodes 5", "--propose"},
    {"--landscape live", "not like NAME=VALUE"},
};

TEST(Overlap, RefusesInvalidRequests) {
  for (const Wrong& row : kWrong) {
    const Answer answer = overlap(kOne, row.arguments);
    EXPECT_EQ(answer.exit_code, 2) << row.arguments;
    EXPECT_THAT(answer.err, HasSubstr(row.message)) << row.arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << row.arguments;
  }
  EXPECT_EQ(run_overlane("overlap").exit_code, 2);
}

TEST(Overlap, DoesNotDependOnThreadsOrTheOrderOfDocuments) {
  const auto without_places = [](json report) {
    for (json& found : report["overlaps"])
      for (const char* end : {"a", "b"})
        found[end].erase("source");
    return report;
  };
  const std::string all = kOne + kTwo + kHidden + kApart;
  EXPECT_EQ(overlap_json(all, "--threads 1 --notes"), overlap_json(all, "--threads 4 --notes"));
  EXPECT_EQ(without_places(overlap_json(all, "--notes")),
            without_places(overlap_json(kApart + kHidden + kTwo + kOne, "--notes")));
}

}  // namespace overlap_test

}  // namespace overlane::command

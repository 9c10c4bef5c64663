#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

/// The output on standard error.
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

}  // namespace overlane::command

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
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

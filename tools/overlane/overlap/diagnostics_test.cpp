#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}  // namespace overlane::command

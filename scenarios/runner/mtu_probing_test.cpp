#include <algorithm>

#include <gtest/gtest.h>

#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace mtu_probing_test {

struct Row {
  const char* manifest;
  const char* traffic;
  int expected;
  bool is_assumed;
};

/// Gardener's Cilium extension sets packetization-layer-pmtud-mode: blackhole; Calico keeps the
/// kernel's default.
TEST(MtuProbing, DefaultsToTheNetworkExtensionsSetting) {
  for (const Row& row : {
           Row{"shoot-aws-cilium.yaml", "kind: tcp", 1, true},
           Row{"shoot-aws-cilium.yaml", "kind: request-response", 1, true},
           Row{"shoot-aws-cilium.yaml", "kind: tcp, mtuProbing: 0", 0, false},
           Row{"shoot-aws-cilium.yaml", "kind: tcp, mtuProbing: 2", 2, false},
           Row{"shoot-aws-cilium.yaml", "kind: udp, rate: 1Mbit/s, payloadBytes: 9", 0, false},
           Row{"shoot-aws-cilium.yaml", "kind: request-response, protocol: udp", 0, false},
           Row{"shoot-aws.yaml", "kind: tcp", 0, false},
       }) {
    const testing::Folder folder;
    const auto prepared = prepare(
        {.paths = {folder.write(
             "s.yaml",
             "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
             "  manifests: [" +
                 testing::manifest(row.manifest) + "]\n  traffic: [{name: a, " + row.traffic +
                 "}]\n")}});
    ASSERT_TRUE(prepared) << row.traffic;
    EXPECT_EQ(prepared->traffic[0].mtu_probing, row.expected) << row.traffic;
    const auto& assumptions = prepared->subject.assumptions;
    EXPECT_EQ(std::ranges::count(assumptions, "tcp.mtu_probing", &model::Assumption::parameter),
              row.is_assumed ? 1 : 0)
        << row.traffic;
  }
}

}  // namespace mtu_probing_test
}  // namespace overlane::runner

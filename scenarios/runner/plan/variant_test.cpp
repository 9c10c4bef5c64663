#include "scenarios/runner/plan/variant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {

namespace services_test {

using ::testing::HasSubstr;

constexpr const char* kShoot = R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: one, namespace: garden-dev}
spec:
  provider: {type: gcp, workers: [{name: w, minimum: 2, maximum: 3, zones: [z]}]}
  networking: {type: calico, pods: 10.0.0.0/16, nodes: 10.2.0.0/16, services: )";

/// A variant with this service range and traffic, in the given mode of kube-proxy.
LaidOut laid_out(const std::string& services, const std::string& traffic, const std::string& mode) {
  const testing::Folder folder;
  const std::string shoot = folder.write("shoot.yaml", kShoot + services + "}\n");
  const std::string scenario =
      folder.write("s.yaml",
                   "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
                   "  manifests: [" +
                       shoot + "]\n  traffic:\n" + traffic +
                       "  variants: [{name: v, kubeProxy: " + mode + "}]\n");
  const auto prepared = prepare({.paths = {scenario}});
  EXPECT_TRUE(prepared) << prepared.error().findings.at(0).to_string();
  return lay_out(*prepared, prepared->scenario.variants.at(0));
}

constexpr const char* kAsks =
    "  - {name: a, kind: request-response, requestBytes: 1, responseBytes: 1, podsPerNode: 2,\n"
    "     pattern: all-to-all, to: service}\n"
    "  - {name: b, kind: udp, rate: 1Mbit/s, payloadBytes: 9, to: service}\n";

TEST(RunnerServices, ExistForEachPodThatTrafficReachesThroughOne) {
  for (const auto& [mode, proxy] : {std::pair("IPTables", node::ServiceProxy::Iptables),
                                    std::pair("IPVS", node::ServiceProxy::Ipvs),
                                    std::pair("NFTables", node::ServiceProxy::Nftables)}) {
    const LaidOut laid = laid_out("10.1.0.0/16", kAsks, mode);
    ASSERT_TRUE(laid.network) << laid.variant.reason;
    const auto& table = laid.network->nodes[0].services;
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table, laid.network->nodes[1].services) << "all nodes share one";
    EXPECT_EQ(table->proxy(), proxy);
    ASSERT_EQ(table->services().size(), 8u) << "TCP and UDP, of two pods on two nodes";
    const node::Service& first = table->services().front();
    EXPECT_EQ(first.front.address.to_string(), "10.1.0.20");
    EXPECT_EQ(first.front.port, 80);
    ASSERT_EQ(first.endpoints.size(), 1u);
    EXPECT_NE(laid.network->nodes[0].find_pod(first.endpoints[0].address), nullptr);
  }
}

TEST(RunnerServices, AreAbsentIfTrafficGoesToPods) {
  const LaidOut laid = laid_out(
      "10.1.0.0/16", "  - {name: b, kind: udp, rate: 1Mbit/s, payloadBytes: 9}\n", "IPTables");
  ASSERT_TRUE(laid.network) << laid.variant.reason;
  EXPECT_EQ(laid.network->nodes[0].services, nullptr);
}

TEST(RunnerServices, MustFitTheShootsRange) {
  for (const auto& [range, fits] :
       {std::pair("10.1.0.0/27", true), std::pair("10.1.0.0/28", false)}) {
    const LaidOut laid = laid_out(range, kAsks, "IPTables");
    EXPECT_EQ(laid.network.has_value(), fits);
    if (!fits) {
      EXPECT_EQ(laid.variant.status, model::VariantStatus::Unsupported);
      EXPECT_THAT(laid.variant.reason, HasSubstr(range));
    }
  }
}

}  // namespace services_test

}  // namespace overlane::runner

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/library/library.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace wire_test {

using testing::Folder;
using ::testing::HasSubstr;
using testing::manifest;
using testing::run_or_fail;

/// Two nodes of a shoot of the library; `more` is added to it.
void write_topology(const Folder& folder, const std::string& shoot, const std::string& more) {
  folder.write("topology.yaml",
               "apiVersion: overlane.dev/v1alpha1\n"
               "kind: Topology\n"
               "metadata: {name: two}\n"
               "spec:\n"
               "  vpcs: [{name: v, zones: [z]}]\n"
               "  shoots: [{manifest: " +
                   manifest(shoot) + ", nodes: 2, " + more + "}]\n");
}

/// A scenario with requests between two nodes of a topology; `more` is added to its shoot.
std::string requests(const Folder& folder, const std::string& more,
                     const std::string& profile = "cloudlab") {
  write_topology(folder, "shoot-aws.yaml", more);
  return folder.write("scenario.yaml",
                      "apiVersion: overlane.dev/v1alpha1\n"
                      "kind: Scenario\n"
                      "metadata: {name: requests}\n"
                      "spec:\n"
                      "  topology: topology.yaml\n"
                      "  costProfile: " +
                          profile +
                          "\n"
                          "  traffic:\n"
                          "  - {name: r, kind: request-response, protocol: udp}\n"
                          "  duration: 10ms\n");
}

std::int64_t transactions(const std::string& more) {
  const Folder folder;
  const model::RunReport report = run_or_fail({.paths = {requests(folder, more)}});
  const model::VariantResult& variant = report.variants.at(0);
  EXPECT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
  EXPECT_EQ(variant.byte_path.mismatched, 0);
  return variant.traffic.at(0).transactions;
}

TEST(Wire, ARunInWhichNothingTakesTimeIsRefused) {
  const Folder folder;
  std::string profile = std::string(*library::find("namespaces.yaml"));
  for (std::size_t at = 0; (at = profile.find("anoseconds: ", at)) != std::string::npos;) {
    at += std::string_view("anoseconds: ").size();
    profile.replace(at, profile.find('\n', at) - at, "0");
  }
  folder.write("zero.yaml", profile);
  const auto refused =
      prepare({.paths = {requests(folder, "wire: veth, machine: {cores: 2}", "zero.yaml")}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().findings.at(0).rule, "nothing-takes-time");
}

TEST(Kernel, OfANodeIsOneOfTheCostProfile) {
  const std::int64_t usual = transactions("machine: {cores: 8}");
  EXPECT_EQ(transactions("kernel: \"5.14\", machine: {cores: 8}"), usual);
  EXPECT_LT(transactions("kernel: \"5.15\", machine: {cores: 8}"), usual);
  const Folder folder;
  const auto refused = prepare({.paths = {requests(folder, "kernel: \"4.4\"")}});
  ASSERT_FALSE(refused);
  const Finding& finding = refused.error().findings.at(0);
  EXPECT_EQ(finding.rule, "unknown-kernel");
  EXPECT_THAT(finding.to_string(), HasSubstr("topology.yaml:6:"));
  EXPECT_THAT(finding.hint, HasSubstr("5.14, 5.14 (Ubuntu 22.04), 5.15, 6.8"));
}

TEST(Wire, OfVethPairsHasNoNicAndNoLatency) {
  EXPECT_GT(transactions("wire: veth, machine: {cores: 8}"),
            2 * transactions("machine: {cores: 8}"))
      << "20 µs each way";
  const Folder folder;
  const auto prepared = prepare({.paths = {requests(folder, "wire: veth")}});
  ASSERT_TRUE(prepared) << prepared.error().findings.at(0).to_string();
  const auto& assumptions = prepared->subject.assumptions;
  for (const char* field :
       {"machine.nic", "machine.interrupt_gap", "latency.within_zone", "fabric.single_flow"}) {
    EXPECT_EQ(std::ranges::count(assumptions, field, &model::Assumption::parameter), 0) << field;
  }
}

/// Bulk traffic of an OpenStack shoot, directly and through VXLAN; `more` is added to its topology.
model::RunReport bulk_on_openstack(const Folder& folder, const std::string& more) {
  write_topology(folder, "shoot-openstack.yaml", more);
  const std::string scenario =
      folder.write("scenario.yaml",
                   "apiVersion: overlane.dev/v1alpha1\n"
                   "kind: Scenario\n"
                   "metadata: {name: bulk}\n"
                   "spec:\n"
                   "  topology: topology.yaml\n"
                   "  costProfile: linux-server\n"
                   "  variants:\n"
                   "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                   "  - {name: vxlan, networkConfig: {overlay: {enabled: true}, "
                   "vxlan: {enabled: true}}}\n"
                   "  traffic:\n"
                   "  - {name: bulk, kind: tcp}\n"
                   "  duration: 40ms\n"
                   "  warmup: 20ms\n");
  return run_or_fail({.paths = {scenario}});
}

double share_of_vxlan(const model::RunReport& report) {
  const auto rate = [&](std::size_t variant) {
    return static_cast<double>(report.variants.at(variant).traffic.at(0).goodput_bps);
  };
  return rate(1) / rate(0);
}

TEST(Wire, OfOpenStackIsVirtioUnlessTheTopologySaysOtherwise) {
  const Folder folder;
  const model::RunReport usual = bulk_on_openstack(folder, "machine: {nic: 25Gbit/s}");
  const auto wire = std::ranges::find(usual.assumptions, "wire", &model::Assumption::parameter);
  ASSERT_NE(wire, usual.assumptions.end());
  EXPECT_EQ(wire->value, "virtio");
  EXPECT_LT(share_of_vxlan(usual), 0.3);
  const model::RunReport passed_through =
      bulk_on_openstack(folder, "wire: nic, machine: {nic: 25Gbit/s}");
  EXPECT_EQ(std::ranges::count(passed_through.assumptions, "wire", &model::Assumption::parameter),
            0);
  EXPECT_GT(share_of_vxlan(passed_through), 0.5);
}

TEST(Wire, OfVirtualMachinesNeedsTheHypervisorsCosts) {
  const Folder folder;
  std::string profile(*library::find("kvm.yaml"));
  profile.erase(profile.find("    vhost:"));
  folder.write("old.yaml", profile);
  const auto findings = [&](const char* wire) {
    const auto prepared = prepare({.paths = {requests(folder, wire, "old.yaml")}});
    EXPECT_TRUE(prepared);
    return std::ranges::count(prepared->subject.findings, "no-vhost-cost", &Finding::rule);
  };
  EXPECT_EQ(findings("wire: virtio"), 1);
  EXPECT_EQ(findings("wire: nic"), 0);
}

}  // namespace wire_test
}  // namespace overlane::runner

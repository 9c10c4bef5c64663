#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace assumed_machine_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t kMbit = 1'000'000;

/// A Shoot with worker pools as in `spec.provider.workers`.
std::string shoot_of(const std::string& provider, const std::string& workers) {
  return fmt::format(
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {{name: one, namespace: garden-dev}}\n"
      "spec:\n  cloudProfile: {{name: p}}\n"
      "  provider: {{type: {}, workers: [{}]}}\n"
      "  networking: {{type: calico, pods: 100.64.0.0/16, services: 100.96.0.0/16,"
      " nodes: 10.250.0.0/16}}\n  kubernetes: {{version: 1.33.3}}\n",
      provider, workers);
}

std::string pool_of(const std::string& type, int minimum = 2) {
  return fmt::format("{{name: w, machine: {{type: {}}}, minimum: {}, maximum: 4}}", type, minimum);
}

/// A CloudProfile `p` that gives the type `cpu` cores.
std::string profile_of(const std::string& type, const std::string& cpu) {
  return fmt::format(
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nmetadata: {{name: p}}\n"
      "spec: {{type: aws, machineTypes: [{{name: {}, cpu: {}, memory: 8Gi}}]}}\n",
      type, cpu);
}

Subject subject_of(const std::string& manifests, const SubjectOptions& options = {}) {
  const testing::Folder folder;
  auto subject = load_subject({.manifests = {folder.write("shoot.yaml", manifests)}}, options, {});
  if (!subject) throw std::runtime_error(subject.error().findings.at(0).to_string());
  return *std::move(subject);
}

const model::Assumption* assumed(const Subject& subject, const char* parameter) {
  const auto found =
      std::ranges::find(subject.assumptions, parameter, &model::Assumption::parameter);
  return found == subject.assumptions.end() ? nullptr : &*found;
}

/// Options for nodes that have used up their burst credits.
SubjectOptions sustained() {
  SubjectOptions options;
  options.derive.landscape = effective::with_setting({}, "landscape.network-burst=false").value();
  return options;
}

TEST(MachineOfTheManifest, HasWhatTheCloudPublishes) {
  struct Row {
    const char* provider;
    const char* type;
    std::uint32_t cores;
    std::uint32_t threads_per_core;
    std::int64_t nic_mbps;
    std::int64_t sustained_mbps = 0;  ///< 0: the rate of the NIC.
    std::int64_t packets_per_second = 0;
    const char* nic_tag = "published";
  };
  for (const Row& row : {
           Row{"aws", "m5.large", 2, 2, 10'000, 750},
           Row{"aws", "m6i.2xlarge", 8, 2, 12'500, 3'125},
           Row{"aws", "c6gn.4xlarge", 16, 1, 25'000},
           Row{"gcp", "n2-standard-16", 16, 2, 32'000},
           Row{"azure", "Standard_D4s_v5", 4, 2, 12'500},
           Row{"alicloud", "ecs.g7.xlarge", 4, 2, 10'000, 3'000, 1'000'000},
           // SAP Cloud Infrastructure publishes no network rates, so 10 Gbit/s is assumed.
           Row{"openstack", "g_c4_m16", 4, 1, 10'000, 0, 0, "default"},
       }) {
    SCOPED_TRACE(row.type);
    const Subject subject = subject_of(shoot_of(row.provider, pool_of(row.type)), sustained());
    EXPECT_EQ(subject.machine.cores, row.cores);
    EXPECT_EQ(subject.machine.threads_per_core, row.threads_per_core);
    EXPECT_EQ(subject.machine.nic_rate.count, row.nic_mbps * kMbit);
    const auto& bandwidth = subject.limits.bandwidth;
    EXPECT_EQ(bandwidth ? bandwidth->baseline.count : 0, row.sustained_mbps * kMbit);
    if (bandwidth) {
      EXPECT_EQ(bandwidth->credits, Bytes{});
    }
    const auto& packets = subject.limits.packets;
    EXPECT_EQ(packets ? packets->per_second : 0, row.packets_per_second);
    ASSERT_NE(assumed(subject, "machine.nic"), nullptr);
    EXPECT_EQ(assumed(subject, "machine.nic")->tag, row.nic_tag);
    EXPECT_EQ(assumed(subject, "machine.cores")->tag, "published");
    EXPECT_THAT(assumed(subject, "machine.cores")->source,
                StartsWith(fmt::format("machine type {} (", row.type)));
  }
}

TEST(MachineOfTheManifest, UnknownTypesGetTheDefaultsAndTheReportSaysSo) {
  const Subject subject = subject_of(shoot_of("aws", pool_of("x99.huge")));
  EXPECT_EQ(subject.machine.cores, 4u);
  EXPECT_EQ(subject.machine.nic_rate.count, 10'000 * kMbit);
  EXPECT_FALSE(subject.limits.bandwidth);
  EXPECT_EQ(assumed(subject, "machine.cores")->source,
            "machine type x99.huge: its cores are not known to Overlane");
  EXPECT_EQ(assumed(subject, "machine.nic")->source,
            "machine type x99.huge: its NIC is not known to Overlane");
  ASSERT_TRUE(subject.machine_facts);
  EXPECT_EQ(subject.machine_facts->type, "x99.huge");
  EXPECT_EQ(subject.machine_facts->cores_from, model::FigureSource::Default);
  EXPECT_EQ(subject.machine_facts->nic_from, model::FigureSource::Default);
}

TEST(MachineOfTheManifest, CloudProfileWinsOverPublishedCores) {
  const std::string shoot = shoot_of("aws", pool_of("m5.large"));
  const Subject known = subject_of(shoot + profile_of("m5.large", "'8'"));
  EXPECT_EQ(known.machine.cores, 8u);
  EXPECT_EQ(known.machine.nic_rate.count, 10'000 * kMbit);
  EXPECT_EQ(assumed(known, "machine.cores"), nullptr);
  // A CloudProfile gives no threads per core, and the published figure is for two cores.
  EXPECT_EQ(assumed(known, "machine.threads_per_core")->tag, "default");
  EXPECT_EQ(known.machine_facts->cores_from, model::FigureSource::CloudProfile);

  const Subject unknown =
      subject_of(shoot_of("aws", pool_of("x99.huge")) + profile_of("x99.huge", "16000m"));
  EXPECT_EQ(unknown.machine.cores, 16u);
  EXPECT_EQ(unknown.machine_facts->nic_from, model::FigureSource::Default);

  // A kernel cannot have half a core, so this value is ignored.
  EXPECT_EQ(subject_of(shoot + profile_of("m5.large", "500m")).machine.cores, 2u);
}

TEST(MachineOfTheManifest, NamespacedCloudProfileWinsOverItsParent) {
  std::string shoot = shoot_of("aws", pool_of("m5.large"));
  const std::string reference = "cloudProfile: {name: p}";
  shoot.replace(shoot.find(reference), reference.size(),
                "cloudProfile: {kind: NamespacedCloudProfile, name: mine}");
  const std::string mine =
      "---\napiVersion: core.gardener.cloud/v1beta1\nkind: NamespacedCloudProfile\n"
      "metadata: {name: mine, namespace: garden-dev}\n"
      "spec: {parent: {kind: CloudProfile, name: p}";
  EXPECT_EQ(subject_of(shoot + profile_of("m5.large", "8") + mine + "}\n").machine.cores, 8u);
  EXPECT_EQ(subject_of(shoot + profile_of("m5.large", "8") + mine +
                       ", machineTypes: [{name: m5.large, cpu: '6'}]}\n")
                .machine.cores,
            6u);
}

TEST(MachineOfTheManifest, TopologyWinsOverAll) {
  const testing::Folder folder;
  folder.write("shoot.yaml", shoot_of("aws", pool_of("m5.large")) + profile_of("m5.large", "8"));
  const auto with_machine = [&](const char* machine) {
    auto subject =
        load_subject({.topology = folder.write(
                          "topology.yaml",
                          fmt::format("apiVersion: overlane.dev/v1alpha1\nkind: Topology\n"
                                      "metadata: {{name: t}}\nspec:\n  vpcs: [{{name: v}}]\n"
                                      "  shoots: [{{manifest: shoot.yaml, vpc: v, machine: {}}}]\n",
                                      machine))},
                     sustained(), {});
    if (!subject) throw std::runtime_error(subject.error().findings.at(0).to_string());
    return *std::move(subject);
  };
  const Subject both = with_machine("{cores: 12, nic: 40Gbit/s}");
  EXPECT_EQ(both.machine.cores, 12u);
  EXPECT_EQ(both.machine.nic_rate.count, 40'000 * kMbit);
  EXPECT_FALSE(both.limits.bandwidth);
  EXPECT_EQ(both.machine_facts->cores_from, model::FigureSource::Topology);
  EXPECT_EQ(both.machine_facts->nic_from, model::FigureSource::Topology);

  const Subject cores = with_machine("{cores: 12}");
  EXPECT_EQ(cores.machine.cores, 12u);
  EXPECT_EQ(cores.limits.bandwidth->baseline.count, 750 * kMbit);

  // The Topology gives as many cores as an m5.large has, but it then describes the whole processor.
  EXPECT_EQ(with_machine("{cores: 2}").machine.threads_per_core, 1u);

  const Subject nic = with_machine("{nic: 40Gbit/s}");
  EXPECT_EQ(nic.machine.cores, 8u);
  EXPECT_FALSE(nic.limits.bandwidth);
}

TEST(MachineOfTheManifest, CalicosVxlanDeviceHasNoOffloadsOnOldKernels) {
  const testing::Folder folder;
  const auto with_kernel = [&](const char* type, const char* kernel, const char* more = "") {
    std::string shoot = shoot_of("aws", pool_of("m5.large"));
    shoot.replace(shoot.find("type: calico"), std::string("type: calico").size(),
                  fmt::format("type: {}", type));
    folder.write("shoot.yaml", shoot);
    auto subject = load_subject(
        {.topology = folder.write(
             "topology.yaml",
             fmt::format("apiVersion: overlane.dev/v1alpha1\nkind: Topology\n"
                         "metadata: {{name: t}}\nspec:\n  vpcs: [{{name: v}}]\n  shoots: "
                         "[{{manifest: shoot.yaml, vpc: v, kernel: \"{}\"{}}}]\n",
                         kernel, more))},
        sustained(), {});
    if (!subject) throw std::runtime_error(subject.error().findings.at(0).to_string());
    return *std::move(subject);
  };
  for (const char* kernel : {"4.15", "5.4", "5.7"}) {
    const Subject old = with_kernel("calico", kernel);
    EXPECT_FALSE(old.machine.offloads.tunnel_checksum) << kernel;
    EXPECT_EQ(assumed(old, "machine.offloads.vxlan")->tag, "derived");
  }
  for (const char* kernel : {"5.10", "6.1", "6", "", "x"}) {
    const Subject recent = with_kernel("calico", kernel);
    EXPECT_TRUE(recent.machine.offloads.tunnel_checksum) << kernel;
    EXPECT_EQ(assumed(recent, "machine.offloads.vxlan"), nullptr);
  }
  EXPECT_TRUE(with_kernel("cilium", "5.4").machine.offloads.tunnel_checksum) << "Felix's alone";
  const Subject given =
      with_kernel("calico", "5.4", ", machine: {offloads: {tunnel-tx-checksum-ip-generic: true}}");
  EXPECT_TRUE(given.machine.offloads.tunnel_checksum) << "the Topology wins";
  EXPECT_EQ(assumed(given, "machine.offloads.vxlan"), nullptr) << "and nothing is assumed";
}

TEST(MachineOfTheManifest, IsThatOfTheLargestPool) {
  const Subject subject =
      subject_of(shoot_of("aws",
                          "{name: a, machine: {type: m5.large}, minimum: 1, maximum: 2}, "
                          "{name: b, machine: {type: m6i.2xlarge}, minimum: 3, maximum: 9}, "
                          "{name: c, machine: {type: m5.large}, minimum: 2, maximum: 2}"));
  EXPECT_EQ(subject.machine.cores, 8u);
  EXPECT_EQ(assumed(subject, "machine.cores")->range, "that of m5.large in other worker pools");
}

TEST(MachineOfTheManifest, BurstsUnlessTheLandscapeSaysOtherwise) {
  const std::string shoot = shoot_of("aws", pool_of("m5.large"));
  const Subject bursts = subject_of(shoot);
  EXPECT_EQ(bursts.machine.nic_rate.count, 10'000 * kMbit);
  EXPECT_FALSE(bursts.limits.bandwidth);
  EXPECT_EQ(bursts.machine_facts->sustained_bps, 750 * kMbit);
  EXPECT_FALSE(bursts.machine_facts->sends_at_sustained_rate);
  EXPECT_EQ(assumed(bursts, "machine.bandwidth")->range, "750 Mbit/s sustained");
  const Subject lasts = subject_of(shoot, sustained());
  EXPECT_TRUE(lasts.machine_facts->sends_at_sustained_rate);
  EXPECT_EQ(assumed(lasts, "machine.bandwidth")->value, "750 Mbit/s sustained");
}

TEST(MachineOfTheManifest, SustainedRateLimitsARun) {
  const testing::Folder folder;
  const auto throughput = [&](const char* type) {
    const std::string name = std::string(type) + ".yaml";
    folder.write(name, shoot_of("aws", pool_of(type)));
    const auto report = testing::run_or_fail(
        {.paths = {folder.write("s.yaml",
                                fmt::format("apiVersion: overlane.dev/v1alpha1\nkind: Scenario\n"
                                            "metadata: {{name: s}}\nspec:\n  manifests: [{}]\n"
                                            "  traffic: [{{name: bulk, kind: tcp}}]\n"
                                            "  duration: 60ms\n  warmup: 40ms\n",
                                            name))},
         .subject = sustained()});
    EXPECT_EQ(report.machine->type, type);
    return report.variants.at(0).traffic.at(0).throughput_bps;
  };
  const std::int64_t large = throughput("m5.large");
  EXPECT_LE(large, 750 * kMbit * 101 / 100);
  EXPECT_GE(large, 700 * kMbit);
  const std::int64_t larger = throughput("m6i.2xlarge");
  EXPECT_LE(larger, 3'125 * kMbit * 101 / 100);
  EXPECT_GE(larger, 2'900 * kMbit);
}

}  // namespace assumed_machine_test
}  // namespace overlane::runner

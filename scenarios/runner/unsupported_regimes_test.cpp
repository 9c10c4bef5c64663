#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/run_report_json.h"
#include "results/report/run_summary.h"
#include "scenarios/runner/plan/cloud_flows.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace unsupported_regimes_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> messages_of(const model::RunReport& report, std::string_view rule) {
  std::vector<std::string> messages;
  for (const Finding& finding : report.findings)
    if (finding.rule == rule) messages.push_back(finding.message);
  return messages;
}

std::string shoot_of(const std::string& provider, const std::string& network,
                     const std::string& more = "") {
  return fmt::format(
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {{name: one, namespace: garden-dev}}\n"
      "spec:\n  cloudProfile: {{name: p}}\n"
      "  provider: {{type: {}, workers: [{{name: w, machine: {{type: x99}}, minimum: 2, maximum: "
      "2{}}}]}}\n"
      "  networking: {{{}, pods: 100.64.0.0/16, services: 100.96.0.0/16,"
      " nodes: 10.250.0.0/16}}\n  kubernetes: {{version: 1.33.3}}\n",
      provider, more, network);
}

constexpr const char* kIpip =
    "type: calico, providerConfig: {apiVersion: calico.networking.extensions.gardener.cloud/"
    "v1alpha1, kind: NetworkConfig, overlay: {enabled: true}, backend: bird, ipv4: {mode: Always}}";

struct Input {
  std::string manifests;
  std::string machine = "{cores: 4, nic: 10Gbit/s}";
  std::string traffic = "{name: bulk, kind: tcp, flows: 8}";
  std::string costs = "";
};

model::RunReport report_of(const Input& input) {
  const testing::Folder folder;
  folder.write("shoot.yaml", input.manifests);
  folder.write("topology.yaml",
               fmt::format("apiVersion: overlane.dev/v1alpha1\nkind: Topology\n"
                           "metadata: {{name: lab}}\nspec:\n"
                           "  vpcs: [{{name: v, singleFlowCap: none}}]\n"
                           "  shoots: [{{manifest: shoot.yaml, vpc: v, machine: {}}}]\n",
                           input.machine));
  return testing::run_or_fail(
      {.paths = {folder.write(
           "s.yaml",
           fmt::format("apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: s}}\n"
                       "spec:\n  topology: topology.yaml\n{}  traffic: [{}]\n"
                       "  duration: 20ms\n  warmup: 10ms\n",
                       input.costs, input.traffic))}});
}

constexpr const char* kWithCosts = "  costProfile: linux-server\n";

TEST(UnsupportedRegimes, AreNoneOfAPlainInput) {
  EXPECT_THAT(messages_of(report_of({.manifests = shoot_of("aws", kIpip)}), "unsupported-regime"),
              IsEmpty());
}

TEST(UnsupportedRegimes, OfAShootAreInTheReportAndItsFirstLines) {
  const Input plain{.manifests = shoot_of("aws", kIpip)};
  const Input bbr{.manifests =
                      shoot_of("aws", kIpip, ", sysctls: {net.ipv4.tcp_congestion_control: bbr}")};
  const model::RunReport report = report_of(bbr);
  EXPECT_THAT(messages_of(report, "unsupported-regime"),
              ElementsAre(StartsWith("garden-dev/one: not modelled: BBR congestion control ")));
  EXPECT_THAT(report::left_out_text(report),
              StartsWith("Not modelled, although the input has it: BBR congestion control "
                         "(net.ipv4.tcp_congestion_control: bbr). "));
  EXPECT_EQ(model::result_hash(report), model::result_hash(report_of(plain)))
      << "the figures leave it out";
}

TEST(UnsupportedRegimes, OfAClusterAreThoseOfItsConfigMap) {
  const auto messages = [](const char* network, const char* legacy_routing) {
    const std::string config = fmt::format(
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: cilium-config, namespace: "
        "kube-system}}\ndata: {{datapath-mode: netkit, enable-host-legacy-routing: '{}'}}\n",
        legacy_routing);
    return messages_of(report_of({.manifests = shoot_of("aws", network) + config}),
                       "unsupported-regime");
  };
  EXPECT_THAT(messages("type: cilium", "false"), ElementsAre(HasSubstr("netkit devices")))
      << "the extension runs Cilium without kube-proxy, and so with eBPF host routing";
  EXPECT_THAT(
      messages("type: cilium", "true"),
      ElementsAre(HasSubstr("netkit devices"), HasSubstr("(enable-host-legacy-routing: true)")));
  EXPECT_THAT(messages(kIpip, "true"), IsEmpty()) << "calico has no such agents";
}

TEST(UnsupportedRegimes, OfMachinesAreThoseOfTheTopology) {
  EXPECT_THAT(messages_of(report_of({.manifests = shoot_of("aws", kIpip),
                                     .machine = "{cores: 4, nic: 10Gbit/s, numaNodes: 2}"}),
                          "unsupported-regime"),
              ElementsAre(StartsWith("lab: not modelled: more than one NUMA node (numaNodes: 2)")));
}

TEST(UnsupportedRegimes, ManyFlowsExceedTheLimitsOfClouds) {
  const auto messages = [](const char* provider, const std::string& network, int flows,
                           int cores = 4) {
    return messages_of(
        report_of({.manifests = shoot_of(provider, network),
                   .machine = fmt::format("{{cores: {}, nic: 10Gbit/s}}", cores),
                   .traffic = fmt::format(
                       "{{name: many, kind: udp, rate: 1kbit/s, payloadBytes: 100, flows: {}}}, "
                       "{{name: more, kind: udp, rate: 1kbit/s, payloadBytes: 100, flows: {}}}",
                       flows / 2, flows - flows / 2)}),
        "unsupported-regime");
  };
  const std::string routed = "type: calico";
  EXPECT_THAT(messages("aws", routed, 100'000), IsEmpty());
  EXPECT_THAT(messages("aws", routed, 100'001),
              ElementsAre(HasSubstr("up to 100001 tracked connections of node-1")));
  EXPECT_THAT(messages("aws", kIpip, 100'001), IsEmpty()) << "one connection for the cloud";
  EXPECT_THAT(messages("azure", routed, 50'001),
              ElementsAre(HasSubstr("up to 100002 flows of node-1")));
  EXPECT_THAT(messages("azure", routed, 50'001, 8), IsEmpty()) << "larger machines have more";
  EXPECT_THAT(messages("gcp", routed, 100'001), IsEmpty()) << "not documented";
}

TEST(SharedCore, IsANoteWithNodeCoreFlowsAndTime) {
  const Input outer{.manifests = shoot_of("aws", kIpip),
                    .machine = "{cores: 8, nic: 100Gbit/s}",
                    .costs = kWithCosts};
  const auto notes = messages_of(report_of(outer), "shared-receive-core");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0],
              ::testing::MatchesRegex(
                  "variant .*, bulk: core [0-7] of node-2 receives 8 flows and is busy for "
                  "[0-9.]+ % of the time, while 7 of the 8 cores with receive queues "
                  "receive none"));
  Input inner = outer;
  inner.machine = "{cores: 8, nic: 100Gbit/s, ipipRss: inner}";
  EXPECT_GT(report_of(inner).variants.at(0).traffic.at(0).goodput_bps,
            report_of(outer).variants.at(0).traffic.at(0).goodput_bps * 3 / 2);
}

TEST(RequestsBehindStreams, AreANoteWhereTheyShareABusyCore) {
  const auto notes = [](const std::string& streams, const char* costs) {
    return messages_of(
        report_of({.manifests = shoot_of("aws", "type: calico"),
                   .machine = "{cores: 2, nic: 100Gbit/s}",
                   .traffic = "{name: ask, kind: request-response, flows: 4}" + streams,
                   .costs = costs}),
        "requests-behind-streams");
  };
  const std::string streams = ", {name: bulk, kind: tcp, flows: 4}";
  const auto found = notes(streams, kWithCosts);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0], ::testing::MatchesRegex(
                            "variant .*: ask and streams share core [01] of node-[12], which is "
                            "busy for [0-9.]+ % of the time, so their latency is an upper bound"));
  EXPECT_THAT(notes("", kWithCosts), IsEmpty()) << "no streams";
  EXPECT_THAT(notes(streams, ""), IsEmpty()) << "CPU time is free";
}

TEST(TunnelRss, IsAssumedWithItsSourceIfItDecides) {
  const auto assumed = [](const Input& input, std::string_view parameter) {
    const model::RunReport report = report_of(input);
    const auto found =
        std::ranges::find(report.assumptions, parameter, &model::Assumption::parameter);
    return found == report.assumptions.end() ? model::Assumption{} : *found;
  };
  const Input ipip{.manifests = shoot_of("aws", kIpip), .costs = kWithCosts};
  EXPECT_THAT(assumed(ipip, "machine.ipip_rss").value, StartsWith("outer header"));
  EXPECT_THAT(assumed(ipip, "machine.ipip_rss").source, HasSubstr("ena_com.c"));
  EXPECT_EQ(assumed(ipip, "machine.udp4_rss").value, "");
  Input given = ipip;
  given.machine = "{cores: 4, nic: 10Gbit/s, ipipRss: outer}";
  EXPECT_EQ(assumed(given, "machine.ipip_rss").value, "");
  Input one_queue = ipip;
  one_queue.machine = "{cores: 4, nic: 10Gbit/s, queues: 1}";
  EXPECT_EQ(assumed(one_queue, "machine.ipip_rss").value, "");
  Input free = ipip;
  free.costs = "";
  EXPECT_EQ(assumed(free, "machine.ipip_rss").value, "");
  Input virtio{.manifests = shoot_of("openstack", kIpip),
               .machine = "{cores: 4, nic: 10Gbit/s, queues: 4}",
               .costs = kWithCosts};
  EXPECT_EQ(assumed(virtio, "machine.ipip_rss").value, "inner header");
  EXPECT_THAT(assumed(virtio, "machine.ipip_rss").source, HasSubstr("tun.c"));
}

}  // namespace unsupported_regimes_test
}  // namespace overlane::runner

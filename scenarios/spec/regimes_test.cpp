#include "scenarios/spec/regimes.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/spec/topology_file.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::spec {

namespace regimes_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<Regime> regimes_in(const std::vector<RegimeStatement>& statements) {
  std::vector<Regime> regimes;
  for (const RegimeStatement& statement : statements)
    regimes.push_back(statement.regime);
  return regimes;
}

std::vector<RegimeStatement> statements_of(const std::string& text) {
  return regimes_of(document::parse(text, "a.yaml").documents.at(0));
}

std::vector<RegimeStatement> with_sysctls(const std::string& sysctls) {
  return statements_of(
      "kind: Shoot\nmetadata: {name: one, namespace: garden-dev}\n"
      "spec: {provider: {workers: [{name: a}, {name: b, sysctls: " +
      sysctls + "}]}}\n");
}

std::vector<RegimeStatement> with_cilium(const std::string& data) {
  return statements_of("kind: ConfigMap\nmetadata: {name: cilium-config}\ndata: " + data + "\n");
}

Result<TopologyFile, Findings> with_machine(const std::string& machine) {
  return decode_topology(document::parse("apiVersion: overlane.dev/v1alpha1\nkind: Topology\n"
                                         "metadata: {name: lab}\nspec:\n  vpcs: [{name: v}]\n"
                                         "  shoots: [{manifest: a.yaml, machine: " +
                                             machine + "}]\n",
                                         "topology.yaml")
                             .documents.at(0));
}

std::vector<Regime> of_machine(const std::string& machine) {
  const auto file = with_machine(machine);
  EXPECT_TRUE(file) << file.error().front().to_string();
  return regimes_in(file->shoot.machine.regimes);
}

TEST(Regimes, AreAllInTheTableOnceWithAllTheirTexts) {
  std::set<std::string_view> names;
  for (const RegimeFacts& regime : regimes()) {
    SCOPED_TRACE(regime.name);
    EXPECT_TRUE(names.insert(regime.name).second);
    EXPECT_EQ(&facts(regime.regime), &regime);
    EXPECT_FALSE(regime.title.empty());
    EXPECT_FALSE(regime.asked_by.empty());
    EXPECT_FALSE(regime.left_out.empty());
    EXPECT_FALSE(regime.source.empty());
  }
}

TEST(Regimes, AreAskedForBySysctlsOfWorkers) {
  struct Row {
    const char* sysctls;
    std::vector<Regime> regimes;
  };
  for (const Row& row : {
           Row{"{net.ipv4.tcp_congestion_control: bbr}", {Regime::Bbr}},
           Row{"{net.ipv4.tcp_congestion_control: htcp}", {Regime::CongestionControl}},
           Row{"{net.ipv4.tcp_congestion_control: cubic}", {}},
           Row{"{net.ipv4.tcp_ecn: '1'}", {Regime::Ecn}},
           Row{"{net.ipv4.tcp_ecn: 1}", {Regime::Ecn}},
           Row{"{net.ipv4.tcp_ecn: '2'}", {}},
           Row{"{net.core.somaxconn: '1024'}", {}},
           Row{"[bbr]", {}},
       })
    EXPECT_EQ(regimes_in(with_sysctls(row.sysctls)), row.regimes) << row.sysctls;
  const RegimeStatement bbr = with_sysctls("{net.ipv4.tcp_congestion_control: bbr}").at(0);
  EXPECT_EQ(bbr.object, (ObjectName{"Shoot", "garden-dev", "one"}));
  EXPECT_EQ(bbr.setting, "net.ipv4.tcp_congestion_control: bbr");
  EXPECT_THAT(bbr.path, HasSubstr("spec.provider.workers[1].sysctls"));
  EXPECT_EQ(bbr.place.line, 3);
  EXPECT_THAT(with_sysctls("{net.ipv4.tcp_congestion_control: reno}").at(0).hint,
              HasSubstr("congestionControl: reno"));
}

TEST(Regimes, AreAskedForByTheConfigurationOfCilium) {
  struct Row {
    const char* data;
    std::vector<Regime> regimes;
  };
  for (const Row& row : {
           Row{"{enable-bbr: 'true'}", {Regime::Bbr}},
           Row{"{enable-ipv4-big-tcp: 'true'}", {Regime::BigTcp}},
           Row{"{enable-ipv6-big-tcp: 'true'}", {Regime::BigTcp}},
           Row{"{datapath-mode: netkit}", {Regime::Netkit}},
           Row{"{datapath-mode: netkit-l2}", {Regime::Netkit}},
           Row{"{bpf-lb-acceleration: native}", {Regime::XdpAcceleration}},
           Row{"{enable-host-legacy-routing: 'true'}", {Regime::HostRouting}},
           Row{"{enable-host-legacy-routing: 'false'}", {Regime::HostRouting}},
           Row{"{enable-bbr: 'false', enable-ipv4-big-tcp: 'false', datapath-mode: veth, "
               "bpf-lb-acceleration: disabled}",
               {}},
       })
    EXPECT_EQ(regimes_in(with_cilium(row.data)), row.regimes) << row.data;
  EXPECT_THAT(statements_of("kind: ConfigMap\nmetadata: {name: other}\n"
                            "data: {enable-bbr: 'true'}\n"),
              IsEmpty());
  EXPECT_THAT(statements_of("[1, 2]\n"), IsEmpty());
}

TEST(Regimes, AreAskedForByMachinesOfATopology) {
  EXPECT_THAT(of_machine("{offloads: {rx-gro-hw: true}}"), ElementsAre(Regime::HardwareGro));
  EXPECT_THAT(of_machine("{offloads: {large-receive-offload: true}}"),
              ElementsAre(Regime::LargeReceiveOffload));
  EXPECT_THAT(of_machine("{adaptiveRx: true}"), ElementsAre(Regime::AdaptiveModeration));
  EXPECT_THAT(of_machine("{gsoMaxSize: 131072}"), ElementsAre(Regime::BigTcp));
  EXPECT_THAT(of_machine("{numaNodes: 2}"), ElementsAre(Regime::Numa));
  EXPECT_THAT(of_machine("{offloads: {rx-gro-hw: false, large-receive-offload: false}, "
                         "adaptiveRx: false, gsoMaxSize: 65536, numaNodes: 1}"),
              IsEmpty());
}

TEST(Regimes, LeaveUnknownKeysOfAMachineErrors) {
  for (const char* machine :
       {"{offloads: {rx-gro-sw: true}}", "{numa: 2}", "{adaptive-rx: true}"}) {
    const auto file = with_machine(machine);
    ASSERT_FALSE(file) << machine;
    EXPECT_EQ(file.error().front().rule, "unknown-key") << machine;
  }
  for (const char* machine : {"{gsoMaxSize: 1000}", "{numaNodes: 0}", "{adaptiveRx: often}"})
    EXPECT_FALSE(with_machine(machine)) << machine;
}

TEST(Regimes, GiveAWarningThatNamesTheSettingAndTheEffect) {
  const auto file = with_machine("{offloads: {rx-gro-hw: true}}");
  const Finding finding = unsupported(file->shoot.machine.regimes.at(0));
  EXPECT_EQ(finding.rule, "unsupported-regime");
  EXPECT_EQ(finding.severity, Severity::Warning);
  EXPECT_EQ(finding.object, (ObjectName{"Topology", "", "lab"}));
  EXPECT_EQ(finding.path, "spec.shoots[0].machine.offloads.rx-gro-hw");
  EXPECT_THAT(
      finding.message,
      ::testing::StartsWith("lab: not modelled: hardware GRO (rx-gro-hw: true): the kernel"));
}

}  // namespace regimes_test

}  // namespace overlane::spec

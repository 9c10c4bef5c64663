#include "topologies/path/trace_report.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dataplane/capture/capture_file.h"
#include "dataplane/capture/decode.h"
#include "topologies/graph/testing/shoots.h"

namespace overlane::path {
namespace trace_report_test {

using effective::Encapsulation;
using ::testing::HasSubstr;

TraceReport report_of(const effective::EffectiveDataplane& shoot, const Question& question) {
  const auto topology = graph::Topology::build({.shoot = &shoot, .nodes = 2, .pods_per_node = 1});
  const compile::Compiled states = compile::compile(*topology, shoot).value();
  return report(states, shoot, ask(states, shoot, question).value());
}

std::string temporary(const char* name) {
  return ::testing::TempDir() + "overlane_" + std::to_string(getpid()) + '_' + name;
}

/// The layers after the cooked header: "ipv4 ipv4 tcp".
std::string layers_of(const capture::DecodedPacket& packet) {
  std::string text;
  for (std::size_t i = 1; i < packet.layers.size(); ++i) {
    if (packet.layers[i].kind == capture::LayerKind::Payload) continue;
    text += (text.empty() ? "" : " ") + std::string(to_string(packet.layers[i].kind));
  }
  return text;
}

struct Row {
  const char* name;
  effective::EffectiveDataplane shoot;
  const char* tunnel;  ///< Its device; empty for none.
  const char* wrapped;
};

const Row kRows[] = {
    {"routed", graph::testing::routed_shoot(), "", "ipv4 tcp"},
    {"ipip", graph::testing::ipip_shoot(), "tunl0", "ipv4 ipv4 tcp"},
    {"vxlan", graph::testing::vxlan_shoot(), "vxlan.calico", "ipv4 udp vxlan ethernet ipv4 tcp"},
    {"cilium vxlan", graph::testing::cilium_tunnel_shoot(Encapsulation::Vxlan), "cilium_vxlan",
     "ipv4 udp vxlan ethernet ipv4 tcp"},
    {"cilium geneve", graph::testing::cilium_tunnel_shoot(Encapsulation::Geneve), "cilium_geneve",
     "ipv4 udp geneve ethernet ipv4 tcp"},
};

TEST(TraceReport, TheProvidersNameserverIsThere) {
  const IpAddress nameserver = IpAddress::parse("10.250.0.2").value();
  const Question query{
      .to = "10.250.0.2:53", .protocol = forward::kUdp, .size = 100, .answer = true};
  effective::EffectiveDataplane shoot = graph::testing::routed_shoot();
  EXPECT_THAT(print(report_of(shoot, query)), HasSubstr("DROPPED at gate route"))
      << "a machine that does not exist";
  shoot.nameservers = {nameserver};
  const TraceReport as_pod = report_of(shoot, query);
  ASSERT_TRUE(as_pod.trace.succeeded()) << print(as_pod);
  EXPECT_THAT(as_pod.condition, HasSubstr("if the nameserver answers pods' own addresses"));
  EXPECT_EQ(as_pod.trace.arrived.front().place, "nameserver");
  shoot.masquerade.sources = shoot.pods;
  shoot.masquerade.except = shoot.pods;
  shoot.masquerade.upstream_dns = {IpPrefix::host(nameserver)};
  const TraceReport masqueraded = report_of(shoot, query);
  EXPECT_TRUE(masqueraded.trace.succeeded());
  EXPECT_EQ(masqueraded.condition, "");
  effective::EffectiveDataplane hidden = graph::testing::ipip_shoot();
  hidden.nameservers = {nameserver};
  const TraceReport unanswered = report_of(hidden, query);
  EXPECT_FALSE(unanswered.trace.delivered) << "the VPC has no route back to the pod";
  EXPECT_THAT(unanswered.needed.value().what, HasSubstr("a rule that masquerades"));
}

TEST(TraceLegs, ShowAtEachInterfaceWhatACaptureThereWould) {
  for (const Row& row : kRows) {
    const TraceReport report = report_of(row.shoot, {});
    const std::string file = temporary("legs.pcapng");
    ASSERT_TRUE(write_legs(file, report.trace));
    auto reader = capture::CaptureReader::open(file);
    ASSERT_TRUE(reader);
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < report.trace.legs.size(); ++i) {
      const auto packet = reader->next();
      ASSERT_TRUE(packet && *packet) << row.name;
      const auto decoded =
          capture::decode(**packet, reader->link_type(), capture::default_tunnel_ports());
      EXPECT_THAT(decoded.problems, ::testing::IsEmpty()) << row.name << ' ' << i;
      seen.push_back(report.trace.legs[i].interface + ' ' + layers_of(decoded));
    }
    EXPECT_FALSE(reader->next().value()) << "no more packets than legs";
    const std::string bare = " ipv4 tcp";
    const std::string wrapped = std::string(" ") + row.wrapped;
    const std::string pod = row.shoot.agent == effective::NodeAgent::CiliumAgent ? "lxc" : "cali";
    std::vector<std::string> expected{"node-1/" + pod + "64600002" + bare};
    if (*row.tunnel != '\0') expected.push_back(std::string("node-1/") + row.tunnel + bare);
    expected.push_back("node-1/eth0" + wrapped);
    expected.push_back("node-2/eth0" + wrapped);
    if (*row.tunnel != '\0') expected.push_back(std::string("node-2/") + row.tunnel + bare);
    expected.push_back("node-2/" + pod + "64600102" + bare);
    EXPECT_EQ(seen, expected) << row.name;
    std::remove(file.c_str());
  }
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string out;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe))
    out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

TEST(TraceLegs, TsharkReadsInterfacesAndCommentsAndFindsNothingWrong) {
  if (std::system("command -v tshark >/dev/null") != 0) {
    GTEST_SKIP() << "no tshark: tools/setup installs it";
  }
  const std::string file = temporary("tshark.pcapng");
  // Fragments, too, must come together to sound packets.
  const TraceReport report =
      report_of(graph::testing::ipip_shoot(), {.size = 4000, .dont_fragment = false});
  ASSERT_TRUE(report.trace.delivered);
  ASSERT_TRUE(write_legs(file, report.trace));
  const std::string out = output_of(
      "tshark -r " + file +
      " -n -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -T fields -e frame.interface_name"
      " -e frame.comment -e _ws.malformed -e _ws.expert.message 2>/dev/null");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'),
            static_cast<std::ptrdiff_t>(report.trace.legs.size()));
  EXPECT_THAT(out, HasSubstr("node-1/tunl0\thop "));
  EXPECT_THAT(out, HasSubstr("node-2: deliver: 100.96.1.2 is a pod of this node"));
  EXPECT_THAT(out, ::testing::Not(HasSubstr("ad checksum")));
  std::remove(file.c_str());
}

TEST(TraceLegs, AFileThatCannotBeWrittenIsNamed) {
  const auto written = write_legs("/nowhere/legs.pcapng", {});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().to_string(), HasSubstr("/nowhere/legs.pcapng"));
}

TEST(TraceReport, IsADocumentWithHopsOutcomeAndWhatLeft) {
  const auto json =
      encode(report_of(graph::testing::ipip_shoot(), {.protocol = forward::kUdp, .answer = true}));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["kind"], "TraceReport");
  EXPECT_EQ(json["outcome"], "delivered");
  EXPECT_TRUE(json["first_failing_gate"].is_null());
  EXPECT_TRUE(json["needed"].is_null());
  EXPECT_EQ(json["packet"]["from"]["name"], "node-1/pod-0");
  EXPECT_EQ(json["packet"]["length_bytes"], 1480);
  EXPECT_EQ(json["packets_out"].size(), 2u);
  EXPECT_EQ(json["packets_out"][0]["place"], "node-2/pod-0");
  EXPECT_EQ(json["packets_out"][1]["kind"], "answer");
  for (const auto& hop : json["hops"]) {
    for (const char* field : {"place", "decision", "because", "state_entry"})
      EXPECT_TRUE(hop[field].is_string()) << hop;
  }
  EXPECT_TRUE(json["findings"].is_array());
}

TEST(TraceReport, NamesTheGateFirst) {
  auto shoot = graph::testing::ipip_shoot();
  shoot.provider = effective::Provider::Azure;
  const TraceReport report = report_of(shoot, {});
  const auto json = encode(report);
  EXPECT_EQ(json["outcome"], "dropped");
  EXPECT_EQ(json["first_failing_gate"], "filter");
  EXPECT_EQ(json["failure"]["drop"], "fabric-protocol-filter");
  const std::string text = print(report);
  EXPECT_LT(text.find("DROPPED at gate filter: vpc, hop "), text.find("  1. "));
  EXPECT_THAT(text, HasSubstr("needed: in vpc, a fabric that carries protocol 4"));
}

TEST(Gate, EveryDropHasOneUnlessOnePacketCannotMeetIt) {
  std::map<std::string, int> drops;
  for (const DropFacts& row : kDrops) {
    ++drops[row.gate ? std::string(to_string(*row.gate)) : "none"];
  }
  EXPECT_EQ(drops, (std::map<std::string, int>{{"route", 15},
                                               {"encapsulation", 6},
                                               {"anti-spoofing", 4},
                                               {"filter", 8},
                                               {"mtu", 6},
                                               {"none", 9}}));
}

}  // namespace trace_report_test
}  // namespace overlane::path

#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace trace_test {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kIpip = "topologies/library/manifests/shoot-aws-ipip.yaml";
constexpr const char* kRouted = "topologies/library/manifests/shoot-aws.yaml";

Answer trace(const std::string& arguments) {
  return run_overlane("trace " + arguments);
}

TEST(Trace, TracesAFullPacketBetweenNodesByDefault) {
  const Answer answer = trace(kIpip);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("DELIVERED to node-2/pod-0."));
  EXPECT_THAT(answer.out, HasSubstr("TCP port 40000 to 80, 8981 bytes"));
}

/// A zoned Azure shoot without networks.zones. Its only subnet is smaller than the nodes' range.
TEST(Trace, NodesLieInTheWorkersRange) {
  const std::string path = write_temporary(
      "one-nodes-subnet.yaml",
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {name: shop, namespace: garden-dev}\nspec:\n  provider:\n    type: azure\n"
      "    infrastructureConfig:\n"
      "      apiVersion: azure.provider.extensions.gardener.cloud/v1alpha1\n"
      "      kind: InfrastructureConfig\n"
      "      networks: {vnet: {cidr: 10.180.0.0/16}, workers: 10.180.0.0/19}\n"
      "      zoned: true\n"
      "    workers:\n"
      "    - {name: w, machine: {type: m}, minimum: 6, maximum: 30, zones: ['1', '2']}\n"
      "  networking: {type: cilium, pods: 100.96.0.0/11, services: 100.64.0.0/13, "
      "nodes: 10.180.0.0/16, providerConfig: {overlay: {enabled: true}, tunnel: geneve}}\n");
  const Answer answer = trace(path);
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("DELIVERED to node-2/pod-0."));
  EXPECT_THAT(answer.out, HasSubstr("10.180.0.5"));
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("10.180.64.4")));
  EXPECT_THAT(run_overlane("explain --fabric-state " + path).out,
              HasSubstr("instance node-2 10.180.0.5 subnet nodes zone 2 "));
}

/// A machine's address on GCP is a /32, so that packets to every peer go over the gateway.
TEST(Trace, TakesTheGatewayWhereMachinesHaveHostAddresses) {
  constexpr const char* kGcp = "topologies/library/manifests/shoot-gcp.yaml";
  const auto json = nlohmann::json::parse(trace(std::string(kGcp) + " -o json").out);
  EXPECT_EQ(json["outcome"], "delivered");
  const std::string text = trace(kGcp).out;
  EXPECT_THAT(text, HasSubstr("default via 10.250.0.1 dev eth0"));
  const std::string state = run_overlane(std::string("explain --node-state ") + kGcp).out;
  EXPECT_THAT(state, HasSubstr("\n10.250.0.1 dev eth0 proto boot scope link\n"));
  EXPECT_THAT(state, testing::Not(HasSubstr("/16 dev eth0")));
}

/// BIRD does not learn the default route there (tools/check-bird-routes).
TEST(Trace, PodRoutesOfBirdAreUnreachableWhereMachinesHaveHostAddresses) {
  constexpr const char* kGcp = "topologies/library/manifests/shoot-gcp.yaml";
  const std::string patch =
      " --patch '{overlay: {enabled: false, createPodRoutes: true}, backend: bird}'";
  const Answer state = run_overlane(std::string("explain --node-state ") + kGcp + patch);
  EXPECT_THAT(state.out, HasSubstr("+ unreachable ")) << state.err;
}

TEST(Trace, AcceptsANetworkProviderOfTheLibraryByName) {
  constexpr const char* kNetwork = "topologies/library/manifests/network-gardenet.yaml";
  const Answer alone = trace(kNetwork);
  EXPECT_EQ(alone.exit_code, 3);
  EXPECT_THAT(unwrapped(alone.err), HasSubstr("add the argument gardenet"));
  const Answer both = trace(std::string(kNetwork) + " gardenet");
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(run_overlane(std::string("explain --node-state gardenet ") + kNetwork).exit_code, 0);
}

TEST(Trace, EntryOfEveryHopIsALineOfExplain) {
  for (const char* manifest : {kIpip, kRouted}) {
    std::string states;
    for (const char* node : {"node-1", "node-2"}) {
      states += run_overlane(std::string("explain --node-state --fabric-state ") + manifest +
                             " --node " + node)
                    .out;
    }
    const auto json = nlohmann::json::parse(trace(std::string(manifest) + " --reply -o json").out);
    EXPECT_EQ(json["outcome"], "delivered");
    for (const auto& hop : json["hops"])
      EXPECT_THAT(states, HasSubstr(hop["state_entry"].get<std::string>() + '\n'));
  }
}

TEST(Trace, DroppedPacketExitsWith1AndNamesTheGate) {
  struct Row {
    const char* options;
    const char* gate;
  };
  const Row rows[] = {
      {"--without '100.96.1.0/24'", "route"},
      {"--without tunl0", "encapsulation"},
      {"--without 'node-1: 100.96.0.2'", "anti-spoofing"},
      {"--without 'group ipip-aws-nodes: allow from interfaces of the group'", "filter"},
      {"--size 9000", "mtu"},
      {"--patch '{vethMTU: \"9001\"}'", "mtu"},
  };
  for (const Row& row : rows) {
    const Answer answer = trace(std::string(kIpip) + " -o json --quiet " + row.options);
    EXPECT_EQ(answer.exit_code, 1) << row.options;
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["first_failing_gate"], row.gate) << row.options;
    EXPECT_FALSE(json["needed"]["what"].get<std::string>().empty()) << row.options;
  }
}

TEST(Trace, PatchIsTraced) {
  const Answer answer = trace(std::string(kIpip) + " --patch '{overlay: {enabled: false}}'");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, testing::Not(HasSubstr("encapsulate")));
}

TEST(Trace, AssumedPodBehindAServiceIsANote) {
  const Answer answer = trace(std::string(kRouted) + " --to service:100.64.0.10:53 -o json");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr("[assumed-backend]"));
  EXPECT_EQ(nlohmann::json::parse(answer.out)["findings"][0]["rule"], "assumed-backend");
  EXPECT_THAT(trace(std::string(kRouted) + " --to 100.64.0.10:53 --backend node-3/pod-0").err,
              testing::Not(HasSubstr("assumed-backend")));
}

constexpr const char* kDual = "topologies/library/manifests/shoot-aws-dual-stack.yaml";
constexpr const char* kIpv6 = "topologies/library/manifests/shoot-aws-ipv6.yaml";

TEST(Trace, FollowsEitherFamilyOfADualStackShoot) {
  EXPECT_THAT(trace(kDual).out, HasSubstr("node-1/pod-0 (100.96.0.2)"));
  const Answer ipv6 = trace(std::string(kDual) + " --family ipv6 --reply");
  EXPECT_EQ(ipv6.exit_code, 0) << ipv6.err;
  EXPECT_THAT(unwrapped(ipv6.out), HasSubstr("prefix 2001:db8:12:3401:4::/80"));
  const Answer outside = trace(std::string(kDual) + " --family ipv6 --to internet --reply");
  EXPECT_EQ(outside.exit_code, 0) << outside.out;
  EXPECT_THAT(outside.out, testing::Not(HasSubstr("MASQUERADE")));
}

TEST(Trace, PrintsItsAssumptions) {
  const Answer text = trace(kIpv6);
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("\nassumed, since no document says:\n"));
  EXPECT_THAT(text.out, HasSubstr("  status.networking.pods 2001:db8::/56: "));
  const auto json = nlohmann::json::parse(trace(std::string(kIpv6) + " -o json").out);
  EXPECT_EQ(json["assumptions"][0]["parameter"], "status.networking.nodes");
  for (const auto& assumption : json["assumptions"])
    EXPECT_THAT(assumption["parameter"], testing::Not(testing::StartsWith("tcp.")));
}

TEST(Trace, WritesEachLegToACapture) {
  const std::string file = write_temporary("legs.pcapng", "");
  EXPECT_EQ(trace(std::string(kIpip) + " --reply --pcap " + file).exit_code, 0);
  const Answer decoded = run_overlane("decode --fail-on warning " + file);
  EXPECT_EQ(decoded.exit_code, 0) << decoded.out;
  EXPECT_THAT(decoded.out, HasSubstr("12 packets, 0 of them with problems"));
  EXPECT_EQ(trace(std::string(kDual) + " --family ipv6 --reply --pcap " + file).exit_code, 0);
  EXPECT_THAT(run_overlane("decode --fail-on warning " + file).out,
              HasSubstr("8 packets, 0 of them with problems"));
  std::remove(file.c_str());
  const Answer full = trace(std::string(kIpip) + " --pcap /dev/full");
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_THAT(full.err, HasSubstr("/dev/full"));
}

TEST(Trace, UsageErrorExitsWith2AndListsTheAlternatives) {
  struct Row {
    const char* options;
    const char* message;
  };
  const Row rows[] = {
      {"--to node-9", "nodes are node-1 to node-2"},
      {"--from 100.64.0.10", "no packet begins there"},
      {"--to ::1", "::1 is a loopback"},
      {"--family ipv6", "the shoot has no IPv6"},
      {"--without tunl7", "\"tunl7\" is no entry of node-1 or vpc or node-2 that can be"},
      {"--without tunl1", "the most similar one is 'tunl0: ipip"},
      {"--without 'group ipip-aws-nodes'", "is the beginning of 2 entries of vpc"},
      {"--protocol sctp", "choose one of tcp, udp, icmp"},
      {"--size 30", "there is no such packet of 30 bytes"},
      {"--ttl 0", "--ttl"},
      {"--dport 70000", "--dport"},
      {"--patch '{overlay: '", "--patch takes one YAML document"},
      {"--shoot a/b", "there is no shoot a/b"},
  };
  for (const Row& row : rows) {
    const Answer answer = trace(std::string(kIpip) + ' ' + row.options);
    EXPECT_EQ(answer.exit_code, 2) << row.options;
    EXPECT_THAT(answer.out, IsEmpty()) << row.options;
    EXPECT_THAT(unwrapped(answer.err), HasSubstr(row.message));
  }
}

TEST(Trace, UnusableInputExitsWith3) {
  const Answer answer = trace("no-such-file.yaml");
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("no-such-file.yaml"));
}

}  // namespace trace_test
}  // namespace overlane::command

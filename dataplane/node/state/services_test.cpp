#include "dataplane/node/state/services.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/node/runtime/conntrack.h"
#include "dataplane/node/testing/cluster.h"
#include "dataplane/node/testing/connections.h"
#include "dataplane/node/text/state_diff.h"

namespace overlane::node {
namespace services_test {

using ::testing::HasSubstr;
using testing::ip;
using testing::net;
using testing::pod;
using enum ServiceProxy;

const ServicePort kFront{ip("100.64.0.20"), 80, kTrackedTcp};
const std::vector<Endpoint> kThree{{pod(0), 8080}, {pod(1), 8080}, {pod(2), 8080}};

ServiceTable table_of(ServiceProxy proxy, std::vector<Service> services,
                      std::vector<IpPrefix> pods = {}, std::uint64_t seed = 0) {
  return ServiceTable::make(proxy, std::move(services), std::move(pods), seed).value();
}
ConntrackTuple from(IpAddress client, std::uint16_t port) {
  return {client, kFront.address, port, kFront.port, kFront.protocol};
}

struct Broken {
  std::vector<Service> services;
  const char* why;
};
const Broken kBroken[] = {
    {{{kFront, {}}, {kFront, kThree}}, "Service tcp 100.64.0.20:80 is there twice"},
    {{{{kFront.address, 0, kTrackedTcp}, {}}}, "has no port"},
    {{{{kFront.address, 80, 132}, {}}}, "IP protocol 132"},
    {{{kFront, {{pod(0), 0}}}}, "endpoint without a port"},
    {{{kFront, {{ip("fd00::1"), 80}}}}, "endpoint fd00::1 of the other family"},
};

TEST(Services, WhatKubernetesWouldNotTakeIsRefused) {
  for (const Broken& row : kBroken) {
    const auto table = ServiceTable::make(Iptables, row.services, {});
    ASSERT_FALSE(table) << row.why;
    EXPECT_EQ(table.error().rule, "invalid-service");
    EXPECT_THAT(table.error().message, HasSubstr(row.why));
    EXPECT_FALSE(table.error().hint.empty());
  }
}

TEST(Services, AreFoundByAddressPortAndProtocol) {
  const ServicePort udp{kFront.address, 80, kTrackedUdp};
  const ServicePort ipv6{ip("fd00:64::20"), 80, kTrackedTcp};
  const auto table = table_of(Iptables, {{ipv6, {}}, {udp, {}}, {kFront, kThree}});
  EXPECT_EQ(table.find(kFront)->endpoints, kThree);
  EXPECT_EQ(table.find(udp)->front, udp);
  EXPECT_EQ(table.find(ipv6)->front, ipv6);
  EXPECT_EQ(table.find({kFront.address, 81, kTrackedTcp}), nullptr);
  EXPECT_TRUE(table.has(kFront.address));
  EXPECT_FALSE(table.has(ip("100.64.0.21")));
  EXPECT_EQ(table.without(kFront).find(kFront), nullptr);
}

TEST(Services, IpvsTakesTurnsAndTheOthersDrawForEachConnection) {
  const Service service{kFront, kThree};
  RoundRobinCounters counters;
  const auto ipvs = table_of(Ipvs, {service});
  for (std::uint16_t i = 0; i < 6; ++i) {
    const auto choice = choose_endpoint(ipvs, service, from(pod(0, 1), i), counters);
    EXPECT_EQ(choice->endpoint, kThree[i % 3]);
  }
  for (const ServiceProxy proxy : {Iptables, Nftables, CalicoEbpf}) {
    std::map<IpAddress, int> chosen;
    for (std::uint16_t port = 0; port < 3000; ++port) {
      const auto one =
          choose_endpoint(table_of(proxy, {service}), service, from(pod(3), port), counters);
      ++chosen[one->endpoint.address];
    }
    // Five standard deviations of a fair draw.
    for (const auto& [address, count] : chosen)
      EXPECT_NEAR(count, 1000, 5 * 26) << address.to_string();
    EXPECT_EQ(chosen.size(), 3u);
  }
  const auto drawn = [&](std::uint64_t seed) {
    std::vector<Endpoint> all;
    for (std::uint16_t port = 0; port < 20; ++port)
      all.push_back(choose_endpoint(table_of(Iptables, {service}, {}, seed), service,
                                    from(pod(3), port), counters)
                        ->endpoint);
    return all;
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  EXPECT_FALSE(choose_endpoint(ipvs, {kFront, {}}, from(pod(0), 1), counters));
}

TEST(Services, MasqueradesAPodThatReachesItselfAndWhoIsNoPod) {
  const Service service{kFront, {{pod(0), 8080}}};
  const auto table = table_of(Iptables, {service}, {net("100.96.0.0/16")});
  RoundRobinCounters counters;
  const auto is_masqueraded = [&](IpAddress client) {
    return choose_endpoint(table, service, from(client, 1), counters)->masqueraded;
  };
  EXPECT_TRUE(is_masqueraded(pod(0)));
  EXPECT_FALSE(is_masqueraded(pod(1)));
  EXPECT_TRUE(is_masqueraded(ip("10.250.0.4")));
}

TEST(Services, RefusesWhereNoEndpointTakesIt) {
  const Service empty{{kFront.address, 81, kTrackedUdp}, {}};
  const ServicePort other{kFront.address, 82, kTrackedUdp};
  const ServicePort ping{kFront.address, 8 << 8, kTrackedIcmp};
  const ServicePort nobody{ip("100.64.0.99"), 80, kTrackedUdp};
  using enum ServiceRefusal;
  struct Row {
    ServiceProxy proxy;
    ServiceRefusal without_endpoints, other_port, echo;
  };
  for (const Row& row :
       {Row{Iptables, AtForwarding, None, None},
        Row{Nftables, AtForwarding, AtForwarding, AtForwarding}, Row{Ipvs, AtInput, AtInput, None},
        Row{CalicoEbpf, AtVeth, None, None}, Row{Cilium, None, None, None}}) {
    const auto table = table_of(row.proxy, {empty, {kFront, kThree}});
    EXPECT_EQ(refusal(table, empty.front), row.without_endpoints) << to_string(row.proxy);
    EXPECT_EQ(refusal(table, other), row.other_port) << to_string(row.proxy);
    EXPECT_EQ(refusal(table, ping), row.echo) << to_string(row.proxy);
    EXPECT_EQ(refusal(table, kFront), None) << "an RST, say, that opens no connection";
    EXPECT_EQ(refusal(table, nobody), None) << to_string(row.proxy);
  }
}

TEST(Services, StandInTheStatesTextAndInItsDifference) {
  NodeState before = testing::make_cluster({}).nodes[0];
  NodeState after = before;
  after.services = std::make_shared<const ServiceTable>(
      table_of(Ipvs, {{kFront, kThree}, {{ip("fd00:64::20"), 53, kTrackedUdp}, {}}}));
  const std::string with_endpoints =
      "service tcp 100.64.0.20:80 endpoints 100.96.1.10:8080 100.96.2.10:8080 100.96.3.10:8080 "
      "by kube-proxy (IPVS)\n";
  EXPECT_THAT(to_string(after), HasSubstr(with_endpoints));
  EXPECT_THAT(to_string(after), HasSubstr("service udp [fd00:64::20]:53 endpoints (none) by"));
  EXPECT_THAT(diff(before, after), HasSubstr("+ " + with_endpoints));
  EXPECT_NE(before, after);
  EXPECT_TRUE(is_local(after, kFront.address)) << "on kube-ipvs0";
  EXPECT_FALSE(is_local(before, kFront.address));
}

// Translation of destinations in the connection table.

const ConntrackTuple kAsk = from(pod(0), 40'000);

Track open_redirected(ConntrackTable& table, const ConntrackTuple& tuple, IpAddress to) {
  Track track = table.track(tuple, testing::kSyn, {});
  ConntrackTable::redirect(track, to, 8080);
  track.drop = table.confirm(track, "eth0", {});
  return track;
}

TEST(Services, AConnectionKnowsItsEndpointBothWays) {
  ConntrackTable table;
  const Track first = open_redirected(table, kAsk, pod(1));
  EXPECT_TRUE(first.changes_destination());
  EXPECT_FALSE(first.changes_source());
  const ConntrackTuple seen{pod(0), pod(1), 40'000, 8080, kTrackedTcp};
  EXPECT_EQ(first.translated(), seen);
  const Track reply = testing::pass(table, *inverse(seen), {}, testing::kSynAck);
  EXPECT_EQ(reply.translated(), *inverse(kAsk));
  EXPECT_FALSE(reply.changes_destination());
  EXPECT_TRUE(reply.changes_source());
  const Track error = table.track_error(seen, pod(0), {});
  EXPECT_EQ(error.state, TrackState::Related);
  EXPECT_TRUE(error.changes_source()) << "it comes from the Service, and quotes it";
}

TEST(Services, AClientThatAsksTheEndpointItselfToo) {
  ConntrackTable table;
  const ConntrackTuple direct{pod(0), pod(1), 40'000, 8080, kTrackedTcp};
  testing::pass(table, direct, {}, testing::kSyn);
  const Track track = open_redirected(table, kAsk, pod(1));
  ASSERT_FALSE(track.drop);
  EXPECT_TRUE(track.changes_source()) << "answers could not be told apart";
  EXPECT_NE(track.translated().source_port, 40'000);
  EXPECT_EQ(track.translated().destination, pod(1));
}

TEST(Services, AConnectionIsMasqueradedBesides) {
  ConntrackTable table;
  Track track = table.track(kAsk, testing::kSyn, {});
  ConntrackTable::redirect(track, pod(0), 8080);
  ASSERT_FALSE(table.masquerade(track, testing::kNode, "cali64600109"));
  ASSERT_FALSE(table.confirm(track, "cali64600109", {}));
  const ConntrackTuple seen{testing::kNode.source, pod(0), 40'000, 8080, kTrackedTcp};
  EXPECT_EQ(track.translated(), seen);
  const Track reply = testing::pass(table, *inverse(seen), {}, testing::kSynAck);
  EXPECT_TRUE(reply.changes_destination());
  EXPECT_TRUE(reply.changes_source());
  EXPECT_EQ(reply.translated(), *inverse(kAsk));
}

}  // namespace services_test
}  // namespace overlane::node

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/agent/host_dataplane.h"
#include "dataplane/kernel/set_up/run_commands.h"

namespace overlane::agent {
namespace host_dataplane_root_test {

using kernel::Command;
using kernel::Inside;
using kernel::NetworkNamespace;
using kernel::Program;
using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;

IpAddress address(const std::string& text) {
  return IpAddress::parse(text).value();
}

/// Two namespaces as hosts with addresses of both families, joined by a veth pair.
class HostPair : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(places_[0] && places_[1]) << places_[0].error();
    ASSERT_TRUE(run_commands(
        std::vector<Command>{{Program::Ip, "link add eth0 type veth peer name eth0 netns world"}},
        *places_[0], *places_[1]));
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<Command> commands = {
          {Program::Sysctl, "net/ipv6/conf/eth0/accept_dad=0"},
          {Program::Ip, "link set lo up"},
          {Program::Ip, fmt::format("address add 10.77.0.{}/24 dev eth0", i + 1)},
          {Program::Ip, fmt::format("address add fd77::{}/64 dev eth0 nodad", i + 1)},
          {Program::Ip, "link set eth0 up"}};
      ASSERT_TRUE(run_commands(commands, *places_[i], *places_[1 - i]));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(kernel::wait_until_running(*places_[i], "eth0"));
      const Inside inside(*places_[i]);
      const auto facts =
          host_facts(HostNetwork::Pods, std::nullopt, address(fmt::format("10.77.0.{}", i + 1)));
      ASSERT_TRUE(facts) << facts.error();
      hosts_[i] = std::make_unique<HostDataplane>(*facts);
    }
  }
  void TearDown() override {
    for (std::size_t i = 0; i < 2; ++i) {
      const Inside inside(*places_[i]);
      const auto done = hosts_[i]->tear_down();
      EXPECT_TRUE(done) << done.error();
      EXPECT_EQ(leftovers().value(), "");
    }
  }

  SetUpVariant variant(std::size_t host, std::uint32_t number, Encapsulation encapsulation,
                       bool is_ipv4) const {
    const auto range = [&](std::size_t of) {
      return *IpPrefix::parse(is_ipv4 ? fmt::format("198.{}.{}.0/24", 18 + of, number)
                                      : fmt::format("2001:2:0:{:x}::/64", 256 * of + number));
    };
    return {
        .number = number,
        .peer = address(fmt::format("{}{}", is_ipv4 ? "10.77.0." : "fd77::", 2 - host)),
        .offloads = {},
        .pods = PodNetwork{.encapsulation = encapsulation,
                           .vni = 100 + number,
                           .udp_port = encapsulation == Encapsulation::Geneve ? std::uint16_t{6081}
                                                                              : std::uint16_t{4789},
                           .mtu = 1400,
                           .is_first = host == 0,
                           .own_range = range(host),
                           .peer_range = range(1 - host),
                           .pods = {range(host).network() + 1}}};
  }

  /// Runs a stream from a pod of the first host to a pod of the second. Returns the error.
  std::string stream(std::uint32_t number, std::int64_t& received) const {
    const PodNetwork first = *variant(0, number, Encapsulation::None, is_ipv4_).pods;
    const PodNetwork second = *variant(1, number, Encapsulation::None, is_ipv4_).pods;
    std::vector<kernel::Traffic> both;
    for (const std::size_t host : {1u, 0u}) {
      const auto flows = hosts_[host]->flows(
          {.variant = number,
           .flows = {{.load = {.kind = kernel::FlowKind::Stream},
                      .here = host == 0 ? kernel::FlowEnds::Client : kernel::FlowEnds::Server,
                      .client = first.pods[0],
                      .server = second.pods[0],
                      .port = 5201}}});
      if (!flows) return flows.error();
      auto traffic = kernel::Traffic::prepare(*flows);
      if (!traffic) return traffic.error();
      both.push_back(*std::move(traffic));
    }
    std::jthread server([&] {
      both[0].run({milliseconds(50), milliseconds(200)}, [] { return false; });
    });
    both[1].run({milliseconds(50), milliseconds(200)}, [] { return false; });
    server.join();
    const std::string failure = both[1].finish().flows[0].failure;
    received = both[0].finish().flows[0].received_bytes;
    return failure;
  }

  std::array<Parsed<NetworkNamespace>, 2> places_{NetworkNamespace::make(),
                                                  NetworkNamespace::make()};
  std::array<std::unique_ptr<HostDataplane>, 2> hosts_;
  bool is_ipv4_ = true;
};

TEST_F(HostPair, PodsReachEachOtherByEachEncapsulationAtOnce) {
  std::uint32_t number = 0;
  std::vector<std::pair<std::uint32_t, bool>> made;
  for (const bool is_ipv4 : {true, false}) {
    for (const Encapsulation encapsulation :
         {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan, Encapsulation::Geneve}) {
      const std::string name(to_string(encapsulation));
      const auto& abilities = hosts_[0]->facts().abilities;
      if (encapsulation == Encapsulation::Ipip && !is_ipv4) continue;
      if (encapsulation != Encapsulation::None && std::ranges::count(abilities, name) == 0)
        continue;
      for (std::size_t host = 0; host < 2; ++host) {
        const Inside inside(*places_[host]);
        if (!is_ipv4) {
          ASSERT_TRUE(run_commands(
              std::vector<Command>{{Program::Sysctl, "net/ipv6/conf/all/forwarding=1"}},
              *places_[host], *places_[host]));
        }
        const auto done = hosts_[host]->set_up(variant(host, number, encapsulation, is_ipv4));
        ASSERT_TRUE(done) << name << ": " << done.error();
      }
      made.emplace_back(number++, is_ipv4);
    }
  }
  EXPECT_GE(made.size(), 4u);
  for (const auto& [one, is_ipv4] : made) {
    is_ipv4_ = is_ipv4;
    std::int64_t received = 0;
    EXPECT_EQ(stream(one, received), "") << one;
    EXPECT_GT(received, 1'000'000) << one;
  }
}

TEST_F(HostPair, AHostThatDoesNotForwardIpv6IsLeftAlone) {
  const Inside inside(*places_[0]);
  const auto done = hosts_[0]->set_up(variant(0, 0, Encapsulation::None, false));
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("set net.ipv6.conf.all.forwarding to 1"));
}

TEST_F(HostPair, AVariantThatFailsInTheMiddleLeavesNothing) {
  const Inside inside(*places_[0]);
  SetUpVariant unreachable = variant(0, 0, Encapsulation::None, true);
  unreachable.peer = address("192.0.2.9");
  const auto done = hosts_[0]->set_up(unreachable);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error(), HasSubstr("route add 198.19.0.0/24 via 192.0.2.9"));
  EXPECT_EQ(leftovers().value(), "");
  EXPECT_TRUE(hosts_[0]->set_up(variant(0, 0, Encapsulation::None, true)));
  EXPECT_THAT(hosts_[0]->set_up(variant(0, 0, Encapsulation::Vxlan, true)).error(),
              HasSubstr("set up already"));
}

TEST_F(HostPair, WhatIsGoneAlreadyIsRemoved) {
  const Inside inside(*places_[0]);
  ASSERT_TRUE(hosts_[0]->set_up(variant(0, 0, Encapsulation::None, true)));
  ASSERT_TRUE(run_commands(std::vector<Command>{{Program::Ip, "link set eth0 down"},
                                                {Program::Ip, "link delete ovl-0-p0"}},
                           *places_[0], *places_[1]));
  const auto done = hosts_[0]->tear_down();
  EXPECT_TRUE(done) << done.error();
}

TEST_F(HostPair, FactsAreThoseOfTheUplink) {
  const HostFacts& facts = hosts_[1]->facts();
  EXPECT_EQ(facts.uplink, "eth0");
  EXPECT_EQ(facts.ipv4, address("10.77.0.2"));
  EXPECT_EQ(facts.ipv6, address("fd77::2"));
  EXPECT_EQ(facts.mtu, 1500u);
  EXPECT_TRUE(facts.offloads.segmentation);
  EXPECT_THAT(facts.abilities, Contains("veth"));
  const Inside inside(*places_[1]);
  const auto fails = [](const std::optional<std::string>& uplink, const char* reached_at) {
    return host_facts(HostNetwork::AsIs, uplink, address(reached_at)).error();
  };
  EXPECT_THAT(fails(std::nullopt, "127.0.0.1"), HasSubstr("which no other host can"));
  EXPECT_THAT(fails(std::nullopt, "192.0.2.1"), HasSubstr("no device has the address"));
  EXPECT_THAT(fails("eth7", "10.77.0.2"), HasSubstr("eth7: No such device"));
}

}  // namespace host_dataplane_root_test
}  // namespace overlane::agent

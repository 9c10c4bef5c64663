#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/pod_kernel.h"
#include "dataplane/neighbour/link.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"

namespace overlane::conformance {
namespace neighbour_root_test {

using testing::kPodMac;
using testing::PodSide;
using Bytes = std::vector<std::uint8_t>;

/// Somewhere else, in the family of a pod's address.
IpAddress far_from(const PodSide& side) {
  return IpAddress::parse(side.address.is_ipv4() ? "192.0.2.9" : "2001:db8:9::9").value();
}

/// An empty datagram to port 7.
Bytes datagram(const IpAddress& source, const IpAddress& destination) {
  const std::size_t header = destination.is_ipv4() ? wire::kIpv4Bytes : wire::kIpv6Bytes;
  return wire::ip_packet({.source = source,
                          .destination = destination,
                          .source_port = 7,
                          .destination_port = 7,
                          .protocol = wire::kUdp},
                         header + wire::kUdpBytes);
}

bool is_to(const IpAddress& destination, const Bytes& frame) {
  const auto packet = std::span(frame).subspan(wire::kEthernetBytes);
  if (destination.is_ipv4()) {
    const auto header = wire::parse_ipv4(packet);
    return header && IpAddress(header->destination) == destination;
  }
  const auto header = wire::parse_ipv6(packet);
  return header && header->destination == destination;
}

/// A Link at the host's end of a pod's veth.
class Host {
 public:
  explicit Host(const testing::PodKernel& pod) : pod_(pod) {}

  /// A link with the MAC that Calico gives the host's ends; its link-local address is the pods'
  /// gateway.
  neighbour::Link link{
      {.mac = {{0xee, 0xee, 0xee, 0xee, 0xee, 0xee}},
       .answers = {.own = {IpAddress::parse("10.250.0.1").value()}, .proxy_arp = true}}};
  std::vector<Bytes> passed;  ///< Frames that are packets to forward.
  std::map<IpAddress, int> losses;

  void send(const IpAddress& to, const Bytes& packet) { link.send(to, packet, now(), *this); }
  /// Time goes by at once.
  void skip(Picos time) {
    skipped_ += time;
    link.tick(now(), *this);
  }
  Picos now() const {
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    return skipped_ + nanoseconds(std::chrono::nanoseconds(elapsed).count());
  }

  /// Talks to the pod until it holds, for about five seconds at most.
  template <typename Predicate>
  bool soon(Predicate holds) {
    for (int step = 0; step < 5000; ++step) {
      if (holds()) return true;
      const auto frame = pod_.receive();
      if (!frame) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (frame && !link.receive(*frame, now(), *this)) passed.push_back(*frame);
      link.tick(now(), *this);
    }
    return false;
  }

  void transmit(std::span<const std::uint8_t> frame, neighbour::Mark) {
    EXPECT_TRUE(pod_.transmit(frame));
  }
  void transmit_own(std::span<const std::uint8_t> frame) { EXPECT_TRUE(pod_.transmit(frame)); }
  void learned(const IpAddress&, const MacAddress&) {}
  void lost(const IpAddress& address) { ++losses[address]; }
  void unanswered(const IpAddress& next_hop, std::span<const std::uint8_t>, neighbour::Mark) {
    ADD_FAILURE() << next_hop.to_string() << " does not answer";
  }
  void undelivered(const IpAddress& next_hop, std::span<const std::uint8_t>, neighbour::Mark) {
    ADD_FAILURE() << "undelivered to " << next_hop.to_string();
  }

 private:
  const testing::PodKernel& pod_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Picos skipped_;
};

TEST(NeighbourRoot, APodFindsItsGateway) {
  if (geteuid() != 0) GTEST_SKIP() << "making a network namespace needs root";
  const auto pod = testing::PodKernel::make();
  ASSERT_TRUE(pod) << pod.error();
  Host host(*pod);
  for (const PodSide& side : testing::pod_sides()) {
    const IpAddress far = far_from(side);
    ASSERT_TRUE(pod->sends_datagram(far));
    EXPECT_TRUE(host.soon([&] {
      return std::ranges::any_of(host.passed,
                                 [&](const Bytes& frame) { return is_to(far, frame); });
    })) << far.to_string();
    EXPECT_EQ(host.link.find(side.address), kPodMac) << "it said so when it asked";
  }
}

TEST(NeighbourRoot, APodIsFoundAndFoundAgainUntilItIsGone) {
  if (geteuid() != 0) GTEST_SKIP() << "making a network namespace needs root";
  const auto pod = testing::PodKernel::make();
  ASSERT_TRUE(pod) << pod.error();
  Host host(*pod);
  for (const PodSide& side : testing::pod_sides()) {
    host.send(side.address, datagram(far_from(side), side.address));
    EXPECT_EQ(host.link.find(side.address), std::nullopt);
    EXPECT_TRUE(host.soon([&] { return pod->takes_datagram(); })) << side.address.to_string();
    EXPECT_EQ(host.link.find(side.address), kPodMac);
  }

  host.skip(neighbour::kReachable);
  host.skip(neighbour::kDelay);
  EXPECT_LT(host.link.next_deadline(), host.now() + neighbour::kDelay) << "it is asked";
  EXPECT_TRUE(host.soon([&] { return host.link.next_deadline() > host.now() + neighbour::kDelay; }))
      << "and has answered";
  EXPECT_TRUE(host.losses.empty());

  ASSERT_TRUE(pod->ip("addr flush dev eth0"));
  for (const Picos time :
       {neighbour::kReachable, neighbour::kDelay, seconds(1), seconds(1), seconds(1)})
    host.skip(time);
  for (const PodSide& side : testing::pod_sides())
    EXPECT_EQ(host.losses[side.address], 1) << side.address.to_string();
}

}  // namespace neighbour_root_test
}  // namespace overlane::conformance

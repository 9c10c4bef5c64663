#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/neighbour/link.h"
#include "dataplane/neighbour/testing/port.h"

namespace overlane::neighbour {
namespace link_hold_test {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const IpAddress kPod = ip("10.0.0.2");
const IpAddress kPodV6 = ip("2001:db8::2");
const std::string kProbe = "10.0.0.1 asks 02:00:00:00:00:02: who has 10.0.0.2?";
const std::string kQuestion = "10.0.0.1 asks ff:ff:ff:ff:ff:ff: who has 10.0.0.2?";

Bytes advertised(const MacAddress& mac) {
  return advertisement({.type = wire::kNeighbourAdvertisement,
                        .solicited = true,
                        .overrides = true,
                        .target = kPodV6.ipv6(),
                        .mac = mac});
}

/// A port with `keeps_known_mac` that has known both addresses as kTheirMac's for a while.
Port acquainted() {
  Port port({.answers = {.proxy_arp = true}, .keeps_known_mac = true});
  port.resolve(kPod);
  port.receive(arp_reply(kPod));
  port.resolve(kPodV6);
  port.receive(advertised(kTheirMac));
  port.pass(kLock + milliseconds(1));
  port.take_events();
  return port;
}

struct Claim {
  const char* what;
  IpAddress address;
  Bytes frame;
};

/// Messages of kOtherMac that claim an address. Without `keeps_known_mac` each one succeeds.
std::vector<Claim> claims() {
  Bytes announcement = arp(wire::kArpReply, kOtherMac, kPod, kPod, kBroadcastMac);
  constexpr std::size_t kTargetMac = 32;
  std::ranges::copy(kOtherMac.bytes, announcement.begin() + kTargetMac);
  const IpAddress group = solicited_node(ip("2001:db8::1"));
  return {{"an announcing request", kPod, arp_request(kPod, kPod, kOtherMac)},
          {"an announcing reply", kPod, announcement},
          {"a request", kPod, arp_request(kPod, ip("169.254.1.1"), kOtherMac)},
          {"a reply", kPod, arp_reply(kPod, kOtherMac)},
          {"an advertisement", kPodV6, advertised(kOtherMac)},
          {"a solicitation", kPodV6,
           neighbour_frame({.target = ip("2001:db8::1").ipv6(), .mac = kOtherMac}, kPodV6, group,
                           multicast_mac(group))}};
}

TEST(LinkHold, ElsewhereEachClaimIsBelieved) {
  for (const Claim& claim : claims()) {
    Port port({.answers = {.proxy_arp = true}});
    port.resolve(kPod);
    port.receive(arp_reply(kPod));
    port.resolve(kPodV6);
    port.receive(advertised(kTheirMac));
    port.pass(kLock + milliseconds(1));
    port.receive(claim.frame);
    EXPECT_EQ(port.link.find(claim.address), kOtherMac) << claim.what;
  }
}

TEST(LinkHold, NoClaimTakesAnAddressFromOneThatAnswers) {
  for (const Claim& claim : claims()) {
    SCOPED_TRACE(claim.what);
    Port port = acquainted();
    port.receive(claim.frame);
    EXPECT_EQ(port.link.find(claim.address), kTheirMac);
    ASSERT_FALSE(port.events.empty());
    const std::string probe =
        claim.address == kPod ? kProbe
                              : "fe80::ff:fe00:1 asks 2001:db8::2 at 02:00:00:00:00:02: who has "
                                "2001:db8::2?";
    EXPECT_EQ(port.events.front(), probe) << "who has it is asked at once";
    port.receive(claim.address == kPod ? arp_reply(kPod) : advertised(kTheirMac));
    port.take_events();
    port.pass(kReachable);
    EXPECT_EQ(port.link.find(claim.address), kTheirMac);
    EXPECT_THAT(port.take_events(), IsEmpty()) << "the answer settles it";
  }
}

TEST(LinkHold, ANewOneHasTheAddressThreeSecondsAfterTheOldOneIsGone) {
  Port port = acquainted();
  port.receive(arp_request(kPod, ip("169.254.1.1"), kOtherMac));
  EXPECT_THAT(port.take_events(),
              ElementsAre(kProbe,
                          "169.254.1.1 is at 02:00:00:00:00:01, says it to 10.0.0.2 at "
                          "02:00:00:00:00:03"));
  port.pass(seconds(3) - picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre(kProbe, kProbe));
  EXPECT_EQ(port.link.find(kPod), kTheirMac);
  port.pass(picoseconds(1));
  EXPECT_THAT(port.take_events(), ElementsAre("lost 10.0.0.2"));
  port.send(kPod, packet_from(ip("10.1.0.5")));
  EXPECT_THAT(port.take_events(), ElementsAre(kQuestion));
  port.receive(arp_reply(kPod, kOtherMac));
  EXPECT_THAT(port.take_events(), ElementsAre("learned 10.0.0.2 02:00:00:00:00:03",
                                              "a packet of 20 bytes to 02:00:00:00:00:03"));
}

TEST(LinkHold, AFloodOfClaimsAsksOnceASecond) {
  Port port = acquainted();
  constexpr int kSeconds = 20;
  for (int i = 0; i < kSeconds * 100; ++i) {
    port.receive(arp_request(kPod, kPod, kOtherMac));
    if (!port.events.empty()) {
      EXPECT_THAT(port.take_events(), ElementsAre(kProbe));
      port.receive(arp_reply(kPod));
    }
    port.pass(milliseconds(10));
  }
  std::size_t probes = 0;
  for (const Bytes& frame : port.frames)
    probes += said(frame) == kProbe;
  EXPECT_GT(probes, kSeconds - 2u);
  EXPECT_LE(probes, kSeconds + 0u);
}

TEST(LinkHold, OneThatOnlySpokeIsHeldToItToo) {
  Port port({.answers = {.proxy_arp = true}, .keeps_known_mac = true});
  port.receive(arp_request(kPod, ip("169.254.1.1")));
  port.take_events();
  port.receive(arp_request(kPod, kPod, kOtherMac));
  EXPECT_EQ(port.link.find(kPod), kTheirMac);
  EXPECT_THAT(port.take_events(), ElementsAre(kProbe));
}

TEST(LinkHold, WhoeverDrivesItMayDoubt) {
  Port port;
  port.link.doubt(kPod, port.now, port);
  EXPECT_FALSE(port.link.has(kPod));
  port.resolve(kPod);
  EXPECT_TRUE(port.link.has(kPod));
  port.take_events();
  port.link.doubt(kPod, port.now, port);
  EXPECT_THAT(port.take_events(), IsEmpty()) << "it is being asked for";
  port.receive(arp_reply(kPod));
  port.take_events();
  port.link.doubt(kPod, port.now + kLock, port);
  EXPECT_THAT(port.take_events(), IsEmpty()) << "it has just answered";
  port.link.doubt(kPod, port.now + kLock + picoseconds(1), port);
  EXPECT_THAT(port.take_events(), ElementsAre(kProbe));
  port.link.doubt(kPod, port.now + kLock + picoseconds(1), port);
  EXPECT_THAT(port.take_events(), IsEmpty()) << "it is being asked";
}

}  // namespace link_hold_test
}  // namespace overlane::neighbour

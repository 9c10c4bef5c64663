#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/neighbour/link.h"
#include "dataplane/neighbour/testing/port.h"

namespace overlane::neighbour {
namespace link_arp_test {

using namespace testing;
using overlane::testing::hex;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// What a Linux 6.18 kernel sends and hears on a veth pair (tcpdump).
const Bytes kRequestOfLinux =
    hex("ffff ffff ffff 0200 0000 0001 0806 0001 0800 0604 0001 0200 0000 0001 0a00 0001"
        "0000 0000 0000 0a00 0002");
const Bytes kReplyToLinux =
    hex("0200 0000 0001 0200 0000 0002 0806 0001 0800 0604 0002 0200 0000 0002 0a00 0002"
        "0200 0000 0001 0a00 0001");
const Bytes kProbeToLinux =
    hex("0200 0000 0001 0200 0000 0002 0806 0001 0800 0604 0001 0200 0000 0002 0a00 0002"
        "0000 0000 0000 0a00 0001");
const Bytes kReplyOfLinux =
    hex("0200 0000 0002 0200 0000 0001 0806 0001 0800 0604 0002 0200 0000 0001 0a00 0001"
        "0200 0000 0002 0a00 0002");

TEST(LinkArp, AsksAndAnswersByteForByteAsLinux) {
  Port port;
  port.want(ip("10.0.0.2"));
  EXPECT_THAT(port.frames, ElementsAre(kRequestOfLinux));
  EXPECT_TRUE(port.receive(kReplyToLinux));
  EXPECT_EQ(port.link.find(ip("10.0.0.2")), kTheirMac);
  EXPECT_TRUE(port.receive(kProbeToLinux));
  EXPECT_EQ(port.frames.back(), kReplyOfLinux);
}

struct Row {
  const char* what;
  bool proxy_arp;
  Bytes request;
  std::vector<std::string> events;
};

const MacAddress kAll = kBroadcastMac;

const Row kRows[] = {
    {"its own address is here",
     false,
     arp_request(ip("10.0.0.2"), ip("10.0.0.1")),
     {"learned 10.0.0.2 02:00:00:00:00:02",
      "10.0.0.1 is at 02:00:00:00:00:01, says it to 10.0.0.2 at 02:00:00:00:00:02"}},
    {"another address is not", false, arp_request(ip("10.0.0.2"), ip("10.0.0.9")), {}},
    {"on the side of the pods it is",
     true,
     arp_request(ip("10.0.0.2"), ip("169.254.1.1")),
     {"learned 10.0.0.2 02:00:00:00:00:02",
      "169.254.1.1 is at 02:00:00:00:00:01, says it to 10.0.0.2 at 02:00:00:00:00:02"}},
    {"there, too, the asker's own address is its own",
     true,
     arp_request(ip("10.0.0.2"), ip("10.0.0.2")),
     {}},
    {"a new address that nobody has", true, arp_request(ip("0.0.0.0"), ip("10.0.0.2")), {}},
    {"a new address that is ours",
     false,
     arp_request(ip("0.0.0.0"), ip("10.0.0.1")),
     {"10.0.0.1 is at 02:00:00:00:00:01, says it to 0.0.0.0 at 02:00:00:00:00:02"}},
    {"a multicast address", true, arp_request(ip("10.0.0.2"), ip("224.0.0.1")), {}},
    {"the broadcast address", true, arp_request(ip("10.0.0.2"), ip("255.255.255.255")), {}},
    {"a loopback address", true, arp_request(ip("10.0.0.2"), ip("127.0.0.1")), {}},
    {"an asker with our address", true, arp_request(ip("10.0.0.1"), ip("10.0.0.9")), {}},
    {"an asker with a multicast address", true, arp_request(ip("224.0.0.5"), ip("10.0.0.9")), {}},
    {"a request to another port",
     true,
     arp(wire::kArpRequest, kTheirMac, ip("10.0.0.2"), ip("10.0.0.1"), kOtherMac),
     {}},
    {"an answer that nobody waits for", true, arp_reply(ip("10.0.0.2")), {}},
    {"an unknown operation", true, arp(3, kTheirMac, ip("10.0.0.2"), ip("10.0.0.1"), kAll), {}},
};

TEST(LinkArp, SaysWhatIsHere) {
  for (const Row& row : kRows) {
    Port port({.answers = {.proxy_arp = row.proxy_arp}});
    EXPECT_TRUE(port.receive(row.request)) << row.what;
    EXPECT_EQ(port.events, row.events) << row.what;
    EXPECT_EQ(port.link.malformed(), 0u) << row.what;
  }
}

TEST(LinkArp, ListsOfAddressesChange) {
  Port port;
  port.link.set_answers({.own = {ip("10.0.0.7")}});
  port.receive(arp_request(ip("10.0.0.2"), ip("10.0.0.1")));
  EXPECT_THAT(port.take_events(), IsEmpty());
  port.want(ip("10.0.0.3"));
  EXPECT_THAT(port.events, ElementsAre("10.0.0.7 asks ff:ff:ff:ff:ff:ff: who has 10.0.0.3?"));
}

TEST(LinkArp, NonsenseIsCountedAndIgnored) {
  Bytes truncated = kReplyToLinux;
  truncated.pop_back();
  Bytes of_ieee_1394 = kReplyToLinux;
  of_ieee_1394[15] = 24;
  const Bytes kNonsense[] = {
      truncated, of_ieee_1394,
      arp(wire::kArpReply, kBroadcastMac, ip("10.0.0.2"), ip("10.0.0.1"), kOurMac),
      arp(wire::kArpReply, MacAddress{{1, 0, 0x5e}}, ip("10.0.0.2"), ip("10.0.0.1"), kOurMac),
      arp(wire::kArpReply, MacAddress{}, ip("10.0.0.2"), ip("10.0.0.1"), kOurMac)};
  Port port;
  port.want(ip("10.0.0.2"));
  port.take_events();
  for (const Bytes& frame : kNonsense)
    EXPECT_TRUE(port.receive(frame));
  EXPECT_EQ(port.link.malformed(), std::size(kNonsense));
  EXPECT_THAT(port.events, IsEmpty());
}

TEST(LinkArp, WhoAnnouncesItselfIsBelievedAtOnceAndOnlyWhenItIsKnown) {
  const Bytes request = arp_request(ip("10.0.0.2"), ip("10.0.0.2"), kOtherMac);
  Bytes reply = arp(wire::kArpReply, kOtherMac, ip("10.0.0.2"), ip("10.0.0.2"), kBroadcastMac);
  constexpr std::size_t kTargetMac = 32;
  std::ranges::copy(kOtherMac.bytes, reply.begin() + kTargetMac);
  for (const Bytes& announcement : {request, reply}) {
    Port port;
    port.receive(announcement);
    EXPECT_THAT(port.take_events(), IsEmpty());
    port.want(ip("10.0.0.2"));
    port.receive(kReplyToLinux);
    port.take_events();
    port.receive(announcement);
    EXPECT_THAT(port.events, ElementsAre("learned 10.0.0.2 02:00:00:00:00:03"));
  }
}

TEST(LinkArp, OfSeveralAnswersTheFirstCountsForASecond) {
  Port port;
  port.want(ip("10.0.0.2"));
  port.receive(arp_reply(ip("10.0.0.2"), kTheirMac));
  port.now += kLock;
  port.receive(arp_reply(ip("10.0.0.2"), kOtherMac));
  EXPECT_EQ(port.link.find(ip("10.0.0.2")), kTheirMac);
  port.now += milliseconds(1);
  port.receive(arp_reply(ip("10.0.0.2"), kOtherMac));
  EXPECT_EQ(port.link.find(ip("10.0.0.2")), kOtherMac);
}

TEST(LinkArp, OtherFramesAreNotTaken) {
  Port port;
  for (const char* frame :
       {"", "ffff ffff ffff 0200 0000 0001 08", "0200 0000 0001 0200 0000 0002 0800 4500 0014",
        "ffff ffff ffff 0200 0000 0002 8100 0001 0806"})
    EXPECT_FALSE(port.receive(hex(frame))) << frame;
}

}  // namespace link_arp_test
}  // namespace overlane::neighbour

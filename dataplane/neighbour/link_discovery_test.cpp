#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/link.h"
#include "dataplane/neighbour/testing/port.h"

namespace overlane::neighbour {
namespace link_discovery_test {

using namespace testing;
using overlane::testing::hex;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using wire::NeighbourMessage;

// What Linux 6.18 kernels that forward send to each other on a veth pair (tcpdump).
const Bytes kQuestionOfLinux =
    hex("3333 ff00 0002 0200 0000 0001 86dd 6000 0000 0020 3aff 2001 0db8 0000 0000 0000"
        "0000 0000 0001 ff02 0000 0000 0000 0000 0001 ff00 0002 8700 1c27 0000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0002 0101 0200 0000 0001");
const Bytes kAnswerToLinux =
    hex("0200 0000 0001 0200 0000 0002 86dd 6000 0000 0020 3aff 2001 0db8 0000 0000 0000"
        "0000 0000 0002 2001 0db8 0000 0000 0000 0000 0000 0001 8800 0a71 e000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0002 0201 0200 0000 0002");
const Bytes kProbeToLinux =
    hex("0200 0000 0001 0200 0000 0002 86dd 6000 0000 0020 3aff fe80 0000 0000 0000 0000"
        "00ff fe00 0002 2001 0db8 0000 0000 0000 0000 0000 0001 8700 1cab 0000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0001 0101 0200 0000 0002");
const Bytes kAnswerOfLinux =
    hex("0200 0000 0002 0200 0000 0001 86dd 6000 0000 0018 3aff 2001 0db8 0000 0000 0000"
        "0000 0000 0001 fe80 0000 0000 0000 0000 00ff fe00 0002 8800 5eb5 c000 0000 2001"
        "0db8 0000 0000 0000 0000 0000 0001");
const Bytes kProbeOfLinux =
    hex("0200 0000 0002 0200 0000 0001 86dd 6000 0000 0020 3aff fe80 0000 0000 0000 0000"
        "00ff fe00 0001 fe80 0000 0000 0000 0000 00ff fe00 0002 8700 7d1b 0000 0000 fe80"
        "0000 0000 0000 0000 00ff fe00 0002 0101 0200 0000 0001");

/// An IPv6 packet that waits for 2001:db8::2.
const Bytes kWaiting =
    hex("6000 0000 0000 3b40 2001 0db8 0000 0000 0000 0000 0000 0001"
        "2001 0db8 0000 0000 0000 0000 0000 0002");

TEST(LinkDiscovery, AsksAndAnswersByteForByteAsLinux) {
  Port port;
  port.send(ip("2001:db8::2"), kWaiting);
  EXPECT_THAT(port.frames, ElementsAre(kQuestionOfLinux));
  EXPECT_TRUE(port.receive(kAnswerToLinux));
  EXPECT_EQ(port.link.find(ip("2001:db8::2")), kTheirMac);
  EXPECT_TRUE(port.receive(kProbeToLinux));
  EXPECT_EQ(port.frames.back(), kAnswerOfLinux);
  port.want(ip("fe80::ff:fe00:2"));
  port.pass(kDelay);
  EXPECT_EQ(port.frames.back(), kProbeOfLinux);
}

struct Row {
  const char* what;
  Bytes frame;
  std::vector<std::string> events;
};

const IpAddress kAsker = ip("2001:db8::2");

const Row kRows[] = {
    {"its own address is here",
     solicitation(kAsker, ip("2001:db8::1")),
     {"learned 2001:db8::2 02:00:00:00:00:02",
      "2001:db8::1 is at 02:00:00:00:00:01, says it to 2001:db8::2 at 02:00:00:00:00:02, router, "
      "solicited, override"}},
    {"its link-local address is here",
     solicitation(kAsker, ip("fe80::ff:fe00:1")),
     {"learned 2001:db8::2 02:00:00:00:00:02",
      "fe80::ff:fe00:1 is at 02:00:00:00:00:01, says it to 2001:db8::2 at 02:00:00:00:00:02, "
      "router, solicited, override"}},
    {"another address is not, for there is no proxy for all",
     solicitation(kAsker, ip("2001::9")),
     {}},
    {"an asker that does not say where it is goes without an answer",
     neighbour_frame({.target = ip("2001:db8::1").ipv6()}, kAsker, ip("ff02::1:ff00:1"),
                     {{0x33, 0x33, 0xff, 0, 0, 1}}),
     {}},
    {"unless it asks us alone",
     neighbour_frame({.target = ip("2001:db8::1").ipv6()}, kAsker, ip("2001:db8::1"), kOurMac),
     {"2001:db8::1 is here, says it to 2001:db8::2 at 02:00:00:00:00:02, router, solicited"}},
    {"a new address that is ours",
     neighbour_frame({.target = ip("2001:db8::1").ipv6()}, ip("::"), ip("ff02::1:ff00:1"),
                     {{0x33, 0x33, 0xff, 0, 0, 1}}),
     {"2001:db8::1 is at 02:00:00:00:00:01, says it to ff02::1 at 33:33:00:00:00:01, router, "
      "override"}},
    {"a new address that is not",
     neighbour_frame({.target = ip("2001:db8::7").ipv6()}, ip("::"), ip("ff02::1:ff00:7"),
                     {{0x33, 0x33, 0xff, 0, 0, 7}}),
     {}},
    {"an asker with our address", solicitation(ip("2001:db8::1"), ip("2001:db8::1")), {}},
    {"a question to another port",
     neighbour_frame({.target = ip("2001:db8::1").ipv6(), .mac = kTheirMac}, kAsker,
                     ip("2001:db8::1"), kOtherMac),
     {}},
    {"an answer that nobody waits for",
     advertisement(
         {.type = wire::kNeighbourAdvertisement, .target = kAsker.ipv6(), .mac = kTheirMac}),
     {}},
};

TEST(LinkDiscovery, SaysWhatIsHere) {
  for (const Row& row : kRows) {
    Port port({.answers = {.proxy_arp = true}});
    EXPECT_TRUE(port.receive(row.frame)) << row.what;
    EXPECT_EQ(port.events, row.events) << row.what;
    EXPECT_EQ(port.link.malformed(), 0u) << row.what;
  }
}

TEST(LinkDiscovery, NonsenseIsCountedAndIgnored) {
  const MacAddress group{{0x33, 0x33, 0xff, 0, 0, 1}};
  const NeighbourMessage question{.target = ip("2001:db8::1").ipv6(), .mac = kTheirMac};
  Bytes forwarded = kProbeToLinux;
  forwarded[21] = 254;
  Bytes damaged = kProbeToLinux;
  damaged.back() ^= 1;
  const Row kNonsense[] = {
      {"a hop limit below 255", forwarded, {}},
      {"a wrong checksum", damaged, {}},
      {"a multicast MAC",
       neighbour_frame({.target = question.target, .mac = group}, kAsker, ip("2001:db8::1"),
                       kOurMac),
       {}},
      {"a multicast target",
       neighbour_frame({.target = ip("ff02::1").ipv6(), .mac = kTheirMac}, kAsker,
                       ip("2001:db8::1"), kOurMac),
       {}},
      {"a multicast source",
       neighbour_frame(question, ip("ff02::2"), ip("2001:db8::1"), kOurMac),
       {}},
      {"a new address with a MAC",
       neighbour_frame(question, ip("::"), ip("ff02::1:ff00:1"), group),
       {}},
      {"a new address, asked of us",
       neighbour_frame({.target = question.target}, ip("::"), ip("2001:db8::1"), kOurMac),
       {}},
      {"an answer to all that says it was asked for",
       neighbour_frame({.type = wire::kNeighbourAdvertisement,
                        .solicited = true,
                        .target = kAsker.ipv6(),
                        .mac = kTheirMac},
                       kAsker, ip("ff02::1"), {{0x33, 0x33, 0, 0, 0, 1}}),
       {}},
  };
  for (const Row& row : kNonsense) {
    Port port;
    EXPECT_TRUE(port.receive(row.frame)) << row.what;
    EXPECT_THAT(port.events, IsEmpty()) << row.what;
    EXPECT_EQ(port.link.malformed(), 1u) << row.what;
  }
}

}  // namespace link_discovery_test
}  // namespace overlane::neighbour

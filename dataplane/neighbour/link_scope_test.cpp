#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/link.h"
#include "dataplane/neighbour/testing/port.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"

namespace overlane::neighbour {
namespace link_scope_test {

using namespace testing;
using overlane::testing::hex;
using ::testing::IsEmpty;

const IpAddress kAsker = ip("2001:db8::2");

TEST(LinkScope, TakesWhatIsForThisLinkAlone) {
  struct Case {
    const char* what;
    std::uint8_t type;
    const char* destination;
    bool is_taken;
  };
  for (const Case& row : {Case{"a listener query", 130, "ff02::1", true},
                          Case{"a listener report", 143, "ff02::16", true},
                          Case{"a router solicitation", 133, "ff02::2", true},
                          Case{"a router advertisement", 134, "ff02::1", true},
                          Case{"a redirect", 137, "fe80::ff:fe00:1", true},
                          Case{"a redirect to our address", 137, "2001:db8::1", true},
                          Case{"a question to another link", 135, "2001:db8::9", false},
                          Case{"an echo request to the link", 128, "ff02::1", false},
                          Case{"an echo request to us", 128, "2001:db8::1", false},
                          Case{"a packet too big to us", 2, "fe80::ff:fe00:1", false}}) {
    Bytes frame =
        neighbour_frame({.target = kAsker.ipv6()}, ip("fe80::9"), ip(row.destination), kOurMac);
    const auto message = std::span(frame).subspan(54);
    message[0] = row.type;
    store_be16(&message[2], 0);
    store_be16(&message[2], transport_checksum(ip("fe80::9"), ip(row.destination), 58, message));
    Port port;
    EXPECT_EQ(port.receive(frame), row.is_taken) << row.what;
    EXPECT_THAT(port.events, IsEmpty()) << row.what;
  }
}

TEST(LinkScope, AListenerReportBehindAHopByHopHeaderIsTaken) {
  // Linux sends this frame when a port comes up (tcpdump).
  const Bytes report =
      hex("3333 0000 0016 0200 0000 0002 86dd 6000 0000 0024 0001 fe80 0000 0000 0000 0000"
          "00ff fe00 0002 ff02 0000 0000 0000 0000 0000 0000 0016 3a00 0502 0000 0100 8f00"
          "0000 0000 0001 0400 0000 ff02 0000 0000 0000 0000 0001 ff00 0002");
  Port port;
  EXPECT_TRUE(port.receive(report));
  EXPECT_THAT(port.events, IsEmpty());
}

TEST(LinkScope, AFragmentOfAQuestionIsNone) {
  Bytes frame = solicitation(kAsker, ip("2001:db8::1"));
  // A fragment header with the flag for more fragments.
  const Bytes header = hex("3a00 0001 0000 0001");
  frame.insert(frame.begin() + 54, header.begin(), header.end());
  frame[19] = static_cast<std::uint8_t>(frame[19] + 8);
  frame[20] = 44;
  Port port;
  EXPECT_FALSE(port.receive(frame));
  EXPECT_THAT(port.events, IsEmpty());
}

}  // namespace link_scope_test
}  // namespace overlane::neighbour

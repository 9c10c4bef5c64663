#include <gtest/gtest.h>

#include "dataplane/neighbour/link.h"
#include "dataplane/neighbour/testing/port.h"

namespace overlane::neighbour {
namespace link_advertisement_test {

using namespace testing;

const IpAddress kNeighbour = ip("2001:db8::2");

/// The state after an advertisement, and whether the neighbour is probed within kDelay afterwards
/// (RFC 4861, 7.2.5 and appendix C).
struct Advertised {
  const char* what;
  bool solicited;
  bool overrides;
  std::optional<MacAddress> mac;
  MacAddress known;
  bool is_doubted;
};

TEST(LinkAdvertisement, IsBelievedAsItsFlagsSay) {
  const Advertised kTable[] = {
      {"the same again", true, false, kTheirMac, kTheirMac, false},
      {"the same without a MAC", true, false, std::nullopt, kTheirMac, false},
      {"the same, unasked", false, true, kTheirMac, kTheirMac, false},
      {"another, without override", true, false, kOtherMac, kTheirMac, true},
      {"another, unasked and without override", false, false, kOtherMac, kTheirMac, true},
      {"another, with override", true, true, kOtherMac, kOtherMac, false},
      {"another, unasked, with override", false, true, kOtherMac, kOtherMac, true},
  };
  for (const Advertised& row : kTable) {
    Port port;
    port.resolve(kNeighbour);
    port.receive(advertisement({.type = wire::kNeighbourAdvertisement,
                                .solicited = true,
                                .overrides = true,
                                .target = kNeighbour.ipv6(),
                                .mac = kTheirMac}));
    port.pass(seconds(1));
    port.receive(advertisement({.type = wire::kNeighbourAdvertisement,
                                .solicited = row.solicited,
                                .overrides = row.overrides,
                                .target = kNeighbour.ipv6(),
                                .mac = row.mac}));
    EXPECT_EQ(port.link.find(kNeighbour), row.known) << row.what;
    port.take_events();
    port.pass(kDelay);
    EXPECT_EQ(!port.events.empty(), row.is_doubted) << row.what;
  }
}

TEST(LinkAdvertisement, WithoutAMacItDoesNotHelpWhoHasNone) {
  Port port;
  port.resolve(kNeighbour);
  port.receive(advertisement(
      {.type = wire::kNeighbourAdvertisement, .solicited = true, .target = kNeighbour.ipv6()}));
  EXPECT_EQ(port.link.find(kNeighbour), std::nullopt);
}

}  // namespace link_advertisement_test
}  // namespace overlane::neighbour

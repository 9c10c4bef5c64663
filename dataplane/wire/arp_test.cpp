#include "dataplane/wire/arp.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"
#include "sim/random/stream.h"

namespace overlane::wire {
namespace arp_test {

using testing::Bytes;
using testing::hex;

/// A request as Linux sends it.
const Bytes kRequest =
    hex("00 01 08 00 06 04 00 01 02 42 0a 00 00 01 0a 00 00 01 00 00 00 00 00 00 0a 00 00 02");

TEST(ArpWire, WritesAndParses) {
  const ArpPacket packet{.operation = kArpRequest,
                         .sender_mac = {{2, 0x42, 10, 0, 0, 1}},
                         .sender = {0x0a000001},
                         .target_mac = {},
                         .target = {0x0a000002}};
  EXPECT_EQ(parse_arp(kRequest).value(), packet);
  Bytes bytes(kArpBytes);
  write(packet, bytes);
  EXPECT_EQ(bytes, kRequest);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(parse_arp(testing::first(bytes, size))) << size;
}

TEST(ArpWire, RefusesWhatIsNotForIpv4OverEthernet) {
  struct Row {
    const char* what;
    std::size_t at;
    std::uint8_t value;
    Problem problem;
  };
  for (const Row& row : {Row{"InfiniBand", 1, 32, Problem::UnknownKind},
                         Row{"protocol IPv6", 2, 0x86, Problem::UnknownKind},
                         Row{"MAC of 8 bytes", 4, 8, Problem::WrongSize},
                         Row{"address of 16 bytes", 5, 16, Problem::WrongSize}}) {
    Bytes bytes = kRequest;
    bytes[row.at] = row.value;
    EXPECT_EQ(inspect_arp(bytes)->problems.list(), std::vector{row.problem}) << row.what;
    EXPECT_EQ(inspect_arp(bytes)->header.target, Ipv4Address{}) << row.what;
    EXPECT_EQ(parse_arp(bytes).error(), Drop::Malformed) << row.what;
  }
}

TEST(ArpWire, ParseUndoesWrite) {
  RandomStream random(1, StreamUse::Pattern, 17);
  for (int i = 0; i < 2000; ++i) {
    Bytes bytes = kRequest;
    for (std::size_t at = 6; at < bytes.size(); ++at)
      bytes[at] = static_cast<std::uint8_t>(random.next());
    Bytes written(kArpBytes);
    write(parse_arp(bytes).value(), written);
    EXPECT_EQ(written, bytes);
  }
}

}  // namespace arp_test
}  // namespace overlane::wire

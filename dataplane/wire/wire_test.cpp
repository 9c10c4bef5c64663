#include <gtest/gtest.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/wire/testing/bytes.h"
#include "dataplane/wire/udp.h"
#include "dataplane/wire/vxlan.h"
#include "sim/random/stream.h"

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::hex;

TEST(UdpWire, WritesAndParses) {
  const UdpHeader header{.source_port = 0x9c40, .destination_port = 4789, .length = 12};
  Bytes bytes(12);
  write(header, bytes);
  EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + 8), hex("9c 40 12 b5 00 0c 00 00 "));
  EXPECT_EQ(parse_udp(bytes).value(), header);
  bytes[5] = 13;
  EXPECT_FALSE(parse_udp(bytes)) << "length beyond the packet";
  bytes[5] = 7;
  EXPECT_FALSE(parse_udp(bytes)) << "length under the header";
}

TEST(UdpWire, ALengthOfZeroIsTheSegmentOnlyWhereTheCallerSaysSo) {
  Bytes bytes(70'000);
  write(UdpHeader{.length = 0}, bytes);
  EXPECT_EQ(parse_udp(bytes).error(), Drop::Malformed);
  EXPECT_EQ(inspect_udp(bytes)->problems.list(), std::vector{Problem::LengthTooShort});
  const auto header = parse_udp(bytes, ZeroLength::MeansFrame).value();
  EXPECT_EQ(datagram_of(header, std::span(bytes)).size(), 70'000u);
}

TEST(Problem, EveryRowStandsAtItsNumber) {
  for (std::size_t i = 0; i < kProblems.size(); ++i)
    EXPECT_EQ(kProblems[i].problem, static_cast<Problem>(i)) << kProblems[i].name;
}

TEST(Problem, TheFirstOneInTheListNamesTheDrop) {
  Problems problems;
  EXPECT_FALSE(problems.drop());
  problems.add(Problem::ReservedBits);
  EXPECT_FALSE(problems.drop()) << "which receivers ignore";
  problems.add(Problem::LengthBeyondPacket);
  EXPECT_EQ(problems.drop(), Drop::Malformed);
  problems.add(Problem::WrongChecksum);
  EXPECT_EQ(problems.drop(), Drop::BadChecksum);
  problems.add(Problem::WrongVersion, false);
  EXPECT_EQ(problems.drop(), Drop::BadChecksum);
}

TEST(TcpWire, CarriesMssAndTimestamps) {
  const TcpHeader syn{.source_port = 50000,
                      .destination_port = 80,
                      .sequence = 0x01020304,
                      .flags = kTcpSyn,
                      .window = 64240,
                      .mss = 1428,
                      .timestamps = TcpTimestamps{7, 9}};
  Bytes bytes(header_bytes(syn));
  write(syn, bytes);
  EXPECT_EQ(bytes, hex("c3 50 00 50 01 02 03 04 00 00 00 00 90 02 fa f0 00 00 00 00 "
                       "02 04 05 94 01 01 08 0a 00 00 00 07 00 00 00 09 "));
  EXPECT_EQ(parse_tcp(bytes)->header, syn);
  EXPECT_EQ(parse_tcp(bytes)->header_bytes, 36u);
}

TEST(TcpWire, RefusesLyingOptions) {
  for (const char* options :
       {"02 05 05 94 ", "02 00 05 94 ", "08 04 00 00 ", "01 01 01 02 ", "05 09 00 00 "}) {
    Bytes bytes(20);
    write(TcpHeader{}, bytes);
    bytes[12] = 0x60;
    const Bytes tail = hex(options);
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    EXPECT_FALSE(parse_tcp(bytes)) << options;
  }
}

TEST(IcmpWire, WritesFragmentationNeededWithItsMtu) {
  const IcmpHeader header{.type = 3, .code = 4, .next_hop_mtu = 1480};
  Bytes bytes(36, 0x11);
  write(header, bytes);
  EXPECT_EQ(internet_checksum(bytes), 0);
  EXPECT_EQ(load_be16(bytes.data() + 6), 1480);
  EXPECT_EQ(parse_icmp(bytes).value(), header);
  bytes[20] ^= 1;
  EXPECT_EQ(parse_icmp(bytes).error(), Drop::BadChecksum);
}

TEST(VxlanWire, KeepsTwentyFourBitsOfVni) {
  Bytes bytes(8, 0xff);
  write(VxlanHeader{.vni = 0x123456}, bytes);
  EXPECT_EQ(bytes, hex("08 00 00 00 12 34 56 00 "));
  EXPECT_EQ(parse_vxlan(bytes)->vni, 0x123456u);
  bytes[0] = 0;
  EXPECT_FALSE(parse_vxlan(bytes)) << "without the I flag there is no VNI";
}

TEST(EthernetWire, WritesAndParses) {
  const EthernetHeader header{.destination = {{1, 2, 3, 4, 5, 6}},
                              .source = {{7, 8, 9, 10, 11, 12}}};
  Bytes bytes(14);
  write(header, bytes);
  EXPECT_EQ(bytes, hex("01 02 03 04 05 06 07 08 09 0a 0b 0c 08 00 "));
  EXPECT_EQ(parse_ethernet(bytes).value(), header);
}

TEST(Wire, AHeaderCutAtAnyByteIsRefused) {
  Bytes ip(20), udp(8), tcp(36), icmp(8), vxlan(8), ethernet(14);
  write(Ipv4Header{.total_length = 20}, ip);
  write(UdpHeader{}, udp);
  write(TcpHeader{.mss = 1400, .timestamps = TcpTimestamps{}}, tcp);
  write(IcmpHeader{.type = 11}, icmp);
  write(VxlanHeader{.vni = 1}, vxlan);
  write(EthernetHeader{}, ethernet);
  const auto cut = [](const Bytes& bytes, auto parse) {
    EXPECT_TRUE(parse(bytes));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      // A vector of its own, so that a sanitizer sees any byte read beyond it.
      const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(parse(part)) << size;
    }
  };
  cut(ip, [](const Bytes& bytes) { return parse_ipv4(bytes); });
  cut(udp, [](const Bytes& bytes) { return parse_udp(bytes); });
  cut(tcp, parse_tcp);
  cut(icmp, parse_icmp);
  cut(vxlan, parse_vxlan);
  cut(ethernet, parse_ethernet);
}

TEST(Wire, RandomBytesAreParsedOrRefusedButNeverMisread) {
  RandomStream random(1, StreamUse::Pattern, 4);
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes(random.below(64));
    for (std::uint8_t& byte : bytes)
      byte = static_cast<std::uint8_t>(random.next());
    if (!bytes.empty() && i % 2 == 0) bytes[0] = 0x45;
    if (const auto header = parse_quoted_ipv4(bytes)) {
      EXPECT_LE(header->header_bytes, bytes.size());
    }
    if (const auto udp = parse_udp(bytes)) {
      EXPECT_LE(udp->length, bytes.size());
    }
    if (const auto tcp = parse_tcp(bytes)) {
      EXPECT_LE(tcp->header_bytes, bytes.size());
    }
  }
}

}  // namespace
}  // namespace overlane::wire

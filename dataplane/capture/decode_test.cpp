#include "dataplane/capture/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/capture/packet_text.h"
#include "dataplane/capture/testing/kept_captures.h"

namespace overlane::capture {
namespace decode_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Checks that layers follow each other without gaps and cover all captured bytes.
void expect_gapless(const DecodedPacket& packet, std::size_t captured) {
  std::size_t end = 0;
  for (const Layer& layer : packet.layers) {
    ASSERT_EQ(layer.offset, end) << layers_of(packet);
    end += layer.bytes;
  }
  ASSERT_EQ(end, captured) << layers_of(packet);
}

struct Shape {
  const char* what;
  const char* capture;
  std::size_t number;
  const char* layers;
};

constexpr Shape kShapes[] = {
    {"ARP in VXLAN", "vxlan.pcap", 12, "ethernet ipv4 udp vxlan ethernet arp"},
    {"multicast reports in VXLAN", "vxlan.pcap", 1,
     "ethernet ipv4 udp vxlan ethernet ipv6 ipv6.hopopts icmpv6 payload"},
    {"TCP in VXLAN", "vxlan.pcap", 24, "ethernet ipv4 udp vxlan ethernet ipv4 tcp payload"},
    {"IPv4 in VXLAN over IPv6 to port 8472", "vxlan-over-ipv6.pcap", 13,
     "ethernet ipv6 udp vxlan ethernet ipv4 icmp payload"},
    {"the first fragment of a VXLAN packet", "vxlan-fragments.pcap", 3,
     "ethernet ipv4 udp vxlan ethernet ipv4 icmp payload"},
    {"its second fragment", "vxlan-fragments.pcap", 4, "ethernet ipv4 payload"},
    {"Geneve", "geneve.pcap", 3, "ethernet ipv4 udp geneve ethernet ipv4 icmp payload"},
    {"IPv4 in IPv4", "ipip.pcap", 15, "ethernet ipv4 ipv4 udp payload"},
    {"IPv6 in IPv4", "sit.pcap", 3, "ethernet ipv4 ipv6 icmpv6 payload"},
    {"IPv4 in IPv6 with the encapsulation limit", "ip6tnl.pcap", 1,
     "ethernet ipv6 ipv6.dstopts ipv4 icmp payload"},
    {"IPv6 in IPv6", "ip6tnl.pcap", 3, "ethernet ipv6 ipv6.dstopts ipv6 icmpv6 payload"},
    {"an error and what it quotes", "icmp-errors.pcap", 2, "ethernet ipv4 icmp ipv4 icmp payload"},
    {"packet too big and what it quotes", "icmp-errors.pcap", 6,
     "ethernet ipv6 icmpv6 ipv6 icmpv6 payload"},
    {"Linux cooked", "linux-cooked.pcap", 1, "sll ipv4 icmp payload"},
    {"Linux cooked, second version", "linux-cooked-v2.pcap", 2,
     "sll ipv6 ipv6.hopopts icmpv6 payload"},
};

TEST(Decode, FindsTheLayersOfWhatLinuxSent) {
  for (const Shape& shape : kShapes) {
    const OwnedPacket packet = packets_of(shape.capture).at(shape.number - 1);
    EXPECT_EQ(layers_of(packet.decoded()), shape.layers) << shape.what;
  }
}

TEST(Decode, WhatLinuxSentHasNoProblems) {
  for (const std::string& capture : kept_captures()) {
    for (const OwnedPacket& packet : packets_of(capture)) {
      const DecodedPacket decoded = packet.decoded();
      EXPECT_THAT(decoded.problems, IsEmpty()) << capture << ": " << to_json(decoded);
      expect_gapless(decoded, packet.bytes.size());
    }
  }
}

TEST(Decode, ShowsTheFieldsUnderTsharksNames) {
  const std::string json = to_json(packets_of("geneve-options.pcap").at(5).decoded());
  for (const char* part :
       {R"("number":1)", R"("length_bytes":168)",
        R"({"layer":"ethernet","dst":"02:00:00:00:00:0b","src":"02:00:00:00:00:0a","type":2048})",
        R"("len":154)", R"("ttl":0)", R"("proto":17)", R"("src":"192.0.2.1","dst":"192.0.2.2"})",
        R"("srcport":48905,"dstport":6081,"length":134,"checksum":0})",
        R"("oam":0,"critical":0,"proto_type":25944,"vni":11,"reserved":0)",
        R"({"class":66,"type":80,"critical":0,"length":8,"data":"11223344"})",
        R"({"class":66,"type":3,"critical":0,"length":12,"data":"0011223344556677"})",
        R"({"layer":"icmp","type":8,"code":0,)", R"("ident":7,"seq":1)",
        R"({"layer":"payload","length":56}])", R"("problems":[])"}) {
    EXPECT_THAT(json, HasSubstr(part));
  }
}

TEST(Decode, QuotedHeadersAreMarkedAndNotJudged) {
  OwnedPacket packet = packets_of("icmp-errors.pcap").at(3);
  constexpr std::size_t kQuotedTtl = 14 + 20 + 8 + 8;
  // The change makes two checksums wrong: that of the quoted header and that of the message.
  packet.bytes[kQuotedTtl] ^= 0xff;
  const DecodedPacket decoded = packet.decoded();
  EXPECT_THAT(decoded.problems,
              ElementsAre(testing::StartsWith("icmp: the checksum is wrong (0x")));
  EXPECT_EQ(decoded.layers[1].number("quoted"), 0u);
  EXPECT_EQ(decoded.layers[3].number("quoted"), 1u);
}

TEST(Decode, AChecksumThatWasLeftToTheNicIsANote) {
  const OwnedPacket packet = packets_of("vxlan.pcap").at(23);
  const DecodedPacket decoded = packet.decoded();
  // The outer checksum is right for the packet after the NIC has completed the inner one.
  EXPECT_EQ(decoded.layers[2].text("note"), "");
  EXPECT_EQ(decoded.layers[6].text("note"), "checksum left to offload");

  OwnedPacket changed = packet;
  changed.bytes.back() ^= 1;  // The NIC will compute the checksum over this byte.
  EXPECT_THAT(changed.decoded().problems, IsEmpty());
  constexpr std::size_t kInnerChecksum = 14 + 20 + 8 + 8 + 14 + 20 + 16;
  changed.bytes[kInnerChecksum] ^= 1;
  EXPECT_THAT(changed.decoded().problems,
              ElementsAre(testing::StartsWith("tcp: the checksum is wrong (0x"),
                          testing::StartsWith("udp: the checksum is wrong (0x")));

  const DecodedPacket ping = packets_of("vxlan.pcap").at(13).decoded();
  EXPECT_EQ(ping.layers[2].text("note"), "checksum left to offload");
}

/// A TCP SYN in VXLAN with a wrong outer checksum and right inner checksums.
const std::string kWrongOuterChecksum =
    "020000000a02020000000a010800"               // ethernet
    "4500005a000900004011f64ac000021fc0000220"   // outer IPv4
    "c3cb12b500461d67"                           // UDP
    "0800000000100000"                           // VXLAN
    "020000000b02020000000b010800"               // inner Ethernet
    "45000028000540003f0623ff0a6001040a600209"   // inner IPv4
    "9c4101bb00000007000000005002fa0000120000";  // TCP

OwnedPacket wrong_outer_checksum() {
  return {.bytes = bytes_of(kWrongOuterChecksum)};
}

TEST(Decode, AWrongOuterChecksumAroundAnIntactPacketBlamesTheSender) {
  const DecodedPacket decoded = wrong_outer_checksum().decoded();
  EXPECT_THAT(
      decoded.problems,
      ElementsAre("udp: the checksum is wrong (0x1d67, expected 0x9275); the packet inside is "
                  "intact"));
  EXPECT_EQ(decoded.wrong_outer_checksum, 2u);

  OuterChecksums checksums;
  EXPECT_EQ(checksums.diagnosis(), std::nullopt);
  checksums.add(decoded);
  checksums.add(decoded);
  const auto diagnosis = checksums.diagnosis();
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(diagnosis->name, "outer-checksum");
  EXPECT_EQ(diagnosis->packets, 2u);
  EXPECT_THAT(diagnosis->senders, ElementsAre("192.0.2.31"));
  EXPECT_THAT(diagnosis->meaning, HasSubstr("2 packets from 192.0.2.31 have a wrong outer "));
  EXPECT_THAT(diagnosis->meaning, HasSubstr("Only if the capture was taken on the sender itself"));
  EXPECT_THAT(diagnosis->remedy, HasSubstr("ethtool -K vxlan.calico tx-checksum-ip-generic off"));
  EXPECT_THAT(diagnosis->remedy, HasSubstr("ChecksumOffloadBroken=true"));
}

TEST(Decode, AWrongOuterChecksumAroundADamagedPacketBlamesNobody) {
  OwnedPacket packet = wrong_outer_checksum();
  packet.bytes.back() ^= 1;
  const DecodedPacket decoded = packet.decoded();
  EXPECT_EQ(decoded.wrong_outer_checksum, std::nullopt);
  EXPECT_EQ(decoded.problems.size(), 2u);
}

TEST(Decode, TheRemedyNamesTheDeviceOfTheTunnel) {
  const auto remedy = [](const char* port) {
    OwnedPacket packet = wrong_outer_checksum();
    constexpr std::ptrdiff_t kDestinationPort = 14 + 20 + 2;
    std::ranges::copy(bytes_of(port), packet.bytes.begin() + kDestinationPort);
    OuterChecksums checksums;
    checksums.add(packet.decoded());
    return checksums.diagnosis().value_or(Diagnosis{}).remedy;
  };
  EXPECT_THAT(remedy("2118"), HasSubstr("ethtool -K cilium_vxlan "));
  EXPECT_THAT(remedy("2118"), testing::Not(HasSubstr("FELIX")));
  EXPECT_THAT(remedy("12b6"), HasSubstr("DEVICE being the tunnel's"));
}

struct Lie {
  const char* what;
  const char* capture;
  std::size_t number;
  std::size_t at;  ///< Offset of the replaced bytes.
  const char* by;  ///< Hexadecimal replacement.
  const char* problem;
};

constexpr Lie kLies[] = {
    {"total length beyond the frame", "ipip.pcap", 5, 16, "ffff",
     "ipv4: the length is more than the bytes that are there (65535, "},
    {"total length under the header", "ipip.pcap", 5, 16, "0013",
     "ipv4: the length is less than that of the header (19, expected at least 20)"},
    {"header length under 20", "ipip.pcap", 5, 14, "44",
     "ipv4: the header says that it is shorter than its fixed part (16, expected at least 20)"},
    {"version 6 behind EtherType 0x0800", "ipip.pcap", 5, 14, "65",
     "ipv4: the version is not the header's (version 6, expected 4)"},
    {"TTL without its checksum", "ipip.pcap", 5, 22, "01", "ipv4: the checksum is wrong (0x"},
    {"the reserved flag", "ipip.pcap", 5, 20, "c0",
     "ipv4: bits that must be sent as zero are not (the first flag is set)"},
    {"inner length under the outer one", "ipip.pcap", 5, 14 + 20 + 2, "0050",
     "ipv4: 4 bytes follow its end"},
    {"another payload byte", "ipip.pcap", 5, 100, "ff", "icmp: the checksum is wrong (0x"},
    {"TCP header under 20", "ipip.pcap", 7, 14 + 40 + 12, "40",
     "tcp: the header says that it is shorter than its fixed part (16, expected at least 20)"},
    {"a maximum segment size of 3 bytes", "ipip.pcap", 7, 14 + 40 + 21, "03", "tcp: an option"},
    {"payload length beyond the frame", "ip6tnl.pcap", 1, 18, "ffff",
     "ipv6: the length is more than the bytes that are there (65535, "},
    {"destination options beyond the packet", "ip6tnl.pcap", 1, 14 + 40 + 1, "ff",
     "ipv6: an extension header cannot be followed"},
    {"an option beyond its header", "ip6tnl.pcap", 1, 14 + 40 + 3, "09",
     "ipv6.dstopts: an option is truncated or contradicts its length"},
    {"a neighbour's other address", "vxlan.pcap", 2, 14 + 40 + 20, "ff",
     "icmpv6: the checksum is wrong (0x"},
    {"UDP length under 8", "vxlan.pcap", 14, 14 + 20 + 4, "0007",
     "udp: the length is less than that of the header (7, expected at least 8)"},
    {"UDP length under the packet", "vxlan.pcap", 29, 14 + 20 + 8 + 8 + 14 + 20 + 4, "000c",
     "udp: 4 bytes follow its end"},
    {"zero checksum of an inner UDP over IPv6", "vxlan-over-ipv6.pcap", 30,
     14 + 40 + 8 + 8 + 14 + 40 + 6, "0000",
     "udp: the checksum is zero over IPv6 outside of a tunnel"},
    {"VXLAN without a VNI", "vxlan.pcap", 14, 42, "00",
     "vxlan: the I flag is clear: there is no VNI (flags 0x00, expected 0x08)"},
    {"VXLAN's reserved bits", "vxlan.pcap", 14, 49, "01",
     "vxlan: bits that must be sent as zero are not (header 08"},
    {"Geneve of version 1", "geneve.pcap", 3, 42, "40",
     "geneve: the version is not the header's (version 1, expected 0)"},
    {"Geneve options beyond the packet", "geneve.pcap", 3, 42, "3f",
     "geneve: the header says that it is longer than the bytes that are there (260, "},
    {"a critical option without the C bit", "geneve-options.pcap", 6, 52, "d0",
     "geneve: the C bit does not say whether an option is critical (0, expected 1)"},
    {"ARP for something else", "geneve.pcap", 1, 64, "0002",
     "arp: the type is none that is known (hardware 2, protocol 0x0800; "},
};

TEST(Decode, NamesEveryLie) {
  for (const Lie& lie : kLies) {
    OwnedPacket packet = packets_of(lie.capture).at(lie.number - 1);
    const ByteVector by = bytes_of(lie.by);
    std::ranges::copy(by, packet.bytes.begin() + static_cast<std::ptrdiff_t>(lie.at));
    const DecodedPacket decoded = packet.decoded();
    EXPECT_THAT(decoded.problems, testing::Contains(testing::StartsWith(lie.problem)))
        << lie.what << ": " << to_json(decoded);
    expect_gapless(decoded, packet.bytes.size());
  }
}

TEST(Decode, ACutCaptureIsOneProblemAndItsCutHeaderAnother) {
  for (const std::string& capture : kept_captures()) {
    for (const OwnedPacket& packet : packets_of(capture)) {
      for (std::size_t size = 0; size < packet.bytes.size(); ++size) {
        const DecodedPacket decoded = packet.decoded_after(size);
        expect_gapless(decoded, size);
        ASSERT_THAT(decoded.problems,
                    testing::SizeIs(testing::AllOf(testing::Ge(1u), testing::Le(2u))))
            << capture << ": " << to_json(decoded);
        EXPECT_THAT(decoded.problems[0], testing::StartsWith("captured "));
        if (decoded.problems.size() == 2) {
          EXPECT_THAT(decoded.problems[1], HasSubstr(": the header is cut after "));
        }
      }
    }
  }
}

TEST(Decode, APacketThatEndsEarlyNamesWhatIsMissing) {
  for (const std::string& capture : kept_captures()) {
    for (const OwnedPacket& whole : packets_of(capture)) {
      for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
        OwnedPacket packet = whole;
        packet.bytes.resize(size);
        const DecodedPacket decoded = packet.decoded();
        expect_gapless(decoded, size);
        ASSERT_FALSE(decoded.problems.empty()) << capture << ": " << to_json(decoded);
      }
    }
  }
}

TEST(Decode, BytesBehindThePacketAreThePaddingOfAShortFrameOrAProblem) {
  OwnedPacket arp = packets_of("ipip.pcap").at(2);
  ASSERT_EQ(arp.bytes.size(), 42u);
  arp.bytes.resize(60);
  EXPECT_EQ(layers_of(arp.decoded()), "ethernet arp padding");
  EXPECT_THAT(arp.decoded().problems, IsEmpty());
  arp.bytes.resize(61);
  EXPECT_THAT(arp.decoded().problems, ElementsAre("ethernet: 19 bytes follow its end"));
}

TEST(Decode, ALengthOfZeroIsASuperPacket) {
  OwnedPacket packet = packets_of("ipip.pcap").at(4);
  packet.link_type = LinkType::RawIp;
  packet.bytes = bytes_of("45000000 00000000 40fd0000 c0000201 c0000202 01020304");
  packet.bytes[10] = 0xf6;
  packet.bytes[11] = 0xd8;
  const DecodedPacket decoded = packet.decoded();
  EXPECT_EQ(layers_of(decoded), "ipv4 payload");
  EXPECT_EQ(decoded.layers[0].text("note"), "super-packet of length 0");
  EXPECT_EQ(decoded.layers[1].number("length"), 4u);
}

TEST(Decode, StopsAtTooManyHeadersInsideEachOther) {
  OwnedPacket packet{.link_type = LinkType::RawIp};
  constexpr int kHeaders = 100;
  for (int left = kHeaders; left > 0; --left) {
    ByteVector header = bytes_of("45000000 00000000 40040000 c0000201 c0000202");
    header[2] = static_cast<std::uint8_t>(left * 20 >> 8);
    header[3] = static_cast<std::uint8_t>(left * 20);
    packet.bytes.insert(packet.bytes.end(), header.begin(), header.end());
  }
  const DecodedPacket decoded = packet.decoded();
  EXPECT_EQ(decoded.layers.size(), kMaxIpHeaders + 1u);
  EXPECT_THAT(decoded.problems.back(), HasSubstr("more than 16 IP headers"));
  expect_gapless(decoded, packet.bytes.size());
}

struct Frame {
  const char* what;
  LinkType link_type;
  const char* bytes;
  const char* layers;
  const char* field;
  std::uint64_t value;  ///< Value of the field in the layer before the last one.
};

constexpr Frame kFrames[] = {
    {"two VLAN tags", LinkType::Ethernet,
     "020000000002 020000000001 88a8 2064 8100 0065 0800"
     "4500001c 00000000 40fdf6bc c0000201 c0000202 0102030405060708",
     "ethernet vlan vlan ipv4 payload", "ttl", 64},
    {"IEEE 802.3 with a length", LinkType::Ethernet, "0180c2000000 020000000001 0003 424203",
     "ethernet payload", "len", 3},
    {"BSD loopback of the other byte order", LinkType::Null,
     "02000000 4500001c 00000000 40fdf6bc c0000201 c0000202 0102030405060708", "null ipv4 payload",
     "ttl", 64},
    {"OpenBSD loopback", LinkType::Loop,
     "00000018 60000000 0004 fd40 20010db8000000000000000000000001"
     "20010db8000000000000000000000002 01020304",
     "null ipv6 payload", "hlim", 64},
    {"VXLAN-GPE with IPv4", LinkType::Ipv4,
     "45000040 00000000 40110000 c0000201 c0000202 1000 12b6 002c 0000 0c000001 00004d00"
     "4500001c 00000000 40fdf6bc c0000201 c0000202 0102030405060708",
     "ipv4 udp vxlan-gpe ipv4 payload", "ttl", 64},
    {"a WireGuard transport message", LinkType::Ipv4,
     "4500003c 00000000 40110000 c0000201 c0000202 ca6c ca6c 0028 0000 04000000 07000000"
     "0900000000000000 000102030405060708090a0b0c0d0e0f",
     "ipv4 udp wireguard payload", "counter", 9},
    {"another protocol on WireGuard's port", LinkType::Ipv4,
     "45000030 00000000 40110000 c0000201 c0000202 ca6c ca6c 001c 0000"
     "0500000000000000000000000000000000000000",
     "ipv4 udp payload", "dstport", 51820},
};

TEST(Decode, KnowsTheOtherFrames) {
  for (const Frame& frame : kFrames) {
    const OwnedPacket packet{frame.link_type, bytes_of(frame.bytes)};
    const DecodedPacket decoded = packet.decoded();
    EXPECT_EQ(layers_of(decoded), frame.layers) << frame.what;
    std::uint64_t value = 0;
    for (const Layer& layer : decoded.layers)
      value = std::max(value, layer.number(frame.field));
    EXPECT_EQ(value, frame.value) << frame.what << ": " << to_json(decoded);
    expect_gapless(decoded, packet.bytes.size());
  }
}

}  // namespace decode_test
}  // namespace overlane::capture

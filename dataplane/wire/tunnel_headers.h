#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/drop.h"
#include "dataplane/wire/problem.h"
#include "results/finding/finding.h"

namespace overlane::wire {

// Headers of tunnels over UDP, as bytes: VXLAN (RFC 7348), VXLAN-GPE, Geneve (RFC 8926) and
// WireGuard. The encapsulations in dataplane/encap write them in front of packets;
// dataplane/capture decodes them. VXLAN-GPE is only recognised, so that it is not treated as VXLAN.
inline constexpr std::size_t kVxlanBytes = 8;

inline constexpr std::uint16_t kVxlanPort = 4789;       ///< RFC 7348.
inline constexpr std::uint16_t kVxlanLinuxPort = 8472;  ///< Linux's default, older than the RFC.

/// Bits of VxlanHeader::flags. All but kVxlanVni are reserved in VXLAN.
inline constexpr std::uint8_t kVxlanVni = 0x08;
/// The P flag of VXLAN-GPE (VxlanGpeHeader): the reserved field holds a protocol number.
inline constexpr std::uint8_t kVxlanNextProtocol = 0x04;

/// A VXLAN header (RFC 7348, section 5).
struct VxlanHeader {
  std::uint32_t vni = 0;  ///< 24 bits.
  std::uint8_t flags = kVxlanVni;
  std::uint32_t reserved_24 = 0;  ///< Behind the flags.
  std::uint8_t reserved_8 = 0;    ///< Behind the VNI.

  auto operator<=>(const VxlanHeader&) const = default;
};

/// The header and its problems: Problem::VniNotValid and Problem::ReservedBits. Receivers ignore
/// reserved bits by RFC 7348, but vxlan_rcv drops the packet (drivers/net/vxlan/vxlan_core.c).
/// nullopt if there are fewer than 8 bytes.
std::optional<Inspected<VxlanHeader>> inspect_vxlan(std::span<const std::uint8_t> payload);

/// Parses the header. Drop::Malformed if it is truncated or the I flag is clear. The caller must
/// check reserved bits.
Result<VxlanHeader, Drop> parse_vxlan(std::span<const std::uint8_t> payload);

/// Writes kVxlanBytes to the front of `to`, which must hold them.
void write(const VxlanHeader& header, std::span<std::uint8_t> to);

inline constexpr std::size_t kVxlanGpeBytes = 8;
inline constexpr std::uint16_t kVxlanGpePort = 4790;

/// Values of VxlanGpeHeader::next_protocol (draft-ietf-nvo3-vxlan-gpe, section 3.2).
inline constexpr std::uint8_t kGpeIpv4 = 1;
inline constexpr std::uint8_t kGpeIpv6 = 2;
inline constexpr std::uint8_t kGpeEthernet = 3;
inline constexpr std::uint8_t kGpeNsh = 4;

/// A VXLAN-GPE header (draft-ietf-nvo3-vxlan-gpe, section 3.1): recognised, so that it is not
/// treated as VXLAN. Only its P flag and usually its port differ from VXLAN.
struct VxlanGpeHeader {
  std::uint8_t version = 0;       ///< 2 bits.
  bool has_vni = true;            ///< I flag.
  bool has_next_protocol = true;  ///< P flag; if clear, the payload is an Ethernet frame.
  bool is_flooded = false;        ///< B flag: broadcast, unknown or multicast traffic.
  bool is_maintenance = false;    ///< O flag: an OAM packet.
  std::uint16_t reserved_16 = 0;  ///< Behind the flags.
  std::uint8_t next_protocol = kGpeEthernet;
  std::uint32_t vni = 0;        ///< 24 bits.
  std::uint8_t reserved_8 = 0;  ///< Behind the VNI.

  auto operator<=>(const VxlanGpeHeader&) const = default;
};

/// Whether the payload of a UDP datagram to `destination_port` is VXLAN-GPE rather than VXLAN: by
/// its port, or by the P flag of its first byte.
bool is_vxlan_gpe(std::uint16_t destination_port, std::span<const std::uint8_t> payload);

/// The header and its problems: Problem::WrongVersion if the version is not 0,
/// Problem::VniNotValid, Problem::ReservedBits. nullopt if there are fewer than 8 bytes.
std::optional<Inspected<VxlanGpeHeader>> inspect_vxlan_gpe(std::span<const std::uint8_t> payload);

/// Parses the header. Drop::Malformed if it is truncated, of another version or without a VNI.
Result<VxlanGpeHeader, Drop> parse_vxlan_gpe(std::span<const std::uint8_t> payload);

/// Writes kVxlanGpeBytes to the front of `to`, which must hold them. Reserved flags are zero.
void write(const VxlanGpeHeader& header, std::span<std::uint8_t> to);

inline constexpr std::size_t kGeneveBytes = 8;
inline constexpr std::size_t kGeneveMaxOptionBytes = 252;
inline constexpr std::uint16_t kGenevePort = 6081;
/// "Transparent Ethernet bridging": the payload is an Ethernet frame.
inline constexpr std::uint16_t kEtherTypeBridging = 0x6558;

/// A Geneve header (RFC 8926, section 3.4) of version 0.
struct GeneveHeader {
  bool control = false;         ///< O flag: a control packet.
  bool critical = false;        ///< C flag: an option has its critical bit set.
  std::uint8_t reserved_6 = 0;  ///< Six bits: sent as zero, ignored by receivers.
  std::uint16_t protocol = kEtherTypeBridging;
  std::uint32_t vni = 0;        ///< 24 bits.
  std::uint8_t reserved_8 = 0;  ///< The last eight bits of the header.
  /// A multiple of 4 and at most kGeneveMaxOptionBytes bytes. After parsing, points into the
  /// packet.
  std::span<const std::uint8_t> options;

  /// Options are compared by their bytes.
  bool operator==(const GeneveHeader& other) const;
};

/// The number of bytes that write() writes for a header.
constexpr std::size_t header_bytes(const GeneveHeader& header) {
  return kGeneveBytes + header.options.size();
}

/// Parses the header, not its options. Drop::Malformed if the header or its options are truncated
/// or the version is not 0, as in geneve_udp_encap_recv (drivers/net/geneve.c).
Result<GeneveHeader, Drop> parse_geneve(std::span<const std::uint8_t> payload);

/// Writes header_bytes(header) to the front of `to`, which must not overlap the options.
void write(const GeneveHeader& header, std::span<std::uint8_t> to);

/// An option of a Geneve header (RFC 8926, section 3.5).
struct GeneveOption {
  std::uint16_t option_class = 0;
  std::uint8_t type = 0;               ///< Includes the critical bit, the highest one.
  std::span<const std::uint8_t> data;  ///< A multiple of 4 and at most 124 bytes.

  bool critical() const { return (type & 0x80) != 0; }
};

/// Reads the options of a header one by one.
class GeneveOptions {
 public:
  explicit GeneveOptions(std::span<const std::uint8_t> options) : rest_(options) {}

  /// The next option. nullopt at the end or if the next option is longer than the remaining bytes.
  std::optional<GeneveOption> next();
  bool malformed() const { return malformed_; }

 private:
  std::span<const std::uint8_t> rest_;
  bool malformed_ = false;
};

/// The number of bytes that write() writes for an option.
constexpr std::size_t header_bytes(const GeneveOption& option) {
  return 4 + option.data.size();
}
/// Writes the option to the front of `to`, which must hold header_bytes(option).
void write(const GeneveOption& option, std::span<std::uint8_t> to);

inline constexpr std::uint16_t kWireguardPort = 51820;

/// Message types and sizes (the WireGuard paper, sections 5.4.2 to 5.4.7;
/// drivers/net/wireguard/messages.h). A transport message carries a whole packet, or none as a
/// keepalive.
inline constexpr std::uint8_t kWireguardInitiation = 1;
inline constexpr std::uint8_t kWireguardResponse = 2;
inline constexpr std::uint8_t kWireguardCookieReply = 3;
inline constexpr std::uint8_t kWireguardTransport = 4;

inline constexpr std::size_t kWireguardInitiationBytes = 148;
inline constexpr std::size_t kWireguardResponseBytes = 92;
inline constexpr std::size_t kWireguardCookieReplyBytes = 64;
/// A header of 16 bytes and a tag of 16. The payload between them may have any size, since padding
/// ends at the MTU.
inline constexpr std::size_t kWireguardHeaderBytes = 16;
inline constexpr std::size_t kWireguardTagBytes = 16;
inline constexpr std::size_t kWireguardMinTransportBytes =
    kWireguardHeaderBytes + kWireguardTagBytes;

/// The readable fields of a WireGuard message; the rest is encrypted. Numbers are little-endian on
/// the wire.
struct WireguardHeader {
  std::uint8_t type = 0;
  std::optional<std::uint32_t> sender;    ///< Index. Handshake messages only.
  std::optional<std::uint32_t> receiver;  ///< Index. All messages but an initiation.
  std::optional<std::uint64_t> counter;   ///< Counter of a transport message.

  auto operator<=>(const WireguardHeader&) const = default;
};

/// The header and its problems: Problem::UnknownKind, Problem::WrongSize, and Problem::ReservedBits
/// for the three bytes behind the type. nullopt if there are fewer than 16 bytes, because every
/// message is longer.
std::optional<Inspected<WireguardHeader>> inspect_wireguard(std::span<const std::uint8_t> message);

/// Parses the header. Drop::Malformed if the type is unknown, its messages cannot have this size,
/// or reserved bytes are not zero: WireGuard compares type and reserved bytes as one number
/// (prepare_skb_header, drivers/net/wireguard/receive.c).
Result<WireguardHeader, Drop> parse_wireguard(std::span<const std::uint8_t> message);

/// Writes the header of a transport message, kWireguardHeaderBytes, to the front of `to`.
void write_wireguard_transport(std::uint32_t receiver, std::uint64_t counter,
                               std::span<std::uint8_t> to);

}  // namespace overlane::wire

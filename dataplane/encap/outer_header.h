#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::encap {

// Writes outer IPv4 and IPv6 headers in front of packets of one tunnel. The constructor computes
// all bytes that are equal for all packets of the tunnel; write() adds lengths, inherited TOS, TTL
// and DF, identification, flow label and checksum. write() is const, so several threads may use
// one tunnel.

/// Values for the outer headers that come from neither the tunnel nor the inner IP header.
struct PerPacket {
  std::uint16_t identification = 0;  ///< Identification of an outer IPv4 header.
  /// Hash of the inner flow for the UDP source port or the flow label: inner_flow_hash(), or the
  /// RSS hash of a NIC.
  std::uint32_t flow_hash = 0;
  /// The inner packet is IPv4 without options and its header checksum is right. The words of such a
  /// header sum to zero, so the UDP checksum can leave them out.
  bool has_sound_header = false;
};

/// The fields that an outer header inherits from the inner one, as masks over the inner fields. The
/// masks implement outer_tos(), outer_ttl() and outer_df(). Values that do not depend on the inner
/// packet are not part of it.
struct Inherited {
  explicit Inherited(const OuterRules& rules);

  std::uint32_t tos;  ///< Mask of the TOS; always includes ECN.
  std::uint16_t
      tos_in_ipv6;  ///< Mask of the traffic class at its place in an IPv6 header, in network order.
  std::uint32_t ttl;
  std::uint32_t df;  ///< Mask of DF in its byte of an IPv4 header.
  bool ttl_or_df;

  /// Whether the header at `inner` has any TOS bit that the outer header inherits.
  template <Family kInner>
  bool any_tos(const std::uint8_t* inner) const {
    if (kInner == Family::Ipv4) return (PlainIp<kInner>::tos(inner) & tos) != 0;
    return (load<std::uint16_t>(inner) & tos_in_ipv6) != 0;
  }
  /// The inherited TOS bits. An inner CE becomes ECT(0), as in outer_ecn().
  template <Family kInner>
  std::uint32_t tos_of(const std::uint8_t* inner) const {
    const std::uint32_t taken = PlainIp<kInner>::tos(inner) & tos;
    return taken & ~(taken >> 1 & 1u);
  }
};

/// The outer IPv4 header of one tunnel, with a precomputed checksum of all constant fields.
class OuterIpv4 {
 public:
  OuterIpv4(const OuterRules& rules, Ipv4Address source, Ipv4Address destination,
            std::uint8_t protocol);

  static constexpr std::uint32_t size() { return wire::kIpv4Bytes; }
  /// Most bytes that the total length field allows behind this header.
  static constexpr std::uint32_t largest_payload() { return 0xffff - size(); }
  /// One's-complement sum of both addresses, for the pseudo header of a UDP checksum.
  std::uint32_t address_sum() const;

  /// Writes a header of size() bytes to `to`. `payload` is the number of bytes behind it, `inner`
  /// the IP header of the inner packet.
  template <Family kInner>
  [[gnu::always_inline]] void write(std::uint8_t* to, std::uint32_t payload,
                                    const std::uint8_t* inner, const PerPacket& packet) const {
    using Inner = PlainIp<kInner>;
    const std::uint32_t total = payload + size();
    std::uint32_t sum = sum_ + total + packet.identification;
    std::memcpy(to, header_.data(), header_.size());
    store_be32(to + 2, total << 16 | packet.identification);
    if (inherited_.any_tos<kInner>(inner)) {
      const std::uint32_t tos = inherited_.tos_of<kInner>(inner);
      sum += tos;
      to[1] = static_cast<std::uint8_t>(header_[1] | tos);
    }
    if (inherited_.ttl_or_df) {
      const std::uint32_t ttl = Inner::ttl(inner) & inherited_.ttl;
      const std::uint32_t df = Inner::df(inner) & inherited_.df;
      sum += (ttl + df) << 8;
      to[6] = static_cast<std::uint8_t>(header_[6] | df);
      to[8] = static_cast<std::uint8_t>(header_[8] | ttl);
    }
    store_be16(to + 10, fold(sum) ^ 0xffffu);
  }

 private:
  Inherited inherited_;
  std::uint32_t sum_;
  std::array<std::uint8_t, wire::kIpv4Bytes> header_{};  ///< Without lengths and checksum.
};

/// The outer IPv6 header of one tunnel. write() takes the protocol, because packets of one tunnel
/// may differ in it.
class OuterIpv6 {
 public:
  OuterIpv6(const OuterRules& rules, const IpAddress& source, const IpAddress& destination);

  static constexpr std::uint32_t size() { return wire::kIpv6Bytes; }
  static constexpr std::uint32_t largest_payload() { return 0xffff; }
  std::uint32_t address_sum() const { return address_sum_; }

  template <Family kInner>
  [[gnu::always_inline]] void write(std::uint8_t* to, std::uint8_t protocol, std::uint32_t payload,
                                    const std::uint8_t* inner, const PerPacket& packet) const {
    using Inner = PlainIp<kInner>;
    const std::uint64_t label = flow_label(packet.flow_hash) & flow_label_mask_;
    std::uint64_t first =
        first_ | label << 32 | std::uint64_t{payload} << 16 | std::uint32_t{protocol} << 8;
    if (inherited_.any_tos<kInner>(inner))
      first |= std::uint64_t{inherited_.tos_of<kInner>(inner)} << 52;
    if (inherited_.ttl_or_df) first |= Inner::ttl(inner) & inherited_.ttl;
    store_be64(to, first);
    std::memcpy(to + 8, addresses_.data(), addresses_.size());
  }

 private:
  Inherited inherited_;
  std::uint32_t flow_label_mask_;
  std::uint32_t address_sum_;
  std::uint64_t first_;  ///< The first eight bytes, with only the constant fields set.
  std::array<std::uint8_t, 32> addresses_{};
};

}  // namespace overlane::encap

#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "dataplane/encap/flow_port.h"
#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::encap {

/// One's-complement sums add in any width; this brings one to 16 bits. A word and its halves
/// swapped have the sum of both halves, with the carry, in the upper one.
constexpr std::uint16_t fold(std::uint32_t sum) {
  return static_cast<std::uint16_t>((sum + std::rotl(sum, 16)) >> 16);
}
constexpr std::uint16_t fold(std::uint64_t sum) {
  return fold(static_cast<std::uint32_t>((sum + std::rotl(sum, 32)) >> 32));
}

/// What goes into the outer headers besides the tunnel and the inner IP header.
struct PerPacket {
  std::uint16_t identification = 0;  ///< Of an outer IPv4 header.
  /// Of the inner flow, for those tunnels that show it: inner_flow_hash(), once for each packet, or
  /// what a NIC computed for it.
  std::uint32_t flow_hash = 0;
};

/// The fields that outer_tos(), outer_ttl() and outer_df() speak of, without their branches: the
/// bits of the inner packet that count, and those that are always set.
class InheritedFields {
 public:
  /// `version` is what stands in front of the TOS: version and header length, or in IPv6 the
  /// version alone.
  InheritedFields(const OuterRules& rules, std::uint64_t version);

  /// Version, TOS and DF, where they stand in InnerPacket::first.
  [[gnu::always_inline]] std::uint64_t first(const InnerPacket& inner) const {
    const std::uint64_t taken = inner.first & taken_;
    // outer_ecn(): the lower bit goes where both are set.
    return (taken & ~(taken >> 1 & kLowerEcnBit)) | set_;
  }
  [[gnu::always_inline]] std::uint64_t ttl(const InnerPacket& inner) const {
    return (inner.ttl & taken_ttl_) | set_ttl_;
  }

 private:
  static constexpr int kVersionShift = InnerPacket::kTosShift + 8;
  static constexpr std::uint64_t kLowerEcnBit = std::uint64_t{1} << InnerPacket::kTosShift;

  std::uint64_t taken_;
  std::uint64_t set_;
  std::uint32_t taken_ttl_;
  std::uint32_t set_ttl_;
};

/// The outer IPv4 header of one tunnel: what no packet changes is made once, and its part of the
/// checksum summed once.
class OuterIpv4 {
 public:
  OuterIpv4(const OuterRules& rules, Ipv4Address source, Ipv4Address destination,
            std::uint8_t protocol);

  static constexpr std::uint32_t size() { return wire::kIpv4Bytes; }
  /// The most bytes that can stand behind this header.
  static constexpr std::uint32_t largest_payload() { return 0xffff - size(); }
  /// The addresses' part of a pseudo header.
  std::uint32_t address_sum() const { return static_cast<std::uint32_t>(rest_); }

  /// Writes size() bytes to `to`, in front of `payload` bytes.
  [[gnu::always_inline]] void write(std::uint8_t* to, std::uint32_t payload,
                                    const InnerPacket& inner, const PerPacket& packet) const {
    const std::uint64_t first = fields_.first(inner) | std::uint64_t{payload + size()} << 32 |
                                std::uint32_t{packet.identification} << 16;
    const std::uint64_t second = fields_.ttl(inner) << 56 | rest_;
    const std::uint64_t sum = first + second;
    const std::uint32_t checksum = fold(sum + (sum < first ? 1u : 0u)) ^ 0xffffu;
    store_be64(to, first);
    store_be32(to + 8, static_cast<std::uint32_t>(second >> 32) | checksum);
    std::memcpy(to + 12, addresses_.data(), addresses_.size());
  }

 private:
  InheritedFields fields_;
  /// The second eight bytes without TTL and checksum, and with the sum of both addresses instead of
  /// the first: what is left to be summed.
  std::uint64_t rest_;
  std::array<std::uint8_t, 8> addresses_{};  ///< As they stand in the header.
};

/// The same of IPv6, where the protocol may differ from packet to packet.
class OuterIpv6 {
 public:
  OuterIpv6(const OuterRules& rules, const IpAddress& source, const IpAddress& destination);

  static constexpr std::uint32_t size() { return wire::kIpv6Bytes; }
  static constexpr std::uint32_t largest_payload() { return 0xffff; }
  std::uint32_t address_sum() const { return address_sum_; }

  [[gnu::always_inline]] void write(std::uint8_t* to, std::uint8_t protocol, std::uint32_t payload,
                                    const InnerPacket& inner, const PerPacket& packet) const {
    const std::uint64_t label = flow_label(packet.flow_hash) & flow_label_mask_;
    store_be64(to, fields_.first(inner) << 4 | label << 32 | std::uint64_t{payload} << 16 |
                       std::uint32_t{protocol} << 8 | fields_.ttl(inner));
    std::memcpy(to + 8, addresses_.data(), addresses_.size());
  }

 private:
  InheritedFields fields_;
  std::uint32_t flow_label_mask_;
  std::uint32_t address_sum_;
  std::array<std::uint8_t, 32> addresses_{};
};

}  // namespace overlane::encap

#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <variant>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/drop.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"
#include "results/finding/finding.h"

namespace overlane::encap {

// Encapsulation in UDP, shared by all tunnels that use it. OuterUdp writes the IP and UDP headers
// with the source port of the flow and the checksum; UdpPusher adds the constant header of the
// encapsulation. The pushers of VXLAN, Geneve and fou derive from UdpPusher; WireGuard's uses
// OuterUdp directly. Objects do not change after construction, so threads may share them.

/// The outer IP and UDP headers of one tunnel.
class OuterUdp {
 public:
  /// Both addresses are of one family.
  OuterUdp(const OuterRules& rules, const IpAddress& source, const IpAddress& destination);

  std::uint32_t size() const { return size_; }
  /// Most bytes that fit behind these headers.
  std::uint32_t largest_payload() const { return largest_payload_; }

  /// Writes size() bytes in front of `payload` and returns their start. `payload` contains the
  /// encapsulation's header and `inner`, the inner packet. `other_sum` is the one's-complement sum
  /// of the payload without `inner`, in memory byte order.
  template <Family kInner>
  [[gnu::always_inline]] std::uint8_t* write(std::span<std::uint8_t> payload,
                                             std::span<const std::uint8_t> inner,
                                             std::uint32_t other_sum,
                                             const PerPacket& per_packet) const {
    const auto length = static_cast<std::uint32_t>(wire::kUdpBytes + payload.size());
    // The first source port plus the offset is less than 65,536, so the sum does not overflow.
    const std::uint64_t header =
        network_order(ports_ + (flow_port_offset(range_, per_packet.flow_hash) << 48) +
                      (std::uint64_t{length} << 16));
    std::uint8_t* udp = payload.data() - wire::kUdpBytes;
    std::memcpy(udp, &header, sizeof header);
    if (has_checksum_) {
      WideSum sum(std::uint64_t{fixed_sum_} + other_sum +
                  network_order(static_cast<std::uint16_t>(length)));
      sum.add(header);
      sum.add(per_packet.has_sound_header ? inner.subspan(wire::kIpv4Bytes) : inner);
      const std::uint16_t folded = fold(sum.value());
      // A checksum of 0 means that there is none; RFC 768 sends 0xffff instead.
      const std::uint16_t checksum =
          folded == 0xffff ? folded : static_cast<std::uint16_t>(~folded);
      std::memcpy(udp + 6, &checksum, sizeof checksum);
    }
    if (const auto* ipv4 = std::get_if<OuterIpv4>(&ip_)) {
      std::uint8_t* to = udp - OuterIpv4::size();
      ipv4->write<kInner>(to, length, inner.data(), per_packet);
      return to;
    }
    std::uint8_t* to = udp - OuterIpv6::size();
    std::get_if<OuterIpv6>(&ip_)->write<kInner>(to, wire::kUdp, length, inner.data(), per_packet);
    return to;
  }

 private:
  std::variant<OuterIpv4, OuterIpv6> ip_;
  std::uint64_t ports_;  ///< The first source port and the destination port, as in the header.
  std::uint64_t range_;  ///< source_ports() of the rules.
  std::uint32_t fixed_sum_ = 0;  ///< Sum of addresses and protocol, in memory byte order.
  std::uint32_t size_ = 0;
  std::uint32_t largest_payload_ = 0;
  bool has_checksum_;
};

/// Wraps packets for one tunnel over UDP, with an encapsulation's own header of `kMin` to `kMax`
/// bytes between UDP and the inner packet.
template <std::size_t kMin, std::size_t kMax = kMin>
class UdpPusher {
 public:
  /// The constant bytes between UDP header and inner packet, for inner packets of family `inner`.
  /// All families of one tunnel need the same number of bytes.
  struct Middle {
    Family inner;
    std::span<const std::uint8_t> bytes;
  };

  /// `source` and `destination` are of one family. push() refuses inner packets of a family that
  /// `middles` does not list.
  UdpPusher(const OuterRules& rules, const IpAddress& source, const IpAddress& destination,
            std::initializer_list<Middle> middles)
      : outer_(rules, source, destination) {
    for (const Middle& middle : middles) {
      assert(middle.bytes.size() >= kMin && middle.bytes.size() <= kMax);
      Inside& inside = inside_[static_cast<std::size_t>(middle.inner)];
      std::ranges::copy(middle.bytes, inside.middle.begin());
      inside.sum = network_order(ones_complement_sum(middle.bytes));
      middle_bytes_ = static_cast<std::uint32_t>(middle.bytes.size());
      inside.largest = outer_.largest_payload() - middle_bytes_;
    }
  }

  /// Room that push() needs in front of a packet.
  std::uint32_t headroom() const { return outer_.size() + middle_bytes_; }

  /// Writes all headers in front of the packet that fills `buffer` from `room` on, and returns the
  /// outer packet. Drop::Malformed if it is no whole packet of a family that the tunnel carries, or
  /// if the outer packet would be too long.
  [[gnu::always_inline]] Result<std::span<std::uint8_t>, Drop> push(
      std::span<std::uint8_t> buffer, std::size_t room, const PerPacket& per_packet) const {
    assert(room >= headroom() && room <= buffer.size());
    const std::span<std::uint8_t> packet = buffer.subspan(room);
    return family_of(packet) == Family::Ipv4 ? push_whole<Family::Ipv4>(packet, per_packet)
                                             : push_whole<Family::Ipv6>(packet, per_packet);
  }

  /// Wraps a packet that is_whole() accepts for this tunnel, with headroom() bytes in front.
  template <Family kInner>
  [[gnu::always_inline]] std::span<std::uint8_t> wrap(std::span<std::uint8_t> packet,
                                                      const PerPacket& per_packet) const {
    const Inside& inside = inside_[static_cast<std::size_t>(kInner)];
    assert(is_whole<kInner>(packet, inside.largest));
    // The size of a header without options is a constant here, which makes the copy cheap.
    constexpr std::size_t kCommon = std::min<std::size_t>(kMax, kMin + wire::kEthernetBytes);
    std::uint8_t* outer = kMin == kMax || middle_bytes_ == kCommon
                              ? write<kInner>(packet, inside, kCommon, per_packet)
                              : write<kInner>(packet, inside, middle_bytes_, per_packet);
    return {outer, packet.data() + packet.size()};
  }

 private:
  struct Inside {
    std::uint32_t largest = 0;  ///< Largest inner packet in bytes; 0 if the family is not carried.
    std::uint32_t sum = 0;      ///< One's-complement sum of `middle`, in memory byte order.
    std::array<std::uint8_t, kMax> middle{};
  };

  template <Family kInner>
  [[gnu::always_inline]] Result<std::span<std::uint8_t>, Drop> push_whole(
      std::span<std::uint8_t> packet, const PerPacket& per_packet) const {
    const Inside& inside = inside_[static_cast<std::size_t>(kInner)];
    if (!is_whole<kInner>(packet, inside.largest)) return fail(Drop::Malformed);
    return wrap<kInner>(packet, per_packet);
  }

  template <Family kInner>
  [[gnu::always_inline]] std::uint8_t* write(std::span<std::uint8_t> packet, const Inside& inside,
                                             std::size_t middle_bytes,
                                             const PerPacket& per_packet) const {
    std::uint8_t* middle = packet.data() - middle_bytes;
    std::memcpy(middle, inside.middle.data(), middle_bytes);
    return outer_.write<kInner>({middle, middle_bytes + packet.size()}, packet, inside.sum,
                                per_packet);
  }

  OuterUdp outer_;
  std::uint32_t middle_bytes_ = 0;
  std::array<Inside, 2> inside_;
};

}  // namespace overlane::encap

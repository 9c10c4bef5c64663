#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/ecn.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/usual_ip.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/udp.h"

namespace overlane::encap {

/// The bits of `mask` in the eight bytes at a place have one value. Both are big-endian.
struct Bits {
  std::uint64_t mask = 0;
  std::uint64_t value = 0;

  bool are_at(const std::uint8_t* at) const {
    return (load<std::uint64_t>(at) & network_order(mask)) == network_order(value & mask);
  }
};

/// Whether the checksum of an IPv4 header without options is right. A one's-complement sum is one
/// modulo 0xffff, in words of any width and byte order (RFC 1071, section 2).
inline bool header_checksum_is_right(const std::uint8_t* at) {
  const auto first = load<std::uint64_t>(at);
  const std::uint64_t last = load<std::uint32_t>(at + 16);
  std::uint64_t sum = first + load<std::uint64_t>(at + 8);
  sum += sum < first ? 1u : 0u;
  sum += last;
  sum += sum < last ? 1u : 0u;
  return sum % 0xffff == 0;
}

/// Whether the checksum of a UDP datagram of `length` bytes is right that fills the rest of an
/// outer packet behind its addresses, which start at `addresses`.
inline bool udp_checksum_is_right(std::span<const std::uint8_t> packet, std::uint32_t addresses,
                                  std::uint32_t length) {
  return (wire::kUdp + length + ones_complement_sum(packet.subspan(addresses))) % 0xffff == 0;
}

/// Whether the header at `at`, whose version is known, is that of a whole packet with `protocol`
/// behind it, and its checksum right.
template <Family kOuter>
[[gnu::always_inline]] inline bool leads_to(const std::uint8_t* at, std::uint8_t protocol) {
  if (kOuter == Family::Ipv6) return at[6] == protocol;
  constexpr std::uint16_t kFragment = 0x3fff;
  return (load<std::uint16_t>(at + 6) & network_order(kFragment)) == 0 && at[9] == protocol &&
         header_checksum_is_right(at);
}

/// Whether a UDP header says, as Linux writes it, that it fills the rest of `packet` behind the
/// usual header of that family, and its checksum is right. There may be none over IPv4.
template <Family kOuter>
[[gnu::always_inline]] inline bool udp_is_sound(std::span<const std::uint8_t> packet) {
  using Outer = UsualIp<kOuter>;
  const std::uint8_t* at = packet.data() + Outer::kBytes;
  const auto length = static_cast<std::uint32_t>(packet.size() - Outer::kBytes);
  const auto length_and_checksum = load<std::uint32_t>(at + 4);
  if (kOuter == Family::Ipv4 && length_and_checksum == network_order(length << 16)) return true;
  return load_be16(at + 4) == length && load_be16(at + 6) != 0 &&
         udp_checksum_is_right(packet, Outer::kAddresses, length);
}

/// Packets of the usual form: an outer header of kOuter without options, `kProtocol` behind it,
/// kHeaders bytes in all up to a packet without options that fills the rest. They are sound, and
/// there is nothing to be done about them. What is not found here may be sound too: pop() of each
/// kind then looks closer, and finds the reason.
template <Family kOuter, std::uint8_t kProtocol, std::uint32_t kHeaders>
struct UsualPacket {
  using Outer = UsualIp<kOuter>;

  /// Whether there is something of some family behind kHeaders, and nothing is wrong in front, but
  /// for the tunnel's own header.
  [[gnu::always_inline]] static bool is_outer(std::span<const std::uint8_t> packet) {
    constexpr std::size_t kLeast = kHeaders + UsualIp<Family::Ipv4>::kBytes;
    if (packet.size() - kLeast > 0xffff - kLeast) return false;
    return Outer::fills(packet.data(), packet.size()) &&
           leads_to<kOuter>(packet.data(), kProtocol) &&
           (kProtocol != wire::kUdp || udp_is_sound<kOuter>(packet));
  }

  /// The parts of such a packet, when what is inside is of that family, and has the ECN field of
  /// the outer header.
  template <Family kInner>
  [[gnu::always_inline]] static Parts parts(std::span<const std::uint8_t> packet) {
    using Inner = UsualIp<kInner>;
    const std::uint8_t* at = packet.data() + kHeaders;
    const std::size_t length = packet.size() - kHeaders;
    if (kInner == Family::Ipv6 && length < Inner::kBytes) return refuse(Drop::Malformed);
    if (!Inner::fills(at, length)) return refuse(Drop::Malformed);
    if (Outer::ecn(packet.data()) != Inner::ecn(at)) return refuse(Drop::Malformed);
    return {.outer_bytes = kProtocol == wire::kUdp ? Outer::kBytes : kHeaders,
            .header_bytes = kHeaders,
            .inner_bytes = static_cast<std::uint32_t>(length),
            .inner_family = kInner};
  }
};

}  // namespace overlane::encap

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "dataplane/encap/ecn.h"
#include "dataplane/encap/popped.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::encap {

/// Bits of a packet that have one value: those of `mask` in the eight bytes at `offset`, which are
/// read as one big-endian number.
struct Bits {
  std::size_t offset = 0;
  std::uint64_t mask = 0;
  std::uint64_t value = 0;
};

/// Several of them, byte by byte.
template <std::size_t kSize>
struct Shape {
  std::array<std::uint8_t, kSize> mask{};
  std::array<std::uint8_t, kSize> value{};

  constexpr explicit Shape(std::initializer_list<Bits> all) {
    for (const Bits& bits : all) {
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t shift = 56 - 8 * i;
        mask[bits.offset + i] |= static_cast<std::uint8_t>(bits.mask >> shift);
        value[bits.offset + i] |= static_cast<std::uint8_t>((bits.value & bits.mask) >> shift);
      }
    }
  }
  /// The first byte from `at` on that is asked about; kSize or more when there is none.
  constexpr std::size_t next(std::size_t at) const {
    while (at < kSize && mask[at] == 0)
      ++at;
    return at;
  }
  /// Where the last block of differences() ends.
  constexpr std::size_t end() const {
    std::size_t end = 0;
    for (std::size_t at = next(0); at < kSize; at = next(end))
      end = at + 16;
    return end;
  }
};

/// 16 bytes that most processors compare at once.
using Block [[gnu::vector_size(16)]] = std::uint64_t;

template <std::size_t kSize>
constexpr std::array<std::uint64_t, 2> block_of(const std::array<std::uint8_t, kSize>& bytes,
                                                std::size_t at) {
  std::array<std::uint8_t, 16> part{};
  for (std::size_t i = 0; i < 16 && at + i < kSize; ++i)
    part[i] = bytes[at + i];
  return std::bit_cast<std::array<std::uint64_t, 2>>(part);
}

/// The bits that are other than in kShape, from byte kFrom on. Reads as far as kShape.end().
template <const auto& kShape, std::size_t kFrom = 0>
[[gnu::always_inline]] inline Block differences(const std::uint8_t* at) {
  constexpr std::size_t kNext = kShape.next(kFrom);
  if constexpr (kNext >= kShape.mask.size()) {
    return Block{};
  } else {
    constexpr auto kMask = block_of(kShape.mask, kNext);
    constexpr auto kValue = block_of(kShape.value, kNext);
    const auto bytes = load<Block>(at + kNext);
    return ((bytes ^ Block{kValue[0], kValue[1]}) & Block{kMask[0], kMask[1]}) |
           differences<kShape, kNext + sizeof(Block)>(at);
  }
}

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

/// An IP header as tunnels see it most: no options, no fragment. By family.
template <Family kFamily>
struct UsualIp;

template <>
struct UsualIp<Family::Ipv4> {
  static constexpr std::uint32_t kBytes = wire::kIpv4Bytes;
  static constexpr std::uint32_t kAddresses = 12;
  static constexpr Bits kWhole{0, 0x3fff, 0};  ///< No fragment.
  static constexpr Bits version(std::size_t at) { return {at, 0xff00000000000000, 0x45ull << 56}; }
  static constexpr Bits next(std::uint8_t protocol) {
    return {8, 0x00ff000000000000, std::uint64_t{protocol} << 48};
  }
  static std::uint32_t total(const std::uint8_t* at) { return load_be16(at + 2); }
  static std::uint32_t tos(const std::uint8_t* at) { return at[1]; }
};

template <>
struct UsualIp<Family::Ipv6> {
  static constexpr std::uint32_t kBytes = wire::kIpv6Bytes;
  static constexpr std::uint32_t kAddresses = 8;
  static constexpr Bits kWhole{};  ///< As long as no extension header follows.
  static constexpr Bits version(std::size_t at) { return {at, 0xf000000000000000, 6ull << 60}; }
  static constexpr Bits next(std::uint8_t protocol) {
    return {0, 0x000000000000ff00, std::uint64_t{protocol} << 8};
  }
  static std::uint32_t total(const std::uint8_t* at) { return kBytes + load_be16(at + 4); }
  static std::uint32_t tos(const std::uint8_t* at) { return load_be16(at) >> 4u; }
};

/// The parts of a tunnel packet that is sound and of the usual form, with nothing to be done about
/// it. What is refused may be sound too: pop() of each kind then looks closer, and finds the
/// reason.
///
/// Usual are an outer header without options, `kProtocol` behind it, the bits of kBits, and at
/// `kHeaders` an inner packet without options that fills the rest, with the ECN field of the outer
/// one. A UDP header fills the rest too; its checksum is verified, and is there over IPv6.
template <Family kOuter, Family kInner, std::uint8_t kProtocol, std::uint32_t kHeaders,
          Bits... kBits>
[[gnu::always_inline]] inline Parts usual_parts(std::span<const std::uint8_t> packet) {
  using Outer = UsualIp<kOuter>;
  using Inner = UsualIp<kInner>;
  constexpr bool kOverIpv4 = kOuter == Family::Ipv4;
  static constexpr Shape<kHeaders + 8> kShape{
      Outer::version(0), Outer::kWhole, Outer::next(kProtocol), kBits..., Inner::version(kHeaders)};
  static_assert(kShape.end() <= kHeaders + Inner::kBytes);
  const std::uint8_t* at = packet.data();
  if (packet.size() < kHeaders + Inner::kBytes) return refuse(Drop::Malformed);
  const Block different = differences<kShape>(at);
  if ((different[0] | different[1]) != 0) return refuse(Drop::Malformed);
  const std::uint32_t total = Outer::total(at);
  const std::uint32_t inner = Inner::total(at + kHeaders);
  if (total > packet.size() || total != kHeaders + inner || inner < Inner::kBytes) {
    return refuse(Drop::Malformed);
  }
  if (kOverIpv4 && !header_checksum_is_right(at)) return refuse(Drop::Malformed);
  if (((Outer::tos(at) ^ Inner::tos(at + kHeaders)) & kEcnMask) != 0)
    return refuse(Drop::Malformed);
  if (kProtocol == wire::kUdp) {
    // Length and checksum in one.
    const std::uint32_t length = total - Outer::kBytes;
    const std::uint32_t fields = load_be32(at + Outer::kBytes + 4);
    const bool without = kOverIpv4 && fields == length << 16;
    if (!without && (fields >> 16 != length || (fields & 0xffff) == 0 ||
                     !udp_checksum_is_right(packet.first(total), Outer::kAddresses, length))) {
      return refuse(Drop::Malformed);
    }
  }
  return {.outer_bytes = kProtocol == wire::kUdp ? Outer::kBytes : kHeaders,
          .header_bytes = kHeaders,
          .inner_bytes = inner,
          .inner_family = kInner};
}

}  // namespace overlane::encap

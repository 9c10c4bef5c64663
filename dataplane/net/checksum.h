#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"

namespace overlane {

// The Internet checksum (RFC 1071) and its incremental update (RFC 1624), in versions for whole
// buffers, headers of constant size and pseudo headers.

/// The one's-complement sum of the 16-bit words of `bytes`, an odd last byte padded with zero. Sums
/// of parts of even size add up to the sum of the whole.
std::uint16_t ones_complement_sum(std::span<const std::uint8_t> bytes);

/// Reduces a one's-complement sum to 16 bits: the upper half of a word plus its rotation by half is
/// the sum of both halves with the carry.
constexpr std::uint16_t fold(std::uint32_t sum) {
  return static_cast<std::uint16_t>((sum + std::rotl(sum, 16)) >> 16);
}
constexpr std::uint16_t fold(std::uint64_t sum) {
  return fold(static_cast<std::uint32_t>((sum + std::rotl(sum, 32)) >> 32));
}

/// A one's-complement sum of words of up to eight bytes in memory byte order. fold() turns it into
/// the sum of the 16-bit words in memory byte order; network_order() converts that to the value
/// that ones_complement_sum() returns (RFC 1071, section 2).
class WideSum {
 public:
  WideSum() = default;
  explicit WideSum(std::uint64_t word) : sum_(word) {}

  [[gnu::always_inline]] void add(std::uint64_t word) {
#ifdef __x86_64__
    // Add with carry, as csum_partial does (arch/x86/lib/csum-partial_64.c). Compilers need twice
    // as many instructions for the comparison below.
    asm("addq %1, %0\n\tadcq $0, %0" : "+r"(sum_) : "rm"(word) : "cc");
#else
    sum_ += word;
    sum_ += sum_ < word ? 1u : 0u;
#endif
  }

  /// Adds two words, with the carry of the first one in the second.
  [[gnu::always_inline]] void add(std::uint64_t one, std::uint64_t other) {
#ifdef __x86_64__
    asm("addq %1, %0\n\tadcq %2, %0\n\tadcq $0, %0" : "+&r"(sum_) : "rm"(one), "rm"(other) : "cc");
#else
    add(one);
    add(other);
#endif
  }

  /// Adds the kBytes bytes at `at`.
  template <std::size_t kBytes>
  [[gnu::always_inline]] void add(const std::uint8_t* at) {
    static_assert(kBytes % 2 == 0);
    std::uint64_t rest = 0;
    if (kBytes % 8 >= 4) rest += load<std::uint32_t>(at + kBytes / 8 * 8);
    if (kBytes % 4 >= 2) rest += load<std::uint16_t>(at + kBytes / 4 * 4);
    constexpr std::size_t kWords = kBytes / 8;
#pragma GCC unroll 8
    for (std::size_t i = 0; i + 2 <= kWords; i += 2)
      add(load<std::uint64_t>(at + 8 * i), load<std::uint64_t>(at + 8 * i + 8));
    if (kWords % 2 == 1) {
      add(load<std::uint64_t>(at + 8 * kWords - 8), rest);
    } else if (kBytes % 8 != 0) {
      add(rest);
    }
  }

  /// Adds any bytes, an odd last one padded with zero. The eight bytes before their end must be
  /// readable, even if `bytes` is shorter than that.
  [[gnu::always_inline]] void add(std::span<const std::uint8_t> bytes) {
    const std::uint8_t* at = bytes.data();
    const std::uint8_t* const last = at + bytes.size() - 8;
    for (; at + 8 <= last; at += 16)
      add(load<std::uint64_t>(at), load<std::uint64_t>(at + 8));
    if (at <= last) {
      add(load<std::uint64_t>(at));
      at += 8;
    }
    // Adds the last eight bytes without the ones that the loop has added.
    const auto counted = static_cast<unsigned>(8 * (at - last));
    if (counted == 64) return;
    const auto word = load<std::uint64_t>(last);
    add(std::endian::native == std::endian::little ? word >> counted : word << counted);
  }

  std::uint64_t value() const {
    return sum_;
  }
  /// Whether the sum is zero in one's complement, as it is over bytes with a right checksum.
  bool is_zero() const {
    // Computes sum_ % 0xffff == 0 without a division: a multiple of 0xffff times the inverse modulo
    // 2^64 is the quotient, and any other product is larger.
    constexpr std::uint64_t kInverse = 0xfffefffefffeffff;
    static_assert(kInverse * 0xffff == 1);
    return sum_ * kInverse <= ~std::uint64_t{0} / 0xffff;
  }

 private:
  std::uint64_t sum_ = 0;
};

/// The Internet checksum (RFC 1071) of `bytes`: the complement of the one's-complement sum of their
/// 16-bit words, an odd last byte padded with zero. Over bytes that hold a right checksum it is 0.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes);

/// The checksum of a TCP, UDP or ICMPv6 segment, pseudo header included (RFC 9293 3.1, RFC 768; RFC
/// 8200 8.1 for IPv6, which ICMPv6 uses too and ICMP does not). An IPv4-mapped address counts the
/// same as the IPv4 address, so the header's family does not matter. `protocol` is the protocol of
/// the segment, not that of an extension header before it. The sum includes the current value of
/// the segment's own checksum field. UDP sends a result of 0 as 0xffff.
std::uint16_t transport_checksum(const IpAddress& source, const IpAddress& destination,
                                 std::uint8_t protocol, std::span<const std::uint8_t> segment);

/// The one's-complement sum of the pseudo header alone. A sender that leaves the rest to its NIC
/// writes it, not complemented, into the checksum field (CHECKSUM_PARTIAL, include/linux/skbuff.h).
std::uint16_t pseudo_header_sum(const IpAddress& source, const IpAddress& destination,
                                std::uint8_t protocol, std::size_t segment_bytes);

/// `checksum` after one 16-bit word that it covers changed (RFC 1624, equation 3).
std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t from, std::uint16_t to);

}  // namespace overlane

#pragma once

#include <array>
#include <cstring>

#include "dataplane/encap/outer_header.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::encap::testing {

/// The lower bound that a benchmark compares push() and pop() with: the least code for one tunnel
/// if all packets are valid, of one family, without ECN, and no rule changes. push() copies the
/// headers and fills in lengths, source port and checksums; it inherits nothing from the inner
/// packet. pop() compares one word (without UDP, the protocol byte) and skips the headers; it
/// checks no other field, no length, no IP checksum and no inner packet. The UDP checksum is
/// computed and verified if the tunnel has one.
template <Family kUnderlay, std::size_t kHeaders, bool kUdp, bool kChecksum>
struct Minimal {
  static constexpr std::size_t kIpBytes = kUnderlay == Family::Ipv4 ? 20 : 40;
  static constexpr std::size_t kAddresses = kUnderlay == Family::Ipv4 ? 12 : 8;

  std::array<std::uint8_t, kHeaders> headers{};
  std::uint32_t ip_sum = 0;   ///< Sum of the IPv4 header without length and checksum.
  std::uint32_t udp_sum = 0;  ///< Sum of pseudo header, port and the rest without lengths.

  /// Takes the headers of `packet`, which the pusher under test has written.
  explicit Minimal(std::span<const std::uint8_t> packet) {
    std::memcpy(headers.data(), packet.data(), kHeaders);
    if (kUnderlay == Family::Ipv4) {
      store_be16(headers.data() + 2, 0);
      store_be16(headers.data() + 10, 0);
      ip_sum = ones_complement_sum(std::span(headers).first(20));
    }
    if (kUdp) std::memset(headers.data() + kIpBytes + 4, 0, 4);
    if (kChecksum) {
      store_be16(headers.data() + kIpBytes, 0);
      udp_sum = wire::kUdp +
                ones_complement_sum(std::span(headers).subspan(kAddresses, kIpBytes - kAddresses)) +
                ones_complement_sum(std::span(headers).subspan(kIpBytes));
    }
  }

  /// Writes the headers in front of `inner` and returns the length of the outer packet.
  std::size_t push(std::uint8_t* inner, std::uint32_t inner_length, std::uint32_t flow_hash) const {
    std::uint8_t* to = inner - kHeaders;
    const auto total = static_cast<std::uint32_t>(kHeaders + inner_length);
    std::memcpy(to, headers.data(), kHeaders);
    if (kUnderlay == Family::Ipv4) {
      store_be16(to + 2, total);
      store_be16(to + 10, static_cast<std::uint16_t>(~fold(ip_sum + total)));
    } else {
      store_be16(to + 4, total - 40);
    }
    if (!kUdp) return total;
    const std::uint32_t port = flow_hash >> 16 | 0xc000;
    const auto length = static_cast<std::uint32_t>(total - kIpBytes);
    store_be16(to + kIpBytes, port);
    store_be16(to + kIpBytes + 4, length);
    if (!kChecksum) return total;
    const std::uint32_t sum =
        udp_sum + port + 2 * length + ones_complement_sum({inner, inner_length});
    store_be16(to + kIpBytes + 6, static_cast<std::uint16_t>(~fold(sum)));
    return total;
  }

  /// Returns the inner packet, or null if the tunnel header or the UDP checksum is another.
  std::uint8_t* pop(std::uint8_t* outer, std::uint32_t length) const {
    constexpr std::size_t kHeader = kIpBytes + 8;
    constexpr std::size_t kProtocol = kUnderlay == Family::Ipv4 ? 9 : 6;
    const bool known =
        kUdp ? load<std::uint64_t>(outer + kHeader) == load<std::uint64_t>(headers.data() + kHeader)
             : outer[kProtocol] == headers[kProtocol];
    if (!known) return nullptr;
    if (!kChecksum) return outer + kHeaders;
    const std::uint32_t sum = static_cast<std::uint32_t>(wire::kUdp + length - kIpBytes) +
                              ones_complement_sum({outer + kAddresses, length - kAddresses});
    return fold(sum) == 0xffff ? outer + kHeaders : nullptr;
  }
};

}  // namespace overlane::encap::testing

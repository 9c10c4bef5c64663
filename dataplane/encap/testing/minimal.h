#pragma once

#include <array>
#include <cstring>

#include "dataplane/encap/outer_header.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::encap::testing {

/// What a benchmark compares push() and pop() with: what one would write for just this tunnel, if
/// all packets were sound, of one family, without ECN, and no rule were ever set otherwise.
/// push() copies the headers as they are and fills in lengths, source port and checksums; it looks
/// at no byte of the packet inside, so that nothing is inherited from it. pop() compares one word
/// and steps over the headers; it leaves out all other fields, the lengths, the IP checksum, and
/// what is inside. The UDP checksum is computed and verified where the tunnel has one.
template <Family kUnderlay, std::size_t kHeaders, bool kUdp, bool kChecksum>
struct Minimal {
  static constexpr std::size_t kIpBytes = kUnderlay == Family::Ipv4 ? 20 : 40;
  static constexpr std::size_t kAddresses = kUnderlay == Family::Ipv4 ? 12 : 8;

  std::array<std::uint8_t, kHeaders> headers{};
  std::uint32_t ip_sum = 0;   ///< Sum of the IPv4 header without length and checksum.
  std::uint32_t udp_sum = 0;  ///< Sum of pseudo header, port and the rest without lengths.

  /// From a packet that was pushed properly.
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

  /// Bytes of the outer packet.
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

  /// The inner packet, or nothing when the word that tells this tunnel is another.
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

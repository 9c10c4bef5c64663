#pragma once

#include <array>
#include <cstring>

#include "dataplane/encap/outer_header.h"
#include "dataplane/net/checksum.h"

namespace overlane::encap::testing {

/// What a benchmark compares push() and pop() with: the least that makes the same packets, with
/// nothing looked at, checked or inherited. Headers are copied as they are, lengths, source port
/// and checksums filled in; the flow hash is one multiplication.
template <Family kUnderlay, Family kInner, std::size_t kHeaders, bool kUdp, bool kChecksum>
struct Minimal {
  static constexpr std::uint32_t kIpBytes = kUnderlay == Family::Ipv4 ? 20 : 40;

  std::array<std::uint8_t, kHeaders> headers{};
  std::uint32_t ip_sum = 0;   ///< Of the IPv4 header without length and checksum.
  std::uint32_t udp_sum = 0;  ///< Of pseudo header, port and the rest without lengths.

  /// From the headers of a packet that was pushed properly.
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
      const std::span<const std::uint8_t> all(headers);
      udp_sum = 17u + ones_complement_sum(all.first(kIpBytes).last(kIpBytes == 20 ? 8 : 32)) +
                ones_complement_sum(all.subspan(kIpBytes));
    }
  }

  static std::uint32_t flow_port(const std::uint8_t* inner) {
    std::uint64_t bits = load<std::uint64_t>(inner + 12) ^ load<std::uint32_t>(inner + 20);
    if (kInner == Family::Ipv6) {
      bits = load<std::uint64_t>(inner + 8) ^ load<std::uint64_t>(inner + 16) ^
             load<std::uint64_t>(inner + 24) ^ load<std::uint64_t>(inner + 32) ^
             load<std::uint32_t>(inner + 40);
    }
    return static_cast<std::uint32_t>(bits * 0x9e3779b97f4a7c15 >> 49) | 0x8000;
  }

  std::size_t push(std::span<std::uint8_t> inner) const {
    std::uint8_t* to = inner.data() - kHeaders;
    const auto total = static_cast<std::uint32_t>(kHeaders + inner.size());
    std::memcpy(to, headers.data(), kHeaders);
    if (kUnderlay == Family::Ipv4) {
      store_be16(to + 2, total);
      store_be16(to + 10, static_cast<std::uint16_t>(~fold(ip_sum + total)));
    } else {
      store_be16(to + 4, total - 40);
    }
    if (!kUdp) return total;
    const std::uint32_t port = flow_port(inner.data());
    const std::uint32_t length = total - kIpBytes;
    store_be16(to + kIpBytes, port);
    store_be16(to + kIpBytes + 4, length);
    if (!kChecksum) return total;
    const std::uint32_t sum = udp_sum + port + 2 * length + ones_complement_sum(inner);
    store_be16(to + kIpBytes + 6, static_cast<std::uint16_t>(~fold(sum)));
    return total;
  }
};

}  // namespace overlane::encap::testing

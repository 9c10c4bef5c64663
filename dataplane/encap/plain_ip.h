#pragma once

#include <cstddef>
#include <cstdint>

#include "dataplane/encap/ecn.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::encap {

/// The fields of an IP header that push and pop of every packet look at, by family.
template <Family kFamily>
struct PlainIp;

template <>
struct PlainIp<Family::Ipv4> {
  static constexpr std::uint32_t kBytes = wire::kIpv4Bytes;
  static constexpr std::uint32_t kAddresses = 12;

  /// Whether a header without options says that it belongs to a packet of `total` bytes, which are
  /// at least kBytes and at most 65,535.
  static bool fills(const std::uint8_t* at, std::size_t total) {
    return at[0] == 0x45 &&
           load<std::uint16_t>(at + 2) == network_order(static_cast<std::uint16_t>(total));
  }
  static std::uint32_t tos(const std::uint8_t* at) { return at[1]; }
  static std::uint32_t ecn(const std::uint8_t* at) { return at[1] & kEcnMask; }
  static std::uint32_t ttl(const std::uint8_t* at) { return at[8]; }
  /// The byte with DF, which is 0x40 in it.
  static std::uint32_t df(const std::uint8_t* at) { return at[6]; }
};

template <>
struct PlainIp<Family::Ipv6> {
  static constexpr std::uint32_t kBytes = wire::kIpv6Bytes;
  static constexpr std::uint32_t kAddresses = 8;

  static bool fills(const std::uint8_t* at, std::size_t total) {
    const auto payload = static_cast<std::uint16_t>(total - kBytes);
    return (at[0] & 0xf0) == 0x60 && load<std::uint16_t>(at + 4) == network_order(payload);
  }
  static std::uint32_t tos(const std::uint8_t* at) { return load_be16(at) >> 4 & 0xff; }
  static std::uint32_t ecn(const std::uint8_t* at) { return at[1] >> 4 & kEcnMask; }
  static std::uint32_t ttl(const std::uint8_t* at) { return at[7]; }
  static std::uint32_t df(const std::uint8_t*) { return 0x40; }
};

}  // namespace overlane::encap

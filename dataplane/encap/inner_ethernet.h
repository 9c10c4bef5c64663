#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::encap {

/// The IP family that an EtherType announces.
constexpr std::optional<Family> family_of(std::uint16_t ether_type) {
  if (ether_type == wire::kEtherTypeIpv4) return Family::Ipv4;
  if (ether_type == wire::kEtherTypeIpv6) return Family::Ipv6;
  return std::nullopt;
}
constexpr std::uint16_t ether_type_of(Family family) {
  return family == Family::Ipv4 ? wire::kEtherTypeIpv4 : wire::kEtherTypeIpv6;
}

/// The addresses of an inner Ethernet header.
inline MacAddress mac_at(const std::uint8_t* at) {
  MacAddress mac;
  std::copy_n(at, mac.bytes.size(), mac.bytes.begin());
  return mac;
}

}  // namespace overlane::encap

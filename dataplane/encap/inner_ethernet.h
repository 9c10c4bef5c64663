#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/encap/fast_path_eligible.h"
#include "dataplane/net/address.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/udp.h"

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

/// The parts of a usual packet (usual_packet.h) over kOuter and UDP that holds a frame with an IP
/// packet behind a tunnel header of kBytes bytes, whose first eight have `kHeader`.
template <Family kOuter, std::uint32_t kBytes, Bits kHeader>
[[gnu::always_inline]] inline Parts plain_frame(std::span<const std::uint8_t> packet) {
  constexpr std::uint32_t kOffset = PlainIp<kOuter>::kBytes + wire::kUdpBytes;
  constexpr std::uint32_t kHeaders = kOffset + kBytes + wire::kEthernetBytes;
  using Eligible = FastPathEligible<kOuter, wire::kUdp, kHeaders>;
  if (!Eligible::is_outer(packet) || !kHeader.are_at(packet.data() + kOffset))
    return refuse(Drop::Malformed);
  const std::uint16_t type = load_be16(packet.data() + kHeaders - 2);
  if (type == wire::kEtherTypeIpv4) return Eligible::template parts<Family::Ipv4>(packet);
  if (type == wire::kEtherTypeIpv6) return Eligible::template parts<Family::Ipv6>(packet);
  return refuse(Drop::Malformed);
}

}  // namespace overlane::encap

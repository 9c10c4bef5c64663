#pragma once

#include <cstdint>

#include "dataplane/net/address.h"

namespace overlane {

/// What tells one flow from another. Ports are 0 where there are none, and for every fragment, as
/// Linux's flow dissector leaves them (net/core/flow_dissector.c), so that all fragments of a
/// packet take one way.
struct FlowKey {
  IpAddress source;
  IpAddress destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t protocol = 0;

  auto operator<=>(const FlowKey&) const = default;
};

namespace flow_hash_parts {

/// The finalizer of MurmurHash3.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ z >> 33) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 33;
}

}  // namespace flow_hash_parts

/// flow_hash() of a flow between two IPv4 addresses. `ports` is the source's above the
/// destination's.
constexpr std::uint32_t ipv4_flow_hash(Ipv4Address source, Ipv4Address destination,
                                       std::uint32_t ports, std::uint8_t protocol) {
  // Two addresses fill one word.
  const std::uint64_t addresses = std::uint64_t{source.bits} << 32 | destination.bits;
  const std::uint64_t rest = std::uint64_t{ports} << 8 | protocol;
  return static_cast<std::uint32_t>(
      flow_hash_parts::mix(flow_hash_parts::mix(addresses) + rest + 1));
}

/// A hash of all five fields, the same on every platform: the finalizer of MurmurHash3 over two
/// words. Kernels and NICs use keyed hashes; only the spread matters here.
constexpr std::uint32_t flow_hash(const FlowKey& key) {
  using flow_hash_parts::mix;
  const std::uint32_t ports =
      std::uint32_t{key.source_port} << 16 | std::uint32_t{key.destination_port};
  if (key.source.is_ipv4()) {
    return ipv4_flow_hash(key.source.ipv4(), key.destination.ipv4(), ports, key.protocol);
  }
  const std::uint64_t addresses =
      mix(mix(mix(key.source.high) + key.source.low) + key.destination.high) + key.destination.low;
  const std::uint64_t rest = std::uint64_t{ports} << 8 | key.protocol;
  return static_cast<std::uint32_t>(mix(mix(addresses) + rest + 1));
}

}  // namespace overlane

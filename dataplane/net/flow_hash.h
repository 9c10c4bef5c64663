#pragma once

#include <cstddef>
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

/// The finalizer of MurmurHash3.
constexpr std::uint64_t murmur_mix(std::uint64_t z) {
  z = (z ^ z >> 33) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 33;
}

/// For hash tables of addresses.
struct AddressHash {
  constexpr std::size_t operator()(IpAddress address) const {
    return murmur_mix(murmur_mix(address.high) + address.low);
  }
};

/// flow_hash() by the source's address and port above the destination's. Two IPv4 addresses fill
/// one word.
constexpr std::uint32_t flow_hash(std::uint64_t addresses, std::uint32_t ports,
                                  std::uint8_t protocol) {
  const std::uint64_t rest = std::uint64_t{ports} << 8 | protocol;
  return static_cast<std::uint32_t>(murmur_mix(murmur_mix(addresses) + rest + 1));
}

/// A hash of all five fields, the same on every platform: the finalizer of MurmurHash3 over two
/// words. Kernels and NICs use keyed hashes; only the spread matters here.
constexpr std::uint32_t flow_hash(const FlowKey& key) {
  std::uint64_t addresses = key.source.low << 32 | (key.destination.low & 0xffffffff);
  if (!key.source.is_ipv4()) {
    addresses = murmur_mix(murmur_mix(murmur_mix(key.source.high) + key.source.low) +
                           key.destination.high) +
                key.destination.low;
  }
  return flow_hash(addresses, std::uint32_t{key.source_port} << 16 | key.destination_port,
                   key.protocol);
}

}  // namespace overlane

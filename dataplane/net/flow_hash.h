#pragma once

#include <cstddef>
#include <cstdint>

#include "dataplane/net/address.h"

namespace overlane {

// Flows and their hash, which selects paths through the fabric, UDP source ports of tunnels and
// IPv6 flow labels. Kernels and NICs use keyed hashes; here only an even spread matters, and the
// same result on every platform.

/// The five fields that identify a flow. Ports are 0 for protocols without ports and for every
/// fragment, as in Linux's flow dissector (net/core/flow_dissector.c), so that all fragments of a
/// packet take one path.
struct FlowKey {
  IpAddress source;
  IpAddress destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t protocol = 0;

  auto operator<=>(const FlowKey&) const = default;
};

/// The 64-bit finalizer of MurmurHash3 (fmix64): every input bit affects every output bit.
constexpr std::uint64_t murmur_mix(std::uint64_t z) {
  z = (z ^ z >> 33) * 0xff51afd7ed558ccd;
  z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53;
  return z ^ z >> 33;
}

/// The hash function of hash tables with addresses as keys.
struct AddressHash {
  constexpr std::size_t operator()(IpAddress address) const {
    return murmur_mix(murmur_mix(address.high) + address.low);
  }
};

/// flow_hash() of a flow whose addresses and ports are packed into words, the source in the upper
/// half. IPv4 addresses fill one word; IPv6 addresses must be mixed into one.
constexpr std::uint32_t flow_hash(std::uint64_t addresses, std::uint32_t ports,
                                  std::uint8_t protocol) {
  const std::uint64_t rest = std::uint64_t{ports} << 8 | protocol;
  return static_cast<std::uint32_t>(murmur_mix(murmur_mix(addresses) + rest + 1));
}

/// A 32-bit hash of all five fields.
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

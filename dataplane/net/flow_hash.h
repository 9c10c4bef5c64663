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

/// A hash of all five fields, the same on every platform: the finalizer of MurmurHash3 over two
/// words. Kernels and NICs use keyed hashes; only the spread matters here.
constexpr std::uint32_t flow_hash(const FlowKey& key) {
  constexpr auto kMix = [](std::uint64_t z) {
    z = (z ^ z >> 33) * 0xff51afd7ed558ccd;
    z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53;
    return z ^ z >> 33;
  };
  // Two IPv4 addresses fill one word.
  std::uint64_t addresses = key.source.low << 32 | (key.destination.low & 0xffffffff);
  if (!key.source.is_ipv4()) {
    addresses = kMix(kMix(kMix(key.source.high) + key.source.low) + key.destination.high) +
                key.destination.low;
  }
  const std::uint64_t rest = std::uint64_t{key.source_port} << 24 |
                             std::uint64_t{key.destination_port} << 8 | key.protocol;
  return static_cast<std::uint32_t>(kMix(kMix(addresses) + rest + 1));
}

}  // namespace overlane

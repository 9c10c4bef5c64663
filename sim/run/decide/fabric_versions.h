#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/net/flow_hash.h"
#include "dataplane/node/state/world.h"

namespace overlane::run {

/// Versions of the fabric's decisions, by the destination of the packet in the fabric: a changed
/// route raises those of its destinations only, so that other flows keep what was decided for them.
class FabricVersions {
 public:
  /// Destinations whose decisions share a version.
  using Key = std::uint16_t;

  static Key key_of(IpAddress destination) {
    // A route to a longer prefix than these concerns one key only.
    const std::uint64_t bits =
        destination.is_ipv4() ? destination.low >> (32 - kLengthIpv4) : destination.high;
    return static_cast<Key>(murmur_mix(bits) & (kKeys - 1));
  }

  std::uint32_t of(Key key) const { return all_ + by_key_[key]; }

  void raise(const node::FabricChange& change) {
    if (change.all || !change.instances.empty() || !change.groups.empty()) ++all_;
    for (const auto& [table, prefix] : change.destinations) {
      const bool is_long = prefix.length() >= (prefix.is_ipv4() ? kLengthIpv4 : kLengthIpv6);
      ++(is_long ? by_key_[key_of(prefix.network())] : all_);
    }
  }

 private:
  static constexpr std::size_t kKeys = 4096;  ///< A power of two.
  static constexpr int kLengthIpv4 = 24;
  static constexpr int kLengthIpv6 = 64;

  std::uint32_t all_ = 1;  ///< Of all destinations. A sum with it is never repeated.
  std::vector<std::uint32_t> by_key_ = std::vector<std::uint32_t>(kKeys);
};

}  // namespace overlane::run

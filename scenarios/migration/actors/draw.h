#pragma once

#include <cstdint>

#include "dataplane/net/units.h"
#include "sim/random/stream.h"

namespace overlane::migration {

/// Who draws random numbers; part of the result contract: append, never renumber.
enum class Drawer : std::uint32_t {
  BirdReload = 1,
  BgpConnect = 2,
  RolloutOrder = 3,
  PodReplacement = 4,
  IpamBlock = 5,
};

inline RandomStream stream_of(std::uint64_t seed, Drawer drawer, std::uint32_t node = 0) {
  return {seed, StreamUse::Actors, std::uint64_t{static_cast<std::uint32_t>(drawer)} << 32 | node};
}

/// A time between zero and `most`, every one as likely.
inline Picos drawn(Picos most, std::uint64_t seed, Drawer drawer, std::uint32_t node) {
  RandomStream stream = stream_of(seed, drawer, node);
  return {static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(most.count) + 1))};
}

}  // namespace overlane::migration

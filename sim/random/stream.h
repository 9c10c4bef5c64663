#pragma once

#include <array>
#include <cstdint>

namespace overlane {

/// What a random stream is for, so that two uses by the same entity never share numbers. Values are
/// part of the result contract: append, never renumber.
enum class StreamUse : std::uint64_t {
  FlowStart = 1,
  PacketGap = 2,
  RequestGap = 3,
  Pattern = 4,
  Ports = 5,
  SendJitter = 6,
  ByteSample = 7,
  Arrivals = 8,
  Transfers = 9,
  Repetition = 10,
  Loss = 11,
  LeafHash = 12,
  Actors = 13,
  Resamples = 14,
};

/// A stream of random numbers that belongs to one entity of one run: xoshiro256** (Blackman and
/// Vigna, 2018), its state filled by SplitMix64 from (seed, use, entity). The same triple gives the
/// same numbers on every platform.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, StreamUse use, std::uint64_t entity);

  std::uint64_t next();

  /// Uniform in [0, bound), without bias (Lemire's method); `bound` > 0.
  std::uint64_t below(std::uint64_t bound);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace overlane

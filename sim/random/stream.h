#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace overlane {

// Random numbers of a simulation. There is no global generator: each entity of a run (a flow, a
// sender) has a stream of its own for each use, whose numbers follow from the seed of the run
// alone. Results therefore depend neither on the number of threads nor on what other entities draw.

/// The use of a random stream, so that two uses by the same entity never share numbers. Values are
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
  TimerPhase = 15,
};

/// A stream of random numbers that belongs to one entity of one run: xoshiro256** (Blackman and
/// Vigna, 2018), its state filled by SplitMix64 from (seed, use, entity). The same triple gives the
/// same numbers on every platform. A stream belongs to one thread at a time.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, StreamUse use, std::uint64_t entity);

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), without bias (Lemire's method); `bound` > 0.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Product = unsigned __int128;
    Product product = static_cast<Product>(next()) * bound;
    if (static_cast<std::uint64_t>(product) < bound) [[unlikely]] {
      const std::uint64_t threshold = -bound % bound;
      while (static_cast<std::uint64_t>(product) < threshold)
        product = static_cast<Product>(next()) * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace overlane

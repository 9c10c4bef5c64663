#include "sim/random/stream.h"

namespace overlane {
namespace {

/// SplitMix64's increment (Steele, Lea and Flood, 2014): 2^64 divided by the golden ratio.
constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, StreamUse use, std::uint64_t entity) {
  std::uint64_t key = mix(seed + kGoldenGamma);
  key = mix(key ^ (static_cast<std::uint64_t>(use) + kGoldenGamma));
  key = mix(key ^ (entity + kGoldenGamma));
  for (std::uint64_t& word : state_)
    word = mix(key += kGoldenGamma);
}

}  // namespace overlane

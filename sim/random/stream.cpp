#include "sim/random/stream.h"

#include <bit>

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

std::uint64_t RandomStream::next() {
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

std::uint64_t RandomStream::below(std::uint64_t bound) {
  __extension__ using Product = unsigned __int128;
  Product product = static_cast<Product>(next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = -bound % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = static_cast<Product>(next()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace overlane

#include "topologies/document/json_block.h"

#include <array>
#include <cstring>

namespace overlane::document {
namespace {

/// Eight bytes at a time, the lowest first; a byte that is looked for becomes a bit.
class Bytes {
 public:
  explicit Bytes(const char* bytes) { std::memcpy(words_.data(), bytes, sizeof words_); }

  /// Bit i: byte i, after `ignored` bits of it were set, is `wanted`.
  std::uint64_t equal(unsigned char wanted, unsigned char ignored = 0) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < words_.size(); ++i)
      bits |= equal(words_[i] | kOnes * ignored, kOnes * wanted) << (8 * i);
    return bits;
  }

 private:
  static constexpr std::uint64_t kOnes = 0x0101010101010101;
  static constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;

  static std::uint64_t equal(std::uint64_t word, std::uint64_t wanted) {
    const std::uint64_t other = word ^ wanted;
    const std::uint64_t top = ~(((other & kLow) + kLow) | other | kLow);  // 0x80 where it is 0.
    constexpr std::uint64_t kGather = 0x0002040810204081;  // Bit 7 of byte i to bit 56 + i.
    return (top * kGather) >> 56;
  }

  std::array<std::uint64_t, JsonBlock::kBytes / 8> words_;
};

/// Bit i: an odd number of the bits up to i is set.
std::uint64_t odd_so_far(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2)
    bits ^= bits << shift;
  return bits;
}

}  // namespace

JsonBlock::JsonBlock(const char* bytes) {
  constexpr unsigned char kBraceOrBracket = 0x20;  // { is [ with this bit, and } is ].
  const Bytes block(bytes);
  const std::uint64_t quotes = block.equal('"');
  const std::uint64_t in_string = odd_so_far(quotes);
  std::uint64_t told = ~std::uint64_t{0};
  if (in_string >> (kBytes - 1) != 0) {
    size_ = static_cast<std::size_t>(std::bit_width(quotes)) - 1;
    told = (std::uint64_t{1} << size_) - 1;
  }
  if (((block.equal('\\') | (block.equal('\n') & in_string)) & told) != 0) size_ = 0;
  opens_ = block.equal('{', kBraceOrBracket) & ~in_string & told;
  closes_ = block.equal('}', kBraceOrBracket) & ~in_string & told;
}

}  // namespace overlane::document

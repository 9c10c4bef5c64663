#include "topologies/document/syntax/json_block.h"

#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace overlane::document {
namespace {

#ifdef __SSE2__
/// Sixteen bytes at a time; each match is a bit.
class Bytes {
 public:
  explicit Bytes(const char* bytes) { std::memcpy(parts_, bytes, sizeof parts_); }

  /// Bit i: byte i, with the bits `ignored` set, equals `wanted`.
  std::uint64_t equal(char wanted, char ignored = 0) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kParts; ++i) {
      const __m128i part = _mm_or_si128(parts_[i], _mm_set1_epi8(ignored));
      const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(part, _mm_set1_epi8(wanted)));
      bits |= std::uint64_t{static_cast<std::uint32_t>(equal)} << (16 * i);
    }
    return bits;
  }

 private:
  static constexpr std::size_t kParts = JsonBlock::kBytes / sizeof(__m128i);

  __m128i parts_[kParts];
};
#else
/// One byte at a time.
class Bytes {
 public:
  explicit Bytes(const char* bytes) : bytes_(bytes) {}

  std::uint64_t equal(char wanted, char ignored = 0) const {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < JsonBlock::kBytes; ++i)
      bits |= std::uint64_t{(bytes_[i] | ignored) == wanted} << i;
    return bits;
  }

 private:
  const char* bytes_;
};
#endif

/// Bit i: the number of set bits up to i is odd.
std::uint64_t odd_so_far(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2)
    bits ^= bits << shift;
  return bits;
}

}  // namespace

JsonBlock::JsonBlock(const char* bytes, bool in_string) {
  constexpr char kBraceOrBracket = 0x20;  // { is [ with this bit, and } is ].
  const Bytes block(bytes);
  const std::uint64_t before = in_string ? ~std::uint64_t{0} : 0;
  const std::uint64_t strings = odd_so_far(block.equal('"')) ^ before;
  needs_slow_scan_ = (block.equal('\\') | (block.equal('\n') & strings)) != 0;
  ends_in_string_ = strings >> (kBytes - 1) != 0;
  opens_ = block.equal('{', kBraceOrBracket) & ~strings;
  closes_ = block.equal('}', kBraceOrBracket) & ~strings;
}

}  // namespace overlane::document

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::ranges::testing {

/// Random CIDRs, one per line. tools/bench-overlap generates the same ones: change the generator, a
/// bound or the order in both.
class RandomTexts {
 public:
  /// Ranges of /22…/26 in 10.0.0.0/8, 100.64.0.0/10 and 172.16.0.0/12. Among n of them, about
  /// 1.3e-5 n² pairs overlap.
  static RandomTexts ipv4(std::size_t count) {
    RandomTexts made;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t length = 22 + made.below(5);
      const std::uint32_t mask = ~0u << (32 - length);
      const std::uint32_t bits = private_address(made.below(kPrivateAddresses)) & mask;
      for (const std::uint32_t shift : {24u, 16u, 8u, 0u})
        made.text_ += std::to_string(bits >> shift & 0xff) + (shift == 0 ? "/" : ".");
      made.text_ += std::to_string(length) + "\n";
    }
    return made;
  }
  /// Ranges of /48, /52, … /64 in fd00:10::/34, with as many overlaps as in ipv4().
  static RandomTexts ipv6(std::size_t count) {
    static constexpr char kDigits[] = "0123456789abcdef";
    RandomTexts made;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t length = 48 + 4 * made.below(5);
      const std::uint32_t bits = made.below(1u << 30) & ~0u << (64 - length);
      made.text_ += "fd00:10:";
      for (std::uint32_t shift = 32; shift > 0; shift -= 4) {
        made.text_ += kDigits[bits >> (shift - 4) & 0xf];
        if (shift == 20) made.text_ += ":";
      }
      made.text_ += "::/" + std::to_string(length) + "\n";
    }
    return made;
  }
  /// Repeats one range.
  static RandomTexts identical(std::size_t count) {
    RandomTexts made;
    for (std::size_t i = 0; i < count; ++i)
      made.text_ += "100.96.0.0/11\n";
    return made;
  }
  /// Ranges /0…/32 that all contain 10.0.0.0, in random order.
  static RandomTexts nested(std::size_t count) {
    RandomTexts made;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t length = made.below(33);
      made.text_ += length < 5 ? "0.0.0.0/" : length < 7 ? "8.0.0.0/" : "10.0.0.0/";
      made.text_ += std::to_string(length) + "\n";
    }
    return made;
  }

  /// One view per line, without its end; valid as long as this object.
  std::vector<std::string_view> lines() const {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = text_.find('\n', at);
      lines.push_back(std::string_view(text_).substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

 private:
  static constexpr std::uint32_t kPrivateAddresses = (1u << 24) + (1u << 22) + (1u << 20);

  static std::uint32_t private_address(std::uint32_t n) {
    if (n < 1u << 24) return 0x0a000000 + n;
    n -= 1u << 24;
    if (n < 1u << 22) return 0x64400000 + n;
    return 0xac100000 + (n - (1u << 22));
  }
  /// The high half of Knuth's linear congruential generator (MMIX).
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 32) % bound;
  }

  std::uint64_t state_ = 0;
  std::string text_;
};

}  // namespace overlane::ranges::testing

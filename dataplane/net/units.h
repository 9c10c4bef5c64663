#pragma once

#include <compare>
#include <cstdint>

namespace overlane {

// Times, sizes and rates as types of their own. All are integers, so that results do not depend on
// the machine.

/// A time or a duration in picoseconds: one byte takes 80 ps at 100 Gbit/s, and 63 bits hold 106
/// days.
struct Picos {
  std::int64_t count = 0;

  auto operator<=>(const Picos&) const = default;
  constexpr Picos& operator+=(Picos other) { return count += other.count, *this; }
  constexpr Picos& operator-=(Picos other) { return count -= other.count, *this; }
  friend constexpr Picos operator+(Picos a, Picos b) { return {a.count + b.count}; }
  friend constexpr Picos operator-(Picos a, Picos b) { return {a.count - b.count}; }
  friend constexpr Picos operator*(Picos a, std::int64_t factor) { return {a.count * factor}; }
  friend constexpr Picos operator/(Picos a, std::int64_t divisor) { return {a.count / divisor}; }

  constexpr std::int64_t whole_nanoseconds() const { return count / 1'000; }
};

constexpr Picos picoseconds(std::int64_t n) {
  return {n};
}
constexpr Picos nanoseconds(std::int64_t n) {
  return {n * 1'000};
}
constexpr Picos microseconds(std::int64_t n) {
  return {n * 1'000'000};
}
constexpr Picos milliseconds(std::int64_t n) {
  return {n * 1'000'000'000};
}
constexpr Picos seconds(std::int64_t n) {
  return {n * 1'000'000'000'000};
}

struct Bytes {
  std::int64_t count = 0;

  auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) { return count += other.count, *this; }
  constexpr Bytes& operator-=(Bytes other) { return count -= other.count, *this; }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
};

struct BitsPerSecond {
  std::int64_t count = 0;

  auto operator<=>(const BitsPerSecond&) const = default;
};

/// Holds bytes × 8 × 10^12 (bits times picoseconds per second) of any run.
__extension__ using WideInteger = __int128;

/// The time that `size` occupies a link of `rate` (> 0), rounded up to whole picoseconds.
constexpr Picos serialization_time(Bytes size, BitsPerSecond rate) {
  constexpr std::int64_t kNarrow = 1'000'000;  // kNarrow × 8 × 10^12 fits into 63 bits.
  if (size.count >= 0 && size.count <= kNarrow) {
    const std::int64_t bit_picos = size.count * 8 * 1'000'000'000'000;
    return {bit_picos / rate.count + (bit_picos % rate.count != 0 ? 1 : 0)};
  }
  const WideInteger bit_picos = WideInteger{size.count} * 8 * 1'000'000'000'000;
  return {static_cast<std::int64_t>((bit_picos + rate.count - 1) / rate.count)};
}

/// The mean rate of `size` over `duration`, rounded down; zero if `duration` is zero.
constexpr BitsPerSecond mean_rate(Bytes size, Picos duration) {
  if (duration.count <= 0) return {0};
  const WideInteger bit_picos = WideInteger{size.count} * 8 * 1'000'000'000'000;
  return {static_cast<std::int64_t>(bit_picos / duration.count)};
}

}  // namespace overlane

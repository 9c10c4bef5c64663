#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace overlane::run {

// Sorts short lists of numbers that come in no order: a comparison whose result decides a jump is
// mispredicted half of the time and then costs more than all the rest. A sorting network (Batcher,
// "Sorting networks and their applications", 1968) compares the same places whatever the numbers
// are. Exchanges use masks: g++ makes jumps of std::min and std::max.

namespace small_sort {

struct Exchange {
  std::size_t low = 0, high = 0;
};

/// Calls visit(low, high) for each comparator of Batcher's odd-even merge sort of `count` places.
template <typename Visit>
constexpr void visit_network(std::size_t count, Visit visit) {
  for (std::size_t half = 1; half < count; half *= 2)
    for (std::size_t step = half; step >= 1; step /= 2)
      for (std::size_t begin = step % half; begin + step < count; begin += 2 * step)
        for (std::size_t i = begin; i < begin + step && i + step < count; ++i)
          if (i / (2 * half) == (i + step) / (2 * half)) visit(i, i + step);
}

constexpr std::size_t network_size(std::size_t count) {
  std::size_t size = 0;
  visit_network(count, [&](std::size_t, std::size_t) { ++size; });
  return size;
}

template <std::size_t kCount>
constexpr auto make_network() {
  std::array<Exchange, network_size(kCount)> network;
  std::size_t next = 0;
  visit_network(kCount, [&](std::size_t low, std::size_t high) { network[next++] = {low, high}; });
  return network;
}

template <std::size_t kCount>
inline constexpr auto kNetwork = make_network<kCount>();

template <std::size_t kCount, std::size_t... kIndex>
[[gnu::always_inline]] inline void run_network(std::uint64_t* numbers,
                                               std::index_sequence<kIndex...>) {
  std::array<std::uint64_t, kCount> few;
  std::copy_n(numbers, kCount, few.begin());
  const auto exchange = [&few](std::size_t low, std::size_t high) {
    const std::uint64_t swapped = (few[low] ^ few[high]) & -std::uint64_t{few[high] < few[low]};
    few[low] ^= swapped;
    few[high] ^= swapped;
  };
  (exchange(kNetwork<kCount>[kIndex].low, kNetwork<kCount>[kIndex].high), ...);
  std::copy_n(few.begin(), kCount, numbers);
}

template <std::size_t kCount>
inline void sort_few(std::uint64_t* numbers) {
  run_network<kCount>(numbers, std::make_index_sequence<kNetwork<kCount>.size()>());
}

}  // namespace small_sort

/// Numbers that sort_numbers() may move although they are not in the list.
inline constexpr std::size_t kSortPadding = 16;

/// Sorts `count` numbers. Requires that the list has room for kSortPadding numbers, and that those
/// after the first `count` are UINT64_MAX.
inline void sort_numbers(std::uint64_t* numbers, std::size_t count) {
  if (count <= 1) return;
  if (count <= 4) return small_sort::sort_few<4>(numbers);
  if (count <= 8) return small_sort::sort_few<8>(numbers);
  if (count <= 16) return small_sort::sort_few<16>(numbers);
  std::sort(numbers, numbers + count);
}

}  // namespace overlane::run

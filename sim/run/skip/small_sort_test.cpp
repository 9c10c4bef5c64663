#include "sim/run/skip/small_sort.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::run {
namespace small_sort_test {

TEST(SmallSort, SortsListsOfEachLength) {
  RandomStream random(1, StreamUse::Pattern, 0);
  for (std::size_t count = 0; count <= 40; ++count) {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::uint64_t> numbers(count + kSortPadding, UINT64_MAX);
      for (std::size_t i = 0; i < count; ++i)
        numbers[i] = random.below(round % 2 == 0 ? 10 : std::uint64_t{1} << 62);
      std::vector<std::uint64_t> expected(numbers.begin(),
                                          numbers.begin() + static_cast<std::ptrdiff_t>(count));
      std::ranges::sort(expected);
      sort_numbers(numbers.data(), count);
      numbers.resize(count);
      ASSERT_EQ(numbers, expected) << count;
    }
  }
}

}  // namespace small_sort_test
}  // namespace overlane::run

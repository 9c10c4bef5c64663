#include "sim/transport/ring_buffer.h"

#include <deque>

#include <gtest/gtest.h>

#include "sim/random/stream.h"

namespace overlane::transport {
namespace ring_buffer_test {

TEST(RingBuffer, BehavesAsADequeWithStableNumbers) {
  RingBuffer<int> ring;
  std::deque<int> deque;
  RandomStream random(1, StreamUse::Pattern, 3);
  std::uint32_t first = 0;
  for (int i = 0; i < 10'000; ++i) {
    // Mostly grows, then mostly shrinks.
    const bool pops = random.below(10) < (i < 5'000 ? 4u : 6u);
    if (pops && !deque.empty()) {
      ring.pop_front();
      deque.pop_front();
      ++first;
    } else {
      const std::uint32_t number = ring.push_back(i);
      EXPECT_EQ(number, ring.last() - 1);
      deque.push_back(i);
    }
    ASSERT_EQ(ring.size(), deque.size());
    ASSERT_EQ(ring.first(), first);
    if (deque.empty()) {
      ring.release();
      continue;
    }
    ASSERT_EQ(ring.front(), deque.front());
    ASSERT_EQ(ring.back(), deque.back());
    const auto middle = static_cast<std::uint32_t>(random.below(deque.size()));
    ASSERT_EQ(ring[first + middle], deque[middle]);
  }
}

}  // namespace ring_buffer_test
}  // namespace overlane::transport

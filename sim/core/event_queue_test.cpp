#include "sim/core/event_queue.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/core/testing/sorted_list.h"
#include "sim/random/stream.h"

namespace overlane::core {
namespace {

/// A random event whose keys often collide in all but the last part.
Event random_event(RandomStream& random, std::uint64_t sequence) {
  return {.key = {.time = picoseconds(static_cast<std::int64_t>(random.below(50))),
                  .station = static_cast<StationId>(random.below(4)),
                  .source = static_cast<StationId>(random.below(4)),
                  .sequence = sequence},
          .kind = static_cast<std::uint32_t>(random.below(8)),
          .subject = static_cast<std::uint32_t>(sequence)};
}

TEST(EventQueue, OrdersByTimeThenStationThenSourceThenSequence) {
  const std::vector<EventKey> in_order = {
      {picoseconds(1), 9, 9, 9}, {picoseconds(2), 1, 9, 9}, {picoseconds(2), 2, 1, 9},
      {picoseconds(2), 2, 2, 1}, {picoseconds(2), 2, 2, 2},
  };
  EventQueue queue;
  for (auto key = in_order.rbegin(); key != in_order.rend(); ++key)
    queue.push({.key = *key});
  for (const EventKey& key : in_order)
    EXPECT_EQ(queue.pop().key, key);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, AgreesWithASortedListUnderMixedPushesAndPops) {
  RandomStream random(1, StreamUse::Pattern, 0);
  EventQueue queue;
  SortedList oracle;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    if (oracle.empty() || random.below(100) < 55) {
      const Event event = random_event(random, step);
      queue.push(event);
      oracle.push(event);
    } else {
      ASSERT_EQ(queue.pop(), oracle.pop());
    }
  }
  while (!oracle.empty())
    ASSERT_EQ(queue.pop(), oracle.pop());
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, OrderDoesNotDependOnInsertion) {
  RandomStream random(2, StreamUse::Pattern, 0);
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 500; ++i)
    events.push_back(random_event(random, i));
  const auto drain = [](const std::vector<Event>& in) {
    EventQueue queue;
    for (const Event& event : in)
      queue.push(event);
    std::vector<Event> out;
    while (!queue.empty())
      out.push_back(queue.pop());
    return out;
  };
  const std::vector<Event> forwards = drain(events);
  std::ranges::reverse(events);
  EXPECT_EQ(drain(events), forwards);
}

}  // namespace
}  // namespace overlane::core

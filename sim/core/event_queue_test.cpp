#include "sim/core/event_queue.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "sim/core/testing/sorted_list.h"
#include "sim/random/stream.h"

namespace overlane::core {

namespace event_queue_test {

constexpr Picos kEnd{INT64_MAX};

Event pop(EventQueue& queue) {
  Event event;
  EXPECT_TRUE(queue.pop_before(kEnd, event));
  return event;
}

TEST(EventQueue, OrdersByTimeThenByWhat) {
  const std::vector<Event> in_order = {
      {picoseconds(1), 9}, {picoseconds(2), 1}, {picoseconds(2), 2}, {seconds(1), 0}};
  EventQueue queue;
  for (auto event = in_order.rbegin(); event != in_order.rend(); ++event)
    queue.push(*event);
  EXPECT_EQ(queue.size(), 4u);
  for (const Event& event : in_order)
    EXPECT_EQ(pop(queue), event);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, KeepsWhatIsNotBeforeTheEnd) {
  EventQueue queue;
  Event event;
  EXPECT_FALSE(queue.pop_before(kEnd, event));
  for (const std::int64_t time : {100, 100, 2'000'000, 900'000'000})
    queue.push({picoseconds(time), 7});
  EXPECT_FALSE(queue.pop_before(picoseconds(100), event));
  EXPECT_TRUE(queue.pop_before(picoseconds(101), event));
  EXPECT_TRUE(queue.pop_before(picoseconds(101), event));
  EXPECT_FALSE(queue.pop_before(picoseconds(2'000'000), event));
  queue.push({picoseconds(500), 8});
  EXPECT_EQ(pop(queue).what, 8u);
  EXPECT_EQ(pop(queue).time, picoseconds(2'000'000));
  EXPECT_FALSE(queue.pop_before(picoseconds(900'000'000), event));
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(pop(queue).time, picoseconds(900'000'000));
}

TEST(EventQueue, KnowsWhenTheNextIs) {
  EventQueue queue;
  EXPECT_EQ(queue.next_time().count, INT64_MAX);
  Event event;
  for (const std::int64_t time : {900'000'000'000L, 2'000'500L, 2'000'000L, 40'000L, 100L}) {
    queue.push({picoseconds(time), 7});
    EXPECT_EQ(queue.next_time(), picoseconds(time));
    queue.pop_before({}, event);  // Looks, and takes nothing.
    EXPECT_EQ(queue.next_time(), picoseconds(time));
  }
  for (const std::int64_t time : {40'000L, 2'000'000L, 2'000'500L, 900'000'000'000L}) {
    pop(queue);
    EXPECT_EQ(queue.next_time(), picoseconds(time));
  }
}

/// How far ahead the events of a pattern are, at most, in picoseconds: one of these, by chance.
struct Pattern {
  const char* name;
  std::vector<std::uint64_t> ahead;
  std::uint64_t pending;  ///< About so many wait at a time.
};

class EventQueuePatterns : public ::testing::TestWithParam<Pattern> {};

/// Pushes as a run does: no event before the one that was taken last.
TEST_P(EventQueuePatterns, AgreeWithASortedList) {
  const Pattern& pattern = GetParam();
  RandomStream random(1, StreamUse::Pattern, 0);
  EventQueue queue;
  SortedList oracle;
  Picos now;
  for (int step = 0; step < 60'000; ++step) {
    const std::uint64_t wanted = random.below(2 * pattern.pending);
    if (oracle.empty() || wanted > queue.size()) {
      const std::uint64_t most = pattern.ahead[random.below(pattern.ahead.size())];
      const Event event{now + picoseconds(static_cast<std::int64_t>(random.below(most))),
                        random.below(4)};
      queue.push(event);
      oracle.push(event);
    } else {
      Event event;
      if (random.below(2) == 0) {
        ASSERT_FALSE(queue.pop_before(now, event));
      }
      const Event* soon = queue.glance();
      ASSERT_TRUE(soon == nullptr || oracle.holds(*soon));
      event = pop(queue);
      ASSERT_EQ(event, oracle.pop());
      now = event.time;
    }
    ASSERT_EQ(queue.empty(), oracle.empty());
  }
  while (!oracle.empty())
    ASSERT_EQ(pop(queue), oracle.pop());
  EXPECT_TRUE(queue.empty());
}

constexpr std::uint64_t kMicrosecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000 * kMicrosecond;

INSTANTIATE_TEST_SUITE_P(
    EventQueue, EventQueuePatterns,
    ::testing::Values(
        Pattern{"the same moments", {50}, 100},
        Pattern{"a round of the wheel", {1'000 * kMicrosecond}, 50},
        Pattern{"crowded", {2 * kMicrosecond}, 2'000}, Pattern{"sparse", {kSecond}, 3},
        Pattern{"one at a time", {kSecond}, 1},
        Pattern{"packets and timeouts",
                {kMicrosecond, 20 * kMicrosecond, 20 * kMicrosecond, kSecond / 5},
                200},
        Pattern{"from picoseconds to hours", {1, 1'000, kMicrosecond, 4'000 * kSecond}, 60}),
    [](const auto& pattern) {
      std::string name = pattern.param.name;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(EventQueue, OrderDoesNotDependOnInsertion) {
  RandomStream random(2, StreamUse::Pattern, 0);
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 500; ++i)
    events.push_back({picoseconds(static_cast<std::int64_t>(random.below(50))), random.below(9)});
  const auto drain = [](const std::vector<Event>& in) {
    EventQueue queue;
    for (const Event& event : in)
      queue.push(event);
    std::vector<Event> out;
    while (!queue.empty())
      out.push_back(pop(queue));
    return out;
  };
  const std::vector<Event> forwards = drain(events);
  std::ranges::reverse(events);
  EXPECT_EQ(drain(events), forwards);
}

}  // namespace event_queue_test

}  // namespace overlane::core

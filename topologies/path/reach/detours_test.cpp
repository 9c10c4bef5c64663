#include "topologies/path/reach/detours.h"

#include <gtest/gtest.h>

namespace overlane::path {

namespace detours_test {

TEST(Detours, HaveNumbersUntilNoneIsLeft) {
  Detours detours;
  EXPECT_EQ(detours.number({}), Detours::kNone);
  std::uint32_t node = 0;
  while (const auto number = detours.number({.nodes = {node}}))
    EXPECT_EQ(*number, ++node);
  EXPECT_EQ(node + 1, Detours::kAny);
  EXPECT_EQ(detours.number({.nodes = {4}}), 5);
  EXPECT_EQ(detours.all().at(5).nodes, (std::vector<std::uint32_t>{4}));
  detours.clear();
  EXPECT_EQ(detours.number({.asks_for_sender = true}), 1);
  EXPECT_EQ(detours.number({}), Detours::kNone);
}

}  // namespace detours_test

}  // namespace overlane::path

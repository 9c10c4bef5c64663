#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/calibrate/files.h"
#include "scenarios/calibrate/measure_table.h"

namespace overlane::calibrate {
namespace measure_table_root_test {

using ::testing::HasSubstr;

TEST(MeasureTable, RowsGetTheFiguresOfThisMachine) {
  auto plan = load_table("namespaces");
  ASSERT_TRUE(plan);
  plan->rows.resize(8);
  // An eBPF program readdresses the frames in Cilium's tunnels.
  plan->systems.push_back(
      {.name = "geneve", .family = "cilium", .encapsulation = Encapsulation::Geneve});
  plan->rows[7].system = 2;
  std::uint32_t slices = 0;
  const auto measured =
      measure_table(*plan, {.slices = 2,
                            .slice = std::chrono::milliseconds(100),
                            .on_row = [&](std::uint32_t, std::size_t) { ++slices; }});
  ASSERT_TRUE(measured) << measured.error();
  EXPECT_EQ(slices, 3u * 7);
  for (std::size_t i = 0; i < 7; ++i) {
    ASSERT_EQ(measured->rows[i].figures.size(), 1u);
    EXPECT_EQ(measured->rows[i].use, Use::Fit);
    EXPECT_NE(measured->rows[i].figures[0].value, plan->rows[i].figures[0].value) << i;
    EXPECT_GT(measured->rows[i].figures[0].value, 0) << i;
  }
  EXPECT_EQ(measured->rows[7].use, Use::LeftOut);
  EXPECT_THAT(measured->rows[7].because, HasSubstr("eBPF"));
}

TEST(MeasureTable, EndsWhenItIsAsked) {
  const auto plan = load_table("namespaces");
  ASSERT_TRUE(plan);
  const std::atomic<bool> stop{true};
  const auto measured = measure_table(*plan, {.stop = &stop});
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error(), "interrupted");
}

}  // namespace measure_table_root_test
}  // namespace overlane::calibrate

#include "results/report/run_effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::report {
namespace run_effects_test {

using testing::IsEmpty;

model::Comparison row(const std::string& traffic, const std::string& variant,
                      std::string_view metric, std::int64_t ratio_ppm) {
  return {.traffic = traffic,
          .metric = std::string(metric),
          .variant = variant,
          .baseline = "routed",
          .ratio_ppm = ratio_ppm};
}

/// Three variants of a bulk transfer, small datagrams and requests.
model::RunReport report() {
  model::RunReport report{.scenario = "example"};
  for (const char* name : {"routed", "ipip", "vxlan"})
    report.variants.push_back(
        {.name = name,
         .traffic = {{.name = "many-flows", .kind = model::TrafficKind::Tcp},
                     {.name = "small", .kind = model::TrafficKind::Udp},
                     {.name = "requests", .kind = model::TrafficKind::RequestResponse}}});
  report.comparison = {row("many-flows", "ipip", "goodput_bps", 501'000),
                       row("many-flows", "vxlan", "goodput_bps", 994'000),
                       row("small", "ipip", "goodput_bps", 704'000),
                       row("small", "vxlan", "goodput_bps", 658'000),
                       row("requests", "ipip", "latency_ns.p50", 1'053'000),
                       row("requests", "vxlan", "latency_ns.p50", 1'085'000)};
  return report;
}

TEST(ChangeText, IsARangeWhereTheCostsDecide) {
  struct Case {
    std::int64_t low_ppm, high_ppm;
    const char* tenths;
    const char* whole;
  };
  for (const Case& one : {Case{678'000, 817'000, "-18.3 to -32.2 %", "-18 to -32 %"},
                          Case{1'045'000, 1'090'000, "+4.5 to +9.0 %", "+5 to +9 %"},
                          Case{980'000, 1'004'000, "-2.0 to +0.4 %", "-2 to +0 %"},
                          Case{994'000, 996'000, "-0.4 to -0.6 %", "-0.4 to -0.6 %"},
                          Case{998'000, 1'000'000, "+0.0 to -0.2 %", "+0.0 to -0.2 %"},
                          Case{994'010, 994'020, "-0.6 %", "-0.6 %"}}) {
    model::Comparison comparison = row("small", "ipip", "goodput_bps", one.high_ppm);
    comparison.range = model::RatioRange{one.low_ppm, one.high_ppm};
    EXPECT_EQ(change_text(comparison), one.tenths);
    EXPECT_EQ(change_text(comparison, RangeDigits::Whole), one.whole);
  }
  EXPECT_EQ(change_text(row("small", "ipip", "goodput_bps", 704'000)), "-29.6 %");
  EXPECT_EQ(change_text(model::Comparison{}), "");
}

TEST(LargestEffects, AreInTheOrderOfTheirSize) {
  const model::RunReport judged = report();
  const auto ipip = largest_effects(judged, judged.variants[1]);
  ASSERT_EQ(ipip.size(), 2u);
  EXPECT_EQ(ipip[0].comparison->traffic, "many-flows");
  EXPECT_EQ(ipip[0].what, "less goodput");
  EXPECT_EQ(ipip[0].change_ppm, 499'000);
  EXPECT_EQ(ipip[1].what, "more median latency");
  const auto vxlan = largest_effects(judged, judged.variants[2]);
  ASSERT_EQ(vxlan.size(), 2u);
  EXPECT_EQ(vxlan[0].comparison->traffic, "small");
}

TEST(LargestEffects, CountByTheLargerEndOfARange) {
  model::RunReport judged = report();
  judged.comparison[4].range = model::RatioRange{1'010'000, 3'000'000};
  const auto effects = largest_effects(judged, judged.variants[1]);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].what, "more median latency")
      << "three times the latency is more than half the rate";
  EXPECT_EQ(effects[0].change_ppm, 2'000'000);
}

TEST(LargestEffects, JudgeNewConnectionsByTheirNumber) {
  model::RunReport judged = report();
  for (model::VariantResult& variant : judged.variants)
    variant.traffic[2].connections_per_second = 50'000;
  judged.comparison.push_back(row("requests", "ipip", "connections_per_second", 400'000));
  const auto effects = largest_effects(judged, judged.variants[1]);
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[0].what, "fewer connections");
  EXPECT_EQ(effects[1].what, "less goodput") << "the latency is not judged";
}

TEST(Order, IsSaidWhereItDependsOnTheTraffic) {
  model::RunReport judged = report();
  EXPECT_EQ(order_text(judged), "ipip is better than vxlan for small, and worse for many-flows");
  judged.comparison[0].ratio_ppm = 995'000;
  EXPECT_THAT(order_text(judged), IsEmpty()) << "less than a percent is no difference";
}

TEST(Order, IgnoresTrafficThatDoesNotCrossZones) {
  model::RunReport judged = report();
  judged.findings = {{.rule = "zones-unavailable",
                      .message = "traffic \"many-flows\" wants two nodes in different zones and "
                                 "there are none"}};
  EXPECT_THAT(order_text(judged), IsEmpty());
  EXPECT_EQ(largest_effects(judged, judged.variants[1]).front().comparison->traffic, "small");
}

}  // namespace run_effects_test
}  // namespace overlane::report

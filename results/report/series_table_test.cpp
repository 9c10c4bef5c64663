#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/report/document_text.h"
#include "results/report/run_table.h"

namespace overlane::report {
namespace series_table_test {

using model::Series;
using ::testing::HasSubstr;
using ::testing::Not;

Series series(std::vector<std::int64_t> throughput_bps) {
  Series series;
  for (std::size_t i = 0; i < throughput_bps.size(); ++i)
    series.end_ns.push_back(static_cast<std::int64_t>(i + 1) * 1'000'000);
  series.nodes.nic_packets.assign(throughput_bps.size(), 3);
  series.nodes.cpu_ppm.assign(throughput_bps.size(), 250'000);
  series.traffic.push_back({.name = "bulk", .throughput_bps = std::move(throughput_bps)});
  return series;
}

std::string series_text(const model::RunReport& report) {
  return document_text({.title = "", .sections = {series_section(report)}}, {});
}

model::RunReport report(std::vector<Series> a, std::vector<Series> b) {
  model::RunReport report;
  report.variants.push_back({.name = "a", .series = std::move(a)});
  report.variants.push_back({.name = "bb", .series = std::move(b)});
  return report;
}

TEST(SeriesTable, VariantsShareAScaleUpToTheMaximum) {
  const std::string text =
      series_text(report({series({0, 1, 4'000, 8'000})}, {series({2'000, 1'000, 0, 0})}));
  EXPECT_EQ(text,
            "over time (each bar 1.00 ms, from the start of the run, warm-up included)\n"
            "  bulk throughput (█ 8.0 kbit/s)\n"
            "    a   ▁▄█\n"
            "    bb ▂▁\n"
            "  CPU busy, mean node (█ 25.0 %)\n"
            "    a  ████\n"
            "    bb ████\n");
}

TEST(SeriesTable, MarksWhereEventsBeginAndAreUndone) {
  model::RunReport with_events = report({series({5, 5, 5, 5, 5})}, {});
  with_events.events = {{.at_ns = 0, .until_ns = {}, .what = "a", .place = ""},
                        {.at_ns = 1'000'000, .until_ns = 3'500'000, .what = "b", .place = ""}};
  EXPECT_THAT(series_text(with_events),
              HasSubstr("  events (v begins, ^ is undone, x both)\n       vv ^\n"));
}

TEST(SeriesTable, ManyIntervalsShareABar) {
  std::vector<std::int64_t> many(121, 1'000);
  many.back() = 3'000;
  Series long_one = series(many);
  long_one.nodes.nic_packets[60] = 700;
  long_one.traffic[0].drops[Drop::NicQueueFull].assign(121, 2);
  const std::string text = series_text(report({long_one}, {}));
  EXPECT_THAT(text, HasSubstr("each bar 3.00 ms"));
  EXPECT_THAT(text, HasSubstr("nic-queue-full, packets (█ 6)")) << "a sum";
  EXPECT_THAT(text, HasSubstr("fullest NIC queue, packets (█ 700)")) << "the most";
  EXPECT_THAT(text, HasSubstr("bulk throughput (█ 3.0 kbit/s)")) << "a mean, of one in the last";
}

TEST(SeriesTable, SeriesOfSeparateTrafficAreLabelled) {
  Series other = series({5, 5});
  other.traffic[0].name = "asks";
  const std::string text = series_text(report({series({1, 2}), other}, {}));
  EXPECT_THAT(text, HasSubstr("asks throughput"));
  EXPECT_THAT(text, HasSubstr("CPU busy, mean node (bulk) (█ 25.0 %)\n    a  ██\n"));
  EXPECT_THAT(text, HasSubstr("CPU busy, mean node (asks) (█ 25.0 %)\n    a  ██\n"));
}

TEST(SeriesTable, ShowsWhatTheNetworkDelivered) {
  // Data after a lost segment is read at once: faster than a NIC of 10 Gbit/s.
  Series burst = series({5'000'000'000, 5'000'000'000});
  burst.traffic[0].goodput_bps = {0, 21'390'000'000};
  EXPECT_THAT(series_text(report({burst}, {})),
              HasSubstr("bulk throughput (█ 5.000 Gbit/s)\n    a  ██\n"));
}

TEST(SeriesTable, IsEmptyWithoutASeries) {
  EXPECT_EQ(series_text(report({}, {})), "");
}

}  // namespace series_table_test
}  // namespace overlane::report

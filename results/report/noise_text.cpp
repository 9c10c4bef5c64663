#include "results/report/noise_text.h"

#include <fmt/format.h>

#include "results/finding/one_line.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

std::string percent(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string step(const std::optional<double>& found) {
  return found ? fmt::format("{:g} %", *found * 100) : std::string("none");
}

}  // namespace

std::string noise_text(const std::vector<stats::MetricNoise>& noise, std::size_t night_rounds,
                       Style style) {
  if (noise.empty()) return "No case has enough rounds of a time.\n";
  ColumnTable table({"noise", "alarms", "trends", "1 night", "5 nights", "20 nights"});
  for (const stats::MetricNoise& one : noise) {
    table.heading(one_line(one.case_name + ": " + one.metric.name));
    const stats::Power& power = one.power;
    table.row("", {percent(power.noise_floor), percent(power.false_alarms),
                   percent(power.false_trends), step(power.found_in_a_night),
                   step(power.found_in_5_nights), step(power.found_in_20_nights)});
  }
  return table.to_string(style) + '\n' +
         wrapped("",
                 fmt::format("noise: 99 % of nights of {} show a smaller difference between equal "
                             "builds. alarms, trends: the share of nights, and of fortnights, that "
                             "would be called worse. 1 night …: the smallest slow-down that is "
                             "found in nine of ten cases, by the comparison of one night and by "
                             "the trend when so many nights have it.",
                             counted_text(night_rounds, "round")),
                 80);
}

}  // namespace overlane::report

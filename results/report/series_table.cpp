#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "results/report/run_table.h"
#include "results/report/text.h"

namespace overlane::report {
namespace {

using model::RunReport;
using model::Series;
using model::TrafficSeries;
using Values = std::vector<std::int64_t>;

constexpr std::size_t kMaxBars = 60;

/// How the values of intervals that share a bar are combined.
enum class Joined { Mean, Sum, Most };

std::int64_t joined(std::span<const std::int64_t> values, Joined how) {
  const std::int64_t sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  switch (how) {
    case Joined::Mean:
      return sum / static_cast<std::int64_t>(values.size());
    case Joined::Sum:
      return sum;
    case Joined::Most:
      return std::ranges::max(values);
  }
  return sum;
}

/// Number of intervals per bar.
std::size_t intervals_per_bar(const Series& series) {
  return std::max<std::size_t>((series.end_ns.size() + kMaxBars - 1) / kMaxBars, 1);
}

Values bars_of(const Values& values, std::size_t per_bar, Joined how) {
  Values bars;
  for (std::size_t at = 0; at < values.size(); at += per_bar)
    bars.push_back(
        joined(std::span(values).subspan(at, std::min(per_bar, values.size() - at)), how));
  return bars;
}

/// The character for a value; values above zero are always visible.
std::string bar_text(const Values& bars, std::int64_t most) {
  constexpr std::array kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::int64_t kSteps = kBars.size() - 1;
  std::string text;
  for (const std::int64_t bar : bars) {
    const auto share = static_cast<double>(bar) / static_cast<double>(most);
    const auto step = static_cast<std::int64_t>(share * kSteps + 0.5);
    text +=
        kBars[static_cast<std::size_t>(bar > 0 ? std::clamp<std::int64_t>(step, 1, kSteps) : 0)];
  }
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Index of the bar that contains a time.
std::size_t bar_at(const Series& series, std::int64_t at_ns) {
  const auto interval = std::ranges::upper_bound(series.end_ns, at_ns) - series.end_ns.begin();
  return static_cast<std::size_t>(interval) / intervals_per_bar(series);
}

/// The line above the bars that shows where events begin (v), are undone (^), or both (x).
std::string event_marks(const RunReport& report, const Series& series) {
  std::string marks;
  const auto mark = [&](std::int64_t at_ns, char sign) {
    const std::size_t bar = bar_at(series, at_ns);
    if (marks.size() <= bar) marks.resize(bar + 1, ' ');
    marks[bar] = marks[bar] == ' ' || marks[bar] == sign ? sign : 'x';
  };
  for (const model::Event& event : report.events) {
    mark(event.at_ns, 'v');
    if (event.until_ns) mark(*event.until_ns, '^');
  }
  return marks;
}

/// One figure of all variants.
struct Figure {
  std::string label;
  Joined how;
  std::string (*amount)(std::int64_t);
  std::function<const Values*(const Series&)> values;  ///< Null if the series has no such figure.
  std::int64_t least = 1;  ///< The figure is omitted if all values are smaller.
};

class Table {
 public:
  explicit Table(const RunReport& report) : report_(report) {}

  void add(const Figure& figure) {
    std::vector<std::pair<std::string, Values>> lines;
    std::int64_t most = 0;
    for (const model::VariantResult& variant : report_.variants) {
      for (const Series& series : variant.series) {
        const Values* values = figure.values(series);
        if (values == nullptr || values->empty()) continue;
        lines.emplace_back(variant.name, bars_of(*values, intervals_per_bar(series), figure.how));
        most = std::max(most, std::ranges::max(lines.back().second));
      }
    }
    if (most < figure.least) return;
    lines_.push_back(fmt::format("  {} (█ {})", figure.label, figure.amount(most)));
    for (const auto& [variant, bars] : lines)
      lines_.push_back(fmt::format("    {}{:{}} {}", variant, "", width() - display_width(variant),
                                   bar_text(bars, most)));
  }
  /// The line of events above all figures; empty without events.
  void add_events() {
    for (const model::VariantResult& variant : report_.variants) {
      if (report_.events.empty() || variant.series.empty()) continue;
      lines_.emplace_back("  events (v begins, ^ is undone, x both)");
      lines_.push_back(
          fmt::format("    {:{}} {}", "", width(), event_marks(report_, variant.series.front())));
      return;
    }
  }
  std::vector<std::string>& lines() { return lines_; }

 private:
  std::size_t width() const {
    std::size_t width = 0;
    for (const model::VariantResult& variant : report_.variants)
      width = std::max(width, display_width(variant.name));
    return width;
  }

  const RunReport& report_;
  std::vector<std::string> lines_;
};

const TrafficSeries* find(const Series& series, const std::string& name) {
  const auto found = std::ranges::find(series.traffic, name, &TrafficSeries::name);
  return found == series.traffic.end() ? nullptr : &*found;
}

void add_traffic(Table& table, const std::string& name) {
  // Throughput, not goodput: when a lost segment arrives again, the application reads all later
  // data at once, faster than any link.
  table.add({name + " throughput", Joined::Mean, rate_text, [&](const Series& series) {
               const TrafficSeries* traffic = find(series, name);
               return traffic == nullptr ? nullptr : &traffic->throughput_bps;
             }});
  for (const DropFacts& reason : kDrops) {
    table.add({fmt::format("{} {}, packets", name, reason.name), Joined::Sum, count_text,
               [&](const Series& series) -> const Values* {
                 const TrafficSeries* traffic = find(series, name);
                 if (traffic == nullptr) return nullptr;
                 const auto drops = traffic->drops.find(reason.drop);
                 return drops == traffic->drops.end() ? nullptr : &drops->second;
               }});
  }
}

/// "bulk, requests": the traffic groups of a series.
std::string sent_in(const Series& series) {
  std::string names;
  for (const TrafficSeries& traffic : series.traffic)
    names += (names.empty() ? "" : ", ") + traffic.name;
  return names;
}

/// Adds the node figures of all series with the traffic `round`. Omits queues that are always
/// short.
void add_nodes(Table& table, const std::string& round, bool is_only_one) {
  using model::NodeSeries;
  constexpr std::int64_t kShortQueue = 10;
  const std::string under = is_only_one ? "" : " (" + round + ")";
  const auto add = [&](const char* label, Joined how, std::string (*amount)(std::int64_t),
                       Values NodeSeries::*values, std::int64_t least) {
    table.add({label + under, how, amount,
               [&round, values](const Series& series) {
                 return sent_in(series) == round ? &(series.nodes.*values) : nullptr;
               },
               least});
  };
  add("CPU busy, mean node", Joined::Mean, percent_text, &NodeSeries::cpu_ppm, 1);
  add("CPU busy, busiest node", Joined::Most, percent_text, &NodeSeries::cpu_max_ppm, 1);
  const auto add_queue = [&](const char* label, Values NodeSeries::*values) {
    add(label, Joined::Most, count_text, values, kShortQueue);
  };
  add_queue("fullest NIC queue, packets", &NodeSeries::nic_packets);
  add_queue("fullest receive ring, packets", &NodeSeries::ring_packets);
  add_queue("fullest port of the fabric, packets", &NodeSeries::port_packets);
  table.add({"fullest link of leaf and spine, packets" + under, Joined::Most, count_text,
             [&round](const Series& series) {
               return sent_in(series) == round ? &series.rack_link_packets : nullptr;
             },
             kShortQueue});
}

/// Distinct names in order of first appearance.
template <typename NamesOf>
std::vector<std::string> distinct(const RunReport& report, NamesOf names_of) {
  std::vector<std::string> all;
  for (const model::VariantResult& variant : report.variants) {
    for (const Series& series : variant.series) {
      for (const std::string& name : names_of(series)) {
        if (std::ranges::find(all, name) == all.end()) all.push_back(name);
      }
    }
  }
  return all;
}

std::vector<std::string> traffic_of(const Series& series) {
  std::vector<std::string> names;
  for (const TrafficSeries& traffic : series.traffic)
    names.push_back(traffic.name);
  return names;
}

/// Describes the duration of one bar of the first series.
std::string scale_text(const RunReport& report) {
  for (const model::VariantResult& variant : report.variants) {
    for (const Series& series : variant.series) {
      if (series.end_ns.empty()) continue;
      const auto bar = static_cast<std::int64_t>(intervals_per_bar(series)) * series.end_ns.front();
      return fmt::format("over time (each bar {}, from the start of the run, warm-up included)",
                         duration_text(bar));
    }
  }
  return "";
}

}  // namespace

answer::Section series_section(const RunReport& report) {
  answer::Section section{.heading = scale_text(report), .blocks = {}};
  if (section.heading.empty()) return section;
  Table table(report);
  table.add_events();
  for (const std::string& name : distinct(report, traffic_of))
    add_traffic(table, name);
  const auto rounds =
      distinct(report, [](const Series& series) { return std::vector{sent_in(series)}; });
  for (const std::string& round : rounds)
    add_nodes(table, round, rounds.size() == 1);
  section.blocks.emplace_back(answer::Verbatim{std::move(table.lines())});
  return section;
}

}  // namespace overlane::report

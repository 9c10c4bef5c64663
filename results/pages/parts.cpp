#include "results/pages/parts.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/pages/page.h"
#include "results/report/text.h"

namespace overlane::pages {

using Json = nlohmann::ordered_json;

std::string environment_section(const model::Environment& environment, HostRole role,
                                const std::vector<std::vector<std::string>>& more) {
  std::vector<std::vector<std::string>> rows{
      {"overlane",
       html_text(fmt::format("{}, commit {}", environment.overlane_version, environment.commit))},
      {"compiler", html_text(fmt::format("{}, {} ({})", environment.compiler, environment.flags,
                                         environment.build_type))},
      {"machine", html_text(fmt::format(
                      "{}, {}, kernel {}", environment.cpu_model,
                      report::counted_text(static_cast<std::uint64_t>(environment.cores), "core"),
                      environment.kernel))},
      {"memory", fmt::format("{:.1f} GiB; {} of {} hugepages free",
                             static_cast<double>(environment.memory_bytes) / (1 << 30),
                             environment.hugepages.free, environment.hugepages.total)},
      {"load at the start", fmt::format("{:.2f}", environment.load)}};
  rows.insert(rows.end(), more.begin(), more.end());
  const char* heading = role == HostRole::Measured
                            ? "<h2>Where it was measured</h2>\n"
                            : "<h2>The host that simulated</h2>\n<p class=\"soft\">It changes how "
                              "long the simulation takes, and none of the figures.</p>\n";
  return heading + html_table({"", ""}, rows);
}

Json latency_line(const std::string& name, const model::Histogram& latency_ns) {
  constexpr std::int64_t kPoints = 200;
  Json us = Json::array(), shares = Json::array();
  std::int64_t last = -1;
  for (std::int64_t i = 1; i <= kPoints; ++i) {
    const std::int64_t end = latency_ns.quantile(i, kPoints);
    const double share = static_cast<double>(i) / kPoints;
    if (end == last) {
      shares.back() = share;
      continue;
    }
    us.push_back(static_cast<double>(std::max<std::int64_t>(end, 1)) / 1000);
    shares.push_back(share);
    last = end;
  }
  return {{"name", name}, {"us", std::move(us)}, {"shares", std::move(shares)}};
}

std::string chart(const char* kind, std::size_t index) {
  return fmt::format("<div class=\"chart\" data-chart=\"{}\" data-index=\"{}\"></div>\n", kind,
                     index);
}

}  // namespace overlane::pages

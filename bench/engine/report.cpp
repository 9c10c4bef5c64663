#include "bench/engine/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::bench {
namespace {

#ifdef NDEBUG
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif

constexpr double kMillion = 1e6;

std::string_view network_of(const Workload& workload) {
  return workload.between_nodes ? "nodes" : to_string(workload.network);
}

}  // namespace

std::string text_head() {
  return fmt::format(
      "{:<13} {:<6} {:>3} {:>5} {:>8} {:>11} {:>10} {:>11} {:>7} {:>8} {:>8} {:>8} {:>8} "
      "{:>8} {:>9} {:>6} {:>7} {:>9}\n",
      "workload", "net", "cpu", "nodes", "flows", "hops", "packets", "events", "ev/pkt", "prep s",
      "setup s", "loop s", "Mhops/s", "Mpkts/s", "ns/pkt", "core %", "RSS MB", "checked");
}

std::string text_line(const Line& line) {
  const Workload& workload = line.workload;
  const Figures& figures = line.figures;
  return fmt::format(
      "{:<13} {:<6} {:>3} {:>5} {:>8} {:>11} {:>10} {:>11} {:>7.2f} {:>8.3f} {:>8.3f} {:>8.3f} "
      "{:>8.3f} {:>8.3f} {:>9.1f} {:>6.0f} {:>7.0f} {:>9}\n",
      workload.name, network_of(workload), workload.cpu_costs ? "on" : "off", workload.nodes,
      workload.flows, figures.packet_hops, figures.packets, figures.events,
      figures.events_per_packet(), figures.prepare_seconds, figures.setup_seconds,
      figures.loop_seconds, figures.packet_hops_per_second() / kMillion,
      figures.packets_per_second() / kMillion, figures.ns_per_packet(), 100 * figures.core_share,
      figures.peak_rss_mb, figures.byte_path_checked);
}

std::string json(const std::vector<Line>& lines) {
  nlohmann::ordered_json report = {{"schema_version", 1},
                                   {"kind", "EngineBenchmark"},
                                   {"assertions", kAssertions},
                                   {"workloads", nlohmann::ordered_json::array()}};
  for (const auto& [workload, figures] : lines) {
    report["workloads"].push_back({{"name", workload.name},
                                   {"network", network_of(workload)},
                                   {"kind", to_string(workload.kind)},
                                   {"cpu_costs", workload.cpu_costs},
                                   {"nodes", workload.nodes},
                                   {"pods_per_node", workload.pods_per_node},
                                   {"flows", workload.flows},
                                   {"packet_hops", figures.packet_hops},
                                   {"packets_delivered", figures.packets},
                                   {"packets_dropped", figures.dropped},
                                   {"events", figures.events},
                                   {"events_per_packet", figures.events_per_packet()},
                                   {"prepare_seconds", figures.prepare_seconds},
                                   {"setup_seconds", figures.setup_seconds},
                                   {"loop_seconds", figures.loop_seconds},
                                   {"packet_hops_per_second", figures.packet_hops_per_second()},
                                   {"packets_per_second", figures.packets_per_second()},
                                   {"ns_per_packet", figures.ns_per_packet()},
                                   {"core_share", figures.core_share},
                                   {"peak_rss_mb", figures.peak_rss_mb},
                                   {"byte_path_checked", figures.byte_path_checked}});
  }
  return report.dump(1) + "\n";
}

}  // namespace overlane::bench

#include "dataplane/dpdk/bench/bench_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/net/drop.h"

namespace overlane::dpdk {
namespace {

std::string size_text(const BenchCase& one) {
  return one.size_bytes == 0 ? "imix" : std::to_string(one.size_bytes);
}

}  // namespace

std::string BenchCase::name() const {
  return fmt::format("{}{}/{}/{}", mode, family == Family::Ipv6 ? "-ipv6" : "", direction,
                     size_text(*this));
}

nlohmann::ordered_json encode(const BenchCase& one) {
  nlohmann::ordered_json json{{"name", one.name()},
                              {"mode", one.mode},
                              {"family", one.family == Family::Ipv4 ? "ipv4" : "ipv6"},
                              {"direction", one.direction}};
  // IMIX has no one size.
  json["size_bytes"] = nullptr;
  if (one.size_bytes != 0) json["size_bytes"] = one.size_bytes;
  const BenchResult& result = one.result;
  json.update({{"flows", one.flows},
               {"routes", one.routes},
               {"cores", result.cores.size()},
               {"burst", one.burst},
               {"offered", result.offered()},
               {"forwarded", result.forwarded()},
               {"mpps", result.mpps},
               {"ns_per_packet", result.nanoseconds},
               {"tsc_cycles_per_packet", result.tsc_cycles}});
  json["drops"] = nlohmann::ordered_json::object();
  if (result.refused() != 0) {
    json["drops"][std::string(facts(Drop::NicQueueFull).name)] = result.refused();
  }
  if (one.load) json["load"] = encode(*one.load);
  return json;
}

std::string to_table(const std::vector<BenchCase>& cases) {
  const auto mode_text = [](const BenchCase& one) {
    return one.mode + (one.family == Family::Ipv6 ? " v6" : "");
  };
  const bool any_ipv6 =
      std::ranges::any_of(cases, [](const BenchCase& one) { return one.family == Family::Ipv6; });
  const int width = any_ipv6 ? 9 : 8;
  std::string text =
      fmt::format("{:<{}} {:<6} {:>5} {:>7} {:>7} {:>6} {:>6} {:>8} {:>8} {:>8}\n", "mode", width,
                  "way", "size", "flows", "routes", "burst", "cores", "Mpps", "ns", "TSC");
  for (const BenchCase& one : cases) {
    text += fmt::format("{:<{}} {:<6} {:>5} {:>7} {:>7} {:>6} {:>6} {:>8.2f} {:>8.2f} {:>8.1f}\n",
                        mode_text(one), width, one.direction, size_text(one), one.flows, one.routes,
                        one.burst, one.result.cores.size(), one.result.mpps, one.result.nanoseconds,
                        one.result.tsc_cycles);
  }
  std::string loads;
  for (const BenchCase& one : cases)
    if (one.load) loads += load_lines(one.name(), *one.load);
  if (!loads.empty()) text += "\n" + load_heading() + loads;
  return text;
}

}  // namespace overlane::dpdk

#include "dataplane/dpdk/node/forward_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::dpdk {
namespace {

using Json = nlohmann::ordered_json;

Json encode(const PortCounters& port) {
  return {{"received", port.received},
          {"sent", port.sent},
          {"missed", port.missed},
          {"errors", port.errors}};
}

Json encode(const DropCounts& drops) {
  Json json = Json::object();
  for (const DropFacts& one : kDrops) {
    if (drops[one.drop] != 0) json[std::string(one.name)] = drops[one.drop];
  }
  return json;
}

}  // namespace

Json encode(const ForwardReport& report) {
  const ForwardCounters& counters = report.counters;
  Json ports = Json::object();
  for (const auto& [side, port] : report.ports)
    ports[side] = encode(port);
  return {{"time_ns", report.at.whole_nanoseconds()},
          {"state_changes", report.changes},
          {"ports", ports},
          {"packets",
           {{"received", counters.received},
            {"ahead", counters.ahead},
            {"full_path", counters.slow.full},
            {"backlog_full", counters.backlog_full},
            {"neighbour_messages", counters.slow.neighbours},
            {"neighbour_messages_malformed", counters.links.messages_malformed},
            {"neighbour_messages_sent", counters.links.messages_sent},
            {"neighbour_messages_lost", counters.links.messages_lost},
            {"refused_frames", counters.slow.refused},
            {"icmp_errors_made", counters.slow.errors_made},
            {"icmp_errors_sent", counters.links.errors_sent},
            {"fragments_made", counters.slow.fragments_made},
            {"fragments_joined", counters.slow.fragments_joined},
            {"to_pods", counters.to_pods},
            {"to_uplink", counters.to_uplink},
            {"to_host", counters.to_host},
            {"held_fragments", counters.held},
            {"waiting", counters.waiting}}},
          {"drops", encode(counters.slow.drops)},
          {"buffers_in_use", report.buffers_in_use}};
}

std::string to_text(const ForwardReport& report) {
  const ForwardCounters& counters = report.counters;
  std::string text = fmt::format(
      "after {:.1f} s: {} packets came; {} by adjacencies, {} on the full path, {} ARP or ND, "
      "{} refused\n",
      static_cast<double>(report.at.count) / 1e12, counters.received, counters.ahead,
      counters.slow.full, counters.slow.neighbours, counters.slow.refused);
  text += fmt::format(
      "  sent {} to pods, {} to the uplink, {} to the host; {} ICMP errors among them; {} "
      "fragments and {} packets wait\n",
      counters.to_pods, counters.to_uplink, counters.to_host, counters.links.errors_sent,
      counters.held, counters.waiting);
  for (const auto& [side, port] : report.ports) {
    text += fmt::format("  port {:<6} received {}, sent {}, missed {}, errors {}\n", side,
                        port.received, port.sent, port.missed, port.errors);
  }
  for (const DropFacts& one : kDrops) {
    const std::int64_t count = counters.slow.drops[one.drop];
    if (count != 0) text += fmt::format("  dropped {} {}: {}\n", count, one.name, one.meaning);
  }
  return text;
}

}  // namespace overlane::dpdk

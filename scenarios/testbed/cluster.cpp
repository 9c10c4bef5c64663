#include "scenarios/testbed/cluster.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace overlane::testbed {

namespace {

using kernel::FlowFigures;
using kernel::FlowKind;
using model::TrafficKind;
using run::TrafficGroup;

/// Maximum number of flows of a slice; each flow needs two threads.
constexpr std::size_t kMaxFlows = 512;

kernel::FlowLoad load_of(const TrafficGroup& group) {
  kernel::FlowLoad load;
  load.congestion_control = transport::row_of(group.congestion_control).name;
  switch (group.kind) {
    case TrafficKind::Tcp:
      load.kind = FlowKind::Stream;
      break;
    case TrafficKind::Udp:
      load.kind = FlowKind::Datagrams;
      load.payload_bytes = group.payload_bytes;
      load.per_second = static_cast<double>(group.rate.count) / 8 / group.payload_bytes;
      load.poisson = group.arrivals == run::Arrivals::Poisson;
      break;
    case TrafficKind::RequestResponse:
      load.kind = FlowKind::Requests;
      load.over_udp = group.over_udp;
      load.connection_each = group.connections == run::Connections::PerRequest;
      load.request_bytes = group.request_bytes;
      load.response_bytes = group.response_bytes;
      load.think_time = std::chrono::nanoseconds(group.think_time.whole_nanoseconds());
      break;
  }
  return load;
}

std::int64_t rounded(double value) {
  return static_cast<std::int64_t>(value + 0.5);
}

/// The result of a group of flows.
model::TrafficResult result_of(const TrafficGroup& group, std::span<const FlowFigures> flows) {
  model::TrafficResult result{.name = group.name, .kind = group.kind};
  double bits_per_second = 0;
  for (const FlowFigures& flow : flows) {
    bits_per_second += static_cast<double>(flow.received_bytes) * 8 /
                       std::chrono::duration<double>(flow.counted).count();
    result.latency_ns += flow.latency_ns;
    if (group.kind == TrafficKind::RequestResponse) {
      result.transactions += flow.received_messages;
    } else if (group.kind == TrafficKind::Udp) {
      // The difference is negative if more datagrams were in flight at the begin than at the end.
      const auto lost = std::max<std::int64_t>(0, flow.sent_messages - flow.received_messages);
      result.packets += {.sent = flow.received_messages + lost,
                         .delivered = flow.received_messages,
                         .dropped = lost};
    }
  }
  result.goodput_bps = rounded(bits_per_second);
  return result;
}

/// The CPU time of the machine in a slice, in relation to the data that all flows received.
model::CpuCost cost_of(const kernel::CpuTimes& cpu, std::span<const FlowFigures> flows) {
  double bytes = 0, messages = 0;
  for (const FlowFigures& flow : flows) {
    bytes += static_cast<double>(flow.received_bytes);
    messages += static_cast<double>(flow.received_messages);
  }
  const auto per_gb = [&](double seconds) {
    return bytes == 0 ? 0 : rounded(seconds * 1e9 / (bytes / 1e9));
  };
  return {.user_ns_per_gb = per_gb(cpu.user),
          .system_ns_per_gb = per_gb(cpu.system),
          .softirq_ns_per_gb = per_gb(cpu.softirq),
          .ns_per_message = messages == 0 ? 0 : rounded(cpu.busy() * 1e9 / messages)};
}

}  // namespace

std::string not_measurable(const TrafficGroup& group) {
  if (group.transfer) return "transfers of a set size are not measured on a kernel";
  if (group.on) return "datagrams in bursts are not measured on a kernel";
  if (group.to_service) return "traffic to a Service is not measured on a kernel";
  if (group.pairs.size() * group.flows_per_pair > kMaxFlows)
    return fmt::format("more than {} flows are not measured on a kernel", kMaxFlows);
  return "";
}

std::vector<PlannedFlow> flows_of(const std::vector<TrafficGroup>& groups) {
  std::vector<PlannedFlow> flows;
  for (const TrafficGroup& group : groups) {
    const kernel::FlowLoad load = load_of(group);
    for (const run::PodPair& pair : group.pairs) {
      for (std::uint32_t i = 0; i < group.flows_per_pair; ++i) {
        const std::size_t number = flows.size();
        flows.push_back({.load = load,
                         .client = {pair.source, group.from_node},
                         .server = {pair.destination, group.to_node},
                         .port = static_cast<std::uint16_t>(run::kServerPort + number),
                         .seed = number + 1});
      }
    }
  }
  return flows;
}

Result<Slice, HostsFailure> slice_of(const std::vector<TrafficGroup>& groups,
                                     const kernel::Carried& carried) {
  for (const FlowFigures& flow : carried.flows)
    if (!flow.failure.empty()) return fail(HostsFailure{flow.failure});
  const double all = carried.cpu.busy() + carried.cpu.idle + carried.cpu.stolen;
  Slice slice{.traffic = {}, .busy = all > 0 ? carried.cpu.busy() / all : 0};
  std::span<const FlowFigures> rest = carried.flows;
  for (const TrafficGroup& group : groups) {
    const std::size_t count = group.pairs.size() * group.flows_per_pair;
    slice.traffic.push_back(result_of(group, rest.first(count)));
    // If several groups run at the same time, the CPU time of each is unknown.
    if (groups.size() == 1) slice.traffic.back().cpu = cost_of(carried.cpu, carried.flows);
    rest = rest.subspan(count);
  }
  return slice;
}

}  // namespace overlane::testbed

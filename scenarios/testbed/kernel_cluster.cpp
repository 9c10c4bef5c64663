#include "scenarios/testbed/kernel_cluster.h"

#include <algorithm>
#include <array>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/observe/counters.h"
#include "topologies/testbed/reach.h"

namespace overlane::testbed {
namespace {

using kernel::Flow;
using kernel::FlowFigures;
using kernel::FlowKind;
using model::TrafficKind;
using run::TrafficGroup;

/// Each flow takes two threads.
constexpr std::size_t kMostFlows = 512;

kernel::FlowLoad load_of(const TrafficGroup& group) {
  kernel::FlowLoad load;
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
model::TrafficResult result_of(const TrafficGroup& group, std::span<const FlowFigures> flows,
                               double seconds) {
  model::TrafficResult result{.name = group.name, .kind = group.kind};
  std::int64_t bytes = 0;
  for (const FlowFigures& flow : flows) {
    bytes += flow.received_bytes;
    result.latency_ns += flow.latency_ns;
    if (group.kind == TrafficKind::RequestResponse) {
      result.transactions += flow.received_messages;
    } else if (group.kind == TrafficKind::Udp) {
      // Those that were under way at the beginning and not at the end, or the other way round.
      const auto lost = std::max<std::int64_t>(0, flow.sent_messages - flow.received_messages);
      result.packets += {.sent = flow.received_messages + lost,
                         .delivered = flow.received_messages,
                         .dropped = lost};
    }
  }
  result.goodput_bps = rounded(static_cast<double>(bytes) * 8 / seconds);
  return result;
}

/// The machine's time for all groups of a slice, by what they received together.
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

bool tells_of_loss(const std::string& name) {
  constexpr std::array<std::string_view, 12> kParts = {
      "Drop",    "drop", "Discard",      "HdrErrors",    "AddrErrors", "NoRoutes",
      "NoPorts", "Csum", "RcvbufErrors", "SndbufErrors", "rule ",      "errors"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

}  // namespace

std::uint32_t processors() {
  return std::max(1u, std::thread::hardware_concurrency());
}

std::string not_measurable(const TrafficGroup& group) {
  if (group.transfer) return "transfers of a set size are not measured on a kernel";
  if (group.on) return "datagrams in bursts are not measured on a kernel";
  if (group.to_service) return "traffic to a Service is not measured on a kernel";
  if (group.pairs.size() * group.flows_per_pair > kMostFlows)
    return fmt::format("more than {} flows are not measured on a kernel", kMostFlows);
  return "";
}

std::string obstacle_to(const run::Network& network,
                        const std::vector<kernel::Ability>& abilities) {
  if (network.datapath == cost::Datapath::Ebpf)
    return "eBPF programs carry its pods' packets, which the testbed does not have";
  compile::Compiled states{.nodes = network.nodes, .fabric = network.fabric};
  if (states.nodes.size() == 2) states.fabric = {};  // Two nodes are joined without one.
  if (std::string reason = obstacle(states); !reason.empty()) return reason;
  for (const std::string& name : needed_abilities(states)) {
    const auto at = std::ranges::find(abilities, name, &kernel::Ability::name);
    if (at == abilities.end() || !at->missing.empty())
      return fmt::format("this kernel has no {}", name);
  }
  return "";
}

Parsed<std::unique_ptr<KernelCluster>> KernelCluster::make(const run::Network& network,
                                                           const std::vector<TrafficGroup>& groups,
                                                           const kernel::DeviceOffloads& offloads) {
  const bool is_pair = network.nodes.size() == 2;
  auto nodes = [&]() -> Parsed<kernel::ClusterNamespaces> {
    if (is_pair) return kernel::ClusterNamespaces::join(network.nodes[0], network.nodes[1]);
    std::vector<kernel::SetUp> set_ups;
    for (const node::NodeState& state : network.nodes)
      set_ups.push_back(kernel::set_up(state));
    const auto fabric = kernel::fabric_set_up(network.fabric, set_ups);
    if (!fabric) return fail(fabric.error());
    return kernel::ClusterNamespaces::make(set_ups, *fabric);
  }();
  if (!nodes) return fail(nodes.error());
  std::unique_ptr<KernelCluster> made(new KernelCluster(*std::move(nodes)));
  made->wire_ = is_pair ? "veth pair" : "bridges";
  if (auto done = made->add_pods(network, groups); !done) return fail(done.error());
  if (auto done = made->set_up_devices(network, offloads); !done) return fail(done.error());
  return made;
}

Result<void, std::string> KernelCluster::add_pods(const run::Network& network,
                                                  const std::vector<TrafficGroup>& groups) {
  for (const TrafficGroup& group : groups) {
    for (const run::PodPair& pair : group.pairs) {
      for (const auto& [pod, on_node] :
           {std::pair(pair.source, group.from_node), std::pair(pair.destination, group.to_node)}) {
        if (on_node || pods_.contains(pod)) continue;
        const node::NodeState& state = network.nodes[pod.node];
        auto made =
            kernel::make_pod(state, kernel::set_up(state), nodes_.world(pod.node), pod.address);
        if (!made) return fail(made.error());
        pods_.emplace(pod, *std::move(made));
      }
    }
  }
  return {};
}

Result<void, std::string> KernelCluster::set_up_devices(const run::Network& network,
                                                        const kernel::DeviceOffloads& offloads) {
  const auto prepare = [&](const kernel::NetworkNamespace& place, const std::string& device) {
    auto done = kernel::wait_until_running(place, device);
    return done ? kernel::set_offloads(place, device, offloads) : done;
  };
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    for (const node::Device& device : network.nodes[i].devices) {
      if (device.kind == node::DeviceKind::Loopback) continue;
      if (auto done = prepare(nodes_.node(i), std::string(device.name.view())); !done) return done;
    }
  }
  for (const auto& [pod, place] : pods_) {
    const node::NodeState& state = network.nodes[pod.node];
    const std::string device(state.pod_device(pod.address).view());
    if (auto done = prepare(nodes_.node(pod.node), device); !done) return done;
    if (auto done = prepare(place, "eth0"); !done) return done;
  }
  return {};
}

kernel::FlowEnd KernelCluster::end(const run::PodEnd& pod, bool on_node, std::size_t flow,
                                   bool is_server) const {
  const std::uint32_t cpus = processors();
  const std::uint32_t cpu =
      run::core_on_shared_machine(static_cast<std::uint32_t>(flow), is_server, cpus);
  return {.place = on_node ? &nodes_.node(pod.node) : &pods_.at(pod),
          .address = pod.address,
          .cpu = cpus == 1 ? -1 : static_cast<int>(cpu)};
}

Parsed<Slice> KernelCluster::carry(const std::vector<TrafficGroup>& groups,
                                   const kernel::FlowTimes& times,
                                   const std::atomic<bool>& stop) const {
  std::vector<Flow> flows;
  std::vector<std::size_t> counts;
  for (const TrafficGroup& group : groups) {
    const kernel::FlowLoad load = load_of(group);
    for (const run::PodPair& pair : group.pairs) {
      for (std::uint32_t i = 0; i < group.flows_per_pair; ++i) {
        const std::size_t number = flows.size();
        flows.push_back({.load = load,
                         .client = end(pair.source, group.from_node, number, false),
                         .server = end(pair.destination, group.to_node, number, true),
                         .port = static_cast<std::uint16_t>(run::kServerPort + number),
                         .seed = number + 1});
      }
    }
    counts.push_back(group.pairs.size() * group.flows_per_pair);
  }
  const auto carried = kernel::carry(flows, times, stop);
  if (!carried) return fail(carried.error());
  for (const FlowFigures& flow : carried->flows)
    if (!flow.failure.empty()) return fail(flow.failure);

  const double seconds = std::chrono::duration<double>(carried->counted).count();
  const double all = carried->cpu.busy() + carried->cpu.idle + carried->cpu.stolen;
  Slice slice{.traffic = {}, .busy = all > 0 ? carried->cpu.busy() / all : 0};
  std::span<const FlowFigures> rest = carried->flows;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    slice.traffic.push_back(result_of(groups[i], rest.first(counts[i]), seconds));
    // Whose time it was cannot be told when several groups run at once.
    if (groups.size() == 1) slice.traffic.back().cpu = cost_of(carried->cpu, carried->flows);
    rest = rest.subspan(counts[i]);
  }
  return slice;
}

std::map<std::string, std::int64_t> KernelCluster::losses() const {
  std::map<std::string, std::int64_t> losses;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const auto& [name, count] : kernel::moved({}, kernel::read_counters(nodes_.node(i))))
      if (tells_of_loss(name)) losses[name] += count;
  return losses;
}

}  // namespace overlane::testbed

#include "scenarios/testbed/kernel_cluster.h"

#include <algorithm>
#include <array>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/counters.h"
#include "topologies/kernel_trace/reach.h"

namespace overlane::testbed {
namespace {

using run::TrafficGroup;

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

std::string obstacle_to(const run::Network& network,
                        const std::vector<kernel::Ability>& abilities) {
  if (network.datapath == cost::Datapath::Ebpf)
    return "eBPF programs carry its pods' packets, which the testbed does not have";
  compile::Compiled states{.nodes = network.nodes, .fabric = network.fabric};
  if (states.nodes.size() == 2) states.fabric = {};  // Two nodes are joined without a fabric.
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

kernel::FlowEnd KernelCluster::end(const PlannedEnd& end, std::uint32_t flow,
                                   bool is_server) const {
  const std::uint32_t cpus = processors();
  const std::uint32_t cpu = run::core_on_shared_machine(flow, is_server, cpus);
  return {.place = end.is_on_node ? &nodes_.node(end.pod.node) : &pods_.at(end.pod),
          .address = end.pod.address,
          .cpu = cpus == 1 ? -1 : static_cast<int>(cpu)};
}

Result<Slice, HostsFailure> KernelCluster::carry(const std::vector<TrafficGroup>& groups,
                                                 const kernel::FlowTimes& times,
                                                 const std::atomic<bool>& stop) {
  std::vector<kernel::Flow> flows;
  for (const PlannedFlow& flow : flows_of(groups)) {
    const auto number = static_cast<std::uint32_t>(flows.size());
    flows.push_back({.load = flow.load,
                     .client = end(flow.client, number, false),
                     .server = end(flow.server, number, true),
                     .port = flow.port,
                     .seed = flow.seed});
  }
  const auto carried = kernel::carry(std::move(flows), times, stop);
  if (!carried) return fail(HostsFailure{carried.error()});
  return slice_of(groups, *carried);
}

Parsed<kernel::OtherFigure> KernelCluster::cross_check(const run::TrafficGroup& group,
                                                       std::chrono::seconds time) {
  const std::vector<PlannedFlow> flows = flows_of({group});
  if (group.pairs.size() != 1) return fail("its flows are between several pairs of pods");
  const PlannedFlow& flow = flows.front();
  return kernel::measure_with_other_program(flow.load, static_cast<std::uint32_t>(flows.size()),
                                            end(flow.client, 0, false), end(flow.server, 0, true),
                                            other_port_++, time);
}

std::map<std::string, std::int64_t> KernelCluster::losses() const {
  std::map<std::string, std::int64_t> losses;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (const auto& [name, count] :
         kernel::changed_counters({}, kernel::read_counters(nodes_.node(i))))
      if (tells_of_loss(name)) losses[name] += count;
  return losses;
}

Parsed<std::unique_ptr<ThisHost>> ThisHost::open() {
  if (auto made = kernel::NetworkNamespace::make(); !made) return fail(made.error());
  return std::unique_ptr<ThisHost>(new ThisHost(kernel::answer({.probe = true})));
}

std::string ThisHost::obstacle(const run::Network& network) const {
  return obstacle_to(network, able_.abilities);
}

Result<std::unique_ptr<Cluster>, HostsFailure> ThisHost::make(
    const run::Network& network, const std::vector<TrafficGroup>& groups,
    const kernel::DeviceOffloads& offloads) {
  auto made = KernelCluster::make(network, groups, offloads);
  if (!made) return fail(HostsFailure{made.error()});
  return *std::move(made);
}

}  // namespace overlane::testbed

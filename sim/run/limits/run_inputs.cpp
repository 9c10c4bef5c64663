#include "sim/run/limits/run_inputs.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace overlane::run {
namespace {

using Kind = Parameter::Kind;

/// A tenth is enough to show an effect, and small enough that the bottleneck rarely changes.
template <typename T>
T more(T value) {
  return static_cast<T>(value + std::max<T>(value / 10, 1));
}
Picos less(Picos value) {
  return value - value / 10;
}

void perturb(cost::StageCost& cost) {
  static_assert(sizeof(cost) == 3 * sizeof(Picos), "all costs of a stage are moved");
  cost = {less(cost.per_skb), less(cost.per_packet), less(cost.per_byte)};
}

void move_rates(std::vector<host::Machine>& machines, BitsPerSecond rate) {
  for (host::Machine& machine : machines) {
    if (machine.nic_rate == rate) machine.nic_rate.count = more(rate.count);
  }
}

void move_queues(Network& network) {
  network.paths.port_queue_packets = more(network.paths.port_queue_packets);
  if (auto& racks = network.paths.racks) racks->queue_packets = more(racks->queue_packets);
  for (host::Machine& machine : network.machines) {
    machine.nic_queue_packets = more(machine.nic_queue_packets);
    machine.receive_ring_packets = more(machine.receive_ring_packets);
  }
}

bool is_of_wireguard(cost::Stage stage) {
  return stage == cost::Stage::WireguardSend || stage == cost::Stage::WireguardCrypt ||
         stage == cost::Stage::WireguardReceive;
}

/// Whether no core of the network's nodes ever has work in this stage.
bool is_idle(cost::Stage stage, const Network& network) {
  if (stage == cost::Stage::Vhost) return network.wire != cost::Wire::Virtio;
  return is_of_wireguard(stage) && std::ranges::none_of(network.nodes, node::has_wireguard);
}

std::string time_text(Picos time) {
  if (time.count >= 1'000'000'000)
    return fmt::format("{:g} ms", static_cast<double>(time.count) / 1e9);
  if (time.count >= 1'000'000) return fmt::format("{:g} µs", static_cast<double>(time.count) / 1e6);
  return fmt::format("{:g} ns", static_cast<double>(time.count) / 1e3);
}

std::string path_mtu_text(const node::FabricState& fabric) {
  const auto bytes = [&](std::uint32_t mtu) { return mtu == 0 ? fabric.mtu : mtu; };
  return fmt::format("{} bytes within a zone, {} across", bytes(fabric.path_mtu.within_zone),
                     bytes(fabric.path_mtu.across_zones));
}

std::string cost_text(const cost::StageCost& cost) {
  std::string text;
  const auto add = [&](Picos time, std::string_view per) {
    if (time.count != 0)
      text += fmt::format("{}{} per {}", text.empty() ? "" : ", ", time_text(time), per);
  };
  add(cost.per_skb, "buffer");
  add(cost.per_packet, "packet");
  add(cost.per_byte, "byte");
  return text;
}

}  // namespace

std::vector<Parameter> stage_costs(const Network& network) {
  std::vector<Parameter> stages;
  if (!network.costs) return stages;
  for (std::uint32_t i = 0; i < network.costs->stages.size(); ++i) {
    if (network.costs->stages[i] != cost::StageCost{} &&
        !is_idle(static_cast<cost::Stage>(i), network))
      stages.push_back({Kind::StageCost, i});
  }
  return stages;
}

std::vector<Parameter> fabric_obstacles(const Network& network) {
  std::vector<Parameter> obstacles;
  if (network.fabric.path_mtu != node::FabricPathMtu{}) obstacles.push_back({Kind::PathMtu});
  for (std::uint32_t i = 0; i < network.fabric.denied.size(); ++i)
    obstacles.push_back({Kind::Deny, i});
  return obstacles;
}

std::vector<Parameter> all_constants(const Network& network,
                                     const std::vector<TrafficGroup>& traffic) {
  std::vector<Parameter> all = stage_costs(network);
  if (network.wire != cost::Wire::Veth) {
    for (const Kind kind : {Kind::NicRate, Kind::QueueRoom, Kind::PathLatency})
      all.push_back({kind});
  }
  if (network.limits.single_flow) all.push_back({Kind::SingleFlowCap});
  if (network.limits.bandwidth) all.push_back({Kind::Baseline});
  if (network.limits.packets) all.push_back({Kind::PacketRate});
  if (network.paths.loss.any()) all.push_back({Kind::Loss});
  std::ranges::copy(fabric_obstacles(network), std::back_inserter(all));
  if (network.paths.racks) all.push_back({Kind::UplinkRate});
  for (std::uint32_t i = 0; i < traffic.size(); ++i) {
    if (traffic[i].kind == model::TrafficKind::Udp) all.push_back({Kind::DatagramRate, i});
    if (traffic[i].uses_tcp()) all.push_back({Kind::Window, i});
    if (traffic[i].think_time.count > 0) all.push_back({Kind::ThinkTime, i});
  }
  return all;
}

void perturb(RunInputs& setting, const Parameter& constant) {
  auto& [network, traffic] = setting;
  const std::uint32_t of = constant.of;
  switch (constant.kind) {
    case Kind::NicRate:
      return move_rates(network.machines, network.machines[of].nic_rate);
    case Kind::QueueRoom:
      return move_queues(network);
    case Kind::PathLatency:
      network.paths.within_zone = less(network.paths.within_zone);
      network.paths.across_zones = less(network.paths.across_zones);
      return;
    case Kind::StageCost:
      if (of == static_cast<std::uint32_t>(cost::Stage::Netfilter) && network.costs->netfilter_ipv6)
        perturb(*network.costs->netfilter_ipv6);
      if (of == static_cast<std::uint32_t>(cost::Stage::Fib) && network.costs->fib_ipv6)
        perturb(*network.costs->fib_ipv6);
      return perturb(network.costs->stages[of]);
    case Kind::Window:
      traffic[of].window_bytes = more(traffic[of].window_bytes);
      return;
    case Kind::DatagramRate:
      traffic[of].rate.count = more(traffic[of].rate.count);
      return;
    case Kind::ThinkTime:
      traffic[of].think_time = less(traffic[of].think_time);
      return;
    case Kind::SingleFlowCap:
      network.limits.single_flow->count = more(network.limits.single_flow->count);
      return;
    case Kind::Baseline:
      network.limits.bandwidth->baseline.count = more(network.limits.bandwidth->baseline.count);
      return;
    case Kind::PacketRate:
      network.limits.packets->per_second = more(network.limits.packets->per_second);
      return;
    case Kind::Loss:
      network.paths.loss.within_zone -= network.paths.loss.within_zone / 10;
      network.paths.loss.across_zones -= network.paths.loss.across_zones / 10;
      return;
    case Kind::PathMtu:
      network.fabric.path_mtu = {};
      return;
    case Kind::Deny:
      network.fabric.denied[of].disabled = true;
      return;
    case Kind::UplinkRate:
      network.paths.racks->uplink.count = more(network.paths.racks->uplink.count);
      return;
  }
}

std::string name_of(const Parameter& constant, const RunInputs& setting) {
  const auto field = [&](std::string_view name) {
    return fmt::format("traffic {} {}", setting.traffic[constant.of].name, name);
  };
  switch (constant.kind) {
    case Kind::NicRate:
      return "machine.nic";
    case Kind::QueueRoom:
      return fmt::format("queue.nic, machine.receive_ring{}",
                         setting.network.paths.racks ? ", racks.queue" : "");
    case Kind::PathLatency:
      return "latency.within_zone, latency.across_zones";
    case Kind::StageCost:
      return fmt::format("stage {}", cost::kStages[constant.of].name);
    case Kind::Window:
      return field("windowBytes");
    case Kind::DatagramRate:
      return field("rate");
    case Kind::ThinkTime:
      return field("thinkTime");
    case Kind::SingleFlowCap:
      return "fabric.single_flow";
    case Kind::Baseline:
      return "machine.bandwidth";
    case Kind::PacketRate:
      return "machine.packets";
    case Kind::Loss:
      return "loss";
    case Kind::PathMtu:
      return "pathMtu";
    case Kind::Deny:
      return to_string(setting.network.fabric.denied[constant.of]);
    case Kind::UplinkRate:
      return "racks.uplink";
  }
  return "";
}

std::string value_of(const Parameter& constant, const RunInputs& setting) {
  const auto& [network, traffic] = setting;
  const std::uint32_t of = constant.of;
  switch (constant.kind) {
    case Kind::NicRate:
      return rate_text(network.machines[of].nic_rate);
    case Kind::QueueRoom: {
      const host::Machine& machine = network.machines.at(0);
      const auto& racks = network.paths.racks;
      return fmt::format("{}, {}{} packets", machine.nic_queue_packets,
                         machine.receive_ring_packets,
                         racks ? fmt::format(", {}", racks->queue_packets) : "");
    }
    case Kind::PathLatency:
      return fmt::format("{}, {}", time_text(network.paths.within_zone),
                         time_text(network.paths.across_zones));
    case Kind::StageCost:
      return cost_text(network.costs->stages[of]);
    case Kind::Window:
      return fmt::format("{} bytes", traffic[of].window_bytes);
    case Kind::DatagramRate:
      return rate_text(traffic[of].rate);
    case Kind::ThinkTime:
      return time_text(traffic[of].think_time);
    case Kind::SingleFlowCap:
      return rate_text(*network.limits.single_flow);
    case Kind::Baseline:
      return rate_text(network.limits.bandwidth->baseline);
    case Kind::PacketRate:
      return fmt::format("{} per second", network.limits.packets->per_second);
    case Kind::Loss:
      return loss_text(network.paths.loss);
    case Kind::PathMtu:
      return path_mtu_text(network.fabric);
    case Kind::Deny:
      return network.fabric.denied[of].disabled ? "disabled" : "enforced";
    case Kind::UplinkRate:
      return rate_text(network.paths.racks->uplink);
  }
  return "";
}

std::string loss_text(const fabric::Loss& loss) {
  const auto percent = [](std::uint32_t ratio) {
    return fmt::format("{:g} %", ratio * 100.0 / fabric::Loss::kAll);
  };
  if (loss.within_zone == loss.across_zones) return percent(loss.within_zone);
  return fmt::format("{} within a zone, {} across", percent(loss.within_zone),
                     percent(loss.across_zones));
}

std::string rate_text(BitsPerSecond rate) {
  if (rate.count % 1'000'000'000 == 0) return fmt::format("{} Gbit/s", rate.count / 1'000'000'000);
  if (rate.count % 1'000'000 == 0) return fmt::format("{} Mbit/s", rate.count / 1'000'000);
  return fmt::format("{} bit/s", rate.count);
}

}  // namespace overlane::run

#include "sim/run/path/cpu.h"

#include <map>

namespace overlane::run {

namespace {

/// Costs of each kind of machine, computed once per kind.
class CostsByOffloads {
 public:
  explicit CostsByOffloads(const Network& network) : network_(network) {}

  std::shared_ptr<const cost::PathCosts> of(const cost::Offloads& offloads) {
    if (!network_.costs) return nullptr;
    auto& costs = made_[offloads];
    if (!costs)
      costs = std::make_shared<cost::PathCosts>(*network_.costs, network_.datapath, offloads,
                                                network_.wire);
    return costs;
  }

 private:
  const Network& network_;
  std::map<cost::Offloads, std::shared_ptr<const cost::PathCosts>> made_;
};

}  // namespace

Cpu::Cpu(const Network& network, Packets& packets)
    : packets_(packets),
      has_costs_(network.costs.has_value()),
      is_shared_(network.wire == cost::Wire::Veth) {
  CostsByOffloads costs(network);
  std::shared_ptr<std::vector<Core>> cores;
  for (const host::Machine& machine : network.machines) {
    if (!cores || !is_shared_) {
      const Core core{{core::FifoServer(machine.backlog_packets), {}}, {}};
      cores = std::make_shared<std::vector<Core>>(machine.cores, core);
    }
    nodes_.push_back({.cores = *cores,
                      .costs = costs.of(machine.offloads),
                      .is_shared = is_shared_,
                      .sibling = machine.threads_per_core == 2 ? machine.cores / 2 : 0,
                      .machine = cores});
  }
}

bool Cpu::work_later(PacketId id, std::uint32_t node, std::uint16_t core, Picos at, Picos time) {
  Station& station = nodes_[node].cores[core];
  const auto done = station.server.arrive(at, time);
  if (!done) return false;
  packets_[id].steered = true;
  packets_.wait(station.pipe, id, *done, {EventKind::CoreDone, node, core});
  return true;
}

void Cpu::read(const Read& read, std::uint32_t node, std::uint32_t core, Picos time) {
  work(packets_.add_read(read, node), node, static_cast<std::uint16_t>(core), time);
}

PacketId Cpu::take(std::uint32_t node, std::uint16_t core) {
  Station& station = nodes_[node].cores[core];
  const PacketId id = packets_.take(station.pipe, {EventKind::CoreDone, node, core});
  if (id != kNone && packets_[id].steered) {
    packets_[id].steered = false;  // The receiving node steers the packet anew.
    station.server.leave();
  }
  return id;
}

void Cpu::stop(std::uint32_t node, std::vector<PacketId>& lost) {
  for (std::uint16_t core = 0; core < nodes_[node].cores.size(); ++core) {
    Station& station = nodes_[node].cores[core];
    const std::size_t before = lost.size();
    packets_.take_out(station.pipe, node, {EventKind::CoreDone, node, core}, lost);
    for (std::size_t i = before; i < lost.size(); ++i)
      if (packets_[lost[i]].steered) station.server.leave();
    if (!is_shared_) station.server.stop(packets_.now());
  }
}

void Cpu::begin_measuring(Picos now) {
  for (const NodeCores& node : nodes_)
    for (Station& core : node.cores)
      core.server.begin_measuring(now);
}

}  // namespace overlane::run

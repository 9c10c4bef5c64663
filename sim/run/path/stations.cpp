#include "sim/run/path/stations.h"

#include <map>

namespace overlane::run {
namespace {

/// The costs of each kind of machine there is, made once.
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

std::vector<NodeStations> make_stations(const Network& network) {
  std::vector<NodeStations> nodes;
  CostsByOffloads costs(network);
  const auto station = [](std::uint32_t waiting_room) {
    return Station{core::FifoServer(waiting_room), {}};
  };
  std::shared_ptr<Cores> cores;
  for (const host::Machine& machine : network.machines) {
    if (!cores || network.wire == cost::Wire::Nic) {
      cores = std::make_shared<Cores>(
          std::vector<Station>(machine.cores, station(machine.backlog_packets)),
          std::vector<ReceiveQueue>(machine.cores));
    }
    nodes.push_back({.link = host::Link(machine.nic_rate),
                     .nic = station(machine.nic_queue_packets),
                     .sent_at_once = {},
                     .delay_lines = {},
                     .costs = costs.of(machine.offloads),
                     .port = Port(network.paths.port_queue_packets),
                     .memory = station(0),
                     .machine = cores,
                     .cores = cores->cores,
                     .queues = cores->queues,
                     .sealed = std::vector<SealedOrder>(machine.cores),
                     .sibling = machine.threads_per_core == 2 ? machine.cores / 2 : 0});
  }
  return nodes;
}

}  // namespace overlane::run

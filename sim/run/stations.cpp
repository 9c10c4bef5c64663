#include "sim/run/stations.h"

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
      costs = std::make_shared<cost::PathCosts>(*network_.costs, network_.datapath, offloads);
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
  for (const host::Machine& machine : network.machines) {
    nodes.push_back({.link = host::Link(machine.nic_rate),
                     .nic = station(machine.nic_queue_packets),
                     .sent_at_once = {},
                     .ways = {},
                     .costs = costs.of(machine.offloads),
                     .port = station(network.paths.port_queue_packets),
                     .memory = station(0),
                     .cores = std::vector<Station>(machine.cores, station(machine.backlog_packets)),
                     .queues = std::vector<ReceiveQueue>(machine.cores),
                     .sealed = std::vector<SealedOrder>(machine.cores)});
  }
  return nodes;
}

}  // namespace overlane::run

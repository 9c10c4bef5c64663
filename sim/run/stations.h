#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/event.h"
#include "sim/core/fifo_server.h"
#include "sim/run/run.h"

namespace overlane::run {

/// The stations of one node, numbered in this order: NIC, port, cores.
struct NodeStations {
  core::StationId first = 0;
  core::FifoServer nic;     ///< The NIC's transmit queue and link.
  core::FifoServer port;    ///< The fabric's last link, to this node's NIC.
  core::FifoServer memory;  ///< What packets between pods of this node share.
  std::vector<core::FifoServer> cores;

  core::StationId nic_id() const { return first; }
  core::StationId port_id() const { return first + 1; }
  core::StationId core_id(std::uint32_t core) const { return first + 2 + core; }
};

/// Changes come before everything else of their moment.
inline constexpr core::StationId kActorStation = 0;

/// Busy times are measured from `measured_from`.
inline std::vector<NodeStations> make_stations(const Network& network, Picos measured_from) {
  std::vector<NodeStations> nodes;
  core::StationId next = kActorStation + 1;
  for (const host::Machine& machine : network.machines) {
    nodes.push_back({.first = next,
                     .nic = core::FifoServer(machine.nic_queue_packets, measured_from),
                     .port = core::FifoServer(network.paths.port_queue_packets, measured_from),
                     .memory = core::FifoServer(0, measured_from),
                     .cores = std::vector(
                         machine.cores, core::FifoServer(machine.backlog_packets, measured_from))});
    next += 2 + machine.cores;
  }
  return nodes;
}

/// One past the last station of the nodes: where the ends of flows begin.
inline core::StationId first_end_station(const std::vector<NodeStations>& nodes) {
  return nodes.empty()
             ? kActorStation + 1
             : nodes.back().core_id(static_cast<std::uint32_t>(nodes.back().cores.size()));
}

}  // namespace overlane::run

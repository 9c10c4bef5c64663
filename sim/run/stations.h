#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/fifo_server.h"
#include "sim/host/frame.h"
#include "sim/run/flight.h"
#include "sim/run/run.h"

namespace overlane::run {

/// A server, and what has been accepted by it.
struct Station {
  core::FifoServer server;
  Pipe pipe;
};

/// Ways through the fabric that take one time each, and keep the order of what takes them.
inline constexpr std::uint16_t kWithinZone = 0;
inline constexpr std::uint16_t kAcrossZones = 1;

struct Way {
  Pipe pipe;
  Picos last;  ///< When what took it last arrives.
};

/// The stations of one node.
struct NodeStations {
  host::Link link;  ///< The NIC's, both ways.
  Station nic;      ///< The NIC's transmit queue and link.
  Station port;     ///< The fabric's last link, to this node's NIC.
  Station memory;   ///< What packets between pods of this node share.
  std::array<Way, 2> ways;
  std::vector<Station> cores;
};

/// Busy times are measured from `measured_from`.
inline std::vector<NodeStations> make_stations(const Network& network, Picos measured_from) {
  std::vector<NodeStations> nodes;
  for (const host::Machine& machine : network.machines) {
    const auto station = [=](std::uint32_t waiting_room) {
      return Station{core::FifoServer(waiting_room, measured_from), {}};
    };
    nodes.push_back(
        {.link = host::Link(machine.nic_rate),
         .nic = station(machine.nic_queue_packets),
         .port = station(network.paths.port_queue_packets),
         .memory = station(0),
         .ways = {},
         .cores = std::vector<Station>(machine.cores, station(machine.backlog_packets))});
  }
  return nodes;
}

}  // namespace overlane::run

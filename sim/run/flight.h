#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// One end of a flow: flow number × 2, plus 1 for the server's end.
using EndId = std::uint32_t;

using FlightId = std::uint32_t;

/// A wire packet on its way: what forwarding sees of it, and what it carries.
struct Flight {
  forward::Packet packet;
  transport::Segment segment;    ///< UDP: `timestamp` and `length`.
  EndId sender = 0;              ///< Whose packet it is, or caused it when it is an ICMP error.
  std::uint32_t node = 0;        ///< Where it is, or was last.
  std::uint32_t core = 0;        ///< Of `node`, that works on it.
  std::uint32_t host_bytes = 0;  ///< Charged to the sender's small queue until it leaves the host.
  std::uint16_t skb_share = 1;   ///< Packets that make one socket buffer.
  forward::Egress egress = forward::Egress::Uplink;
  bool is_icmp = false;
  bool local = false;    ///< From one pod of the node to another.
  bool sampled = false;  ///< Also goes through the byte path.
  bool alive = false;
  IpAddress next_hop;
};

/// The packets in flight, in reused slots. References stay good until the next add().
class FlightPool {
 public:
  FlightId add(const Flight& flight) {
    if (free_.empty()) {
      flights_.push_back(flight);
      flights_.back().alive = true;
      return static_cast<FlightId>(flights_.size() - 1);
    }
    const FlightId id = free_.back();
    free_.pop_back();
    flights_[id] = flight;
    flights_[id].alive = true;
    return id;
  }
  void remove(FlightId id) {
    flights_[id].alive = false;
    free_.push_back(id);
  }
  Flight& operator[](FlightId id) { return flights_[id]; }
  /// All slots, used or not.
  const std::vector<Flight>& slots() const { return flights_; }

 private:
  std::vector<Flight> flights_;
  std::vector<FlightId> free_;
};

}  // namespace overlane::run

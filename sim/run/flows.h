#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "dataplane/node/reassembly.h"
#include "sim/run/carrier.h"
#include "sim/run/flow.h"

namespace overlane::run {

/// The applications and sockets in the pods: makes packets, takes them, and measures what the
/// applications get.
class Flows {
 public:
  Flows(const std::vector<TrafficGroup>& traffic, std::vector<Flow> flows,
        core::Scheduler& scheduler, Accounts& accounts, Carrier& carrier);

  /// Schedules the start of every flow.
  void start();

  /// What the carrier says has arrived.
  void arrive(FlightId id);
  void timer(EndId id);
  void expiry(EndId id);
  void left_host(EndId id, std::uint32_t bytes);

  /// The states have changed: the next packet of every flow goes through the byte path.
  void states_changed();

  const std::vector<Flow>& all() const { return flows_; }

 private:
  Flow& flow(EndId id) { return flows_[id / 2]; }
  End& end(EndId id) { return flows_[id / 2].ends[id % 2]; }
  const TrafficGroup& group(EndId id) const { return traffic_[flows_[id / 2].group]; }

  void take_turn(EndId id);
  void send_datagram(EndId id);
  std::uint16_t sending_core(const End& end, const transport::Segment* segment) const;
  Picos sending_done(const End& end) const;
  void deliver(FlightId id);
  bool accept(FlightId id, EndId receiver);
  void answer_to(EndId id, const forward::Packet& packet);
  Picos next_datagram(Flow& flow);
  void receive_datagram(const Flight& flight, EndId id);
  void receive_segment(const Flight& flight, const transport::Segment& segment, EndId id);
  void receive_icmp(const forward::Packet& packet, EndId id);
  /// The whole packet, if `flight` completes it in this pod; else the piece is kept.
  bool reassemble(FlightId id, EndId receiver);
  void to_application(EndId id, std::int64_t bytes, const Flight& flight);
  void finish_read(EndId id, std::int64_t bytes, Picos sent_at);
  std::uint32_t application_core(const End& end) const {
    return end.application_core(carrier_.stations()[end.node].cores.size());
  }
  void consume(EndId id, std::int64_t bytes, Picos sent_at);
  void serve_requests(EndId id);
  void pump(EndId id);
  void arm(EndId id);
  void send(EndId id, const transport::Segment* segment, std::uint32_t ip_bytes, bool dont_fragment,
            bool shares_buffer = false);

  const std::vector<TrafficGroup>& traffic_;
  std::vector<Flow> flows_;
  core::Scheduler& scheduler_;
  Accounts& accounts_;
  Carrier& carrier_;
  std::vector<transport::Pace> paces_;  ///< Of each group, if it is UDP.
  std::map<EndId, node::ReassemblyTable> reassembly_;
};

/// The flows of `traffic` on `network`, numbered through all groups, with their random ports and
/// start times.
std::vector<Flow> make_flows(const Network& network, const std::vector<TrafficGroup>& traffic,
                             const RunOptions& options);

}  // namespace overlane::run

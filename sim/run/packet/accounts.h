#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

/// What happened to the packets of each traffic group, by its position. A packet is booked to the
/// group of the flow that sent or caused it.
class Accounts {
 public:
  Accounts(std::size_t groups, Picos warm_up) : groups_(groups), warm_up_(warm_up) {}

  struct Group {
    model::PacketCounts packets;  ///< `dropped` and `in_flight` are filled in by close().
    DropCounts drops;
    std::int64_t ip_bytes = 0;         ///< Delivered to sockets so far, forward direction.
    std::int64_t arrived_payload = 0;  ///< Of these, payload.
    std::int64_t payload_bytes = 0;    ///< That applications have read so far.
    std::int64_t latency_sum_ns = 0;   ///< So far.
    std::int64_t latencies = 0;
    model::Histogram latency_ns;     ///< After the warm-up.
    model::Histogram completion_ns;  ///< Of transfers.
  };

  void sent(std::uint32_t group) { ++groups_[group].packets.sent; }
  void delivered(std::uint32_t group, std::int64_t packets) {
    groups_[group].packets.delivered += packets;
  }
  void dropped(std::uint32_t group, Drop reason, std::int64_t packets) {
    groups_[group].drops[reason] += packets;
  }
  /// A packet delivered to the socket of `receiver`: only the client's direction counts for rates.
  void arrived(std::uint32_t group, EndId receiver, std::int64_t ip_bytes, std::int64_t payload) {
    if (receiver % 2 == 0) return;
    groups_[group].ip_bytes += ip_bytes;
    groups_[group].arrived_payload += payload;
  }
  void payload(std::uint32_t group, EndId receiver, std::int64_t bytes) {
    if (receiver % 2 == 1) groups_[group].payload_bytes += bytes;
  }
  void latency(std::uint32_t group, Picos now, Picos latency) {
    Group& of = groups_[group];
    const std::int64_t nanoseconds = latency.whole_nanoseconds();
    of.latency_sum_ns += nanoseconds;
    ++of.latencies;
    if (now >= warm_up_) of.latency_ns.record(nanoseconds);
  }
  void completion(std::uint32_t group, Picos now, Picos time) {
    if (now >= warm_up_) groups_[group].completion_ns.record(time.whole_nanoseconds());
  }

  /// The warm-up is over.
  void begin_measuring() {
    for (const Group& group : groups_)
      before_.push_back({group.ip_bytes, group.arrived_payload, group.payload_bytes});
  }

  /// Delivered after the warm-up.
  std::int64_t measured_ip_bytes(std::size_t index) const {
    return groups_[index].ip_bytes - before(index).ip_bytes;
  }
  /// What was read after the warm-up, but no more than arrived after it: an application that
  /// empties a buffer filled during the warm-up reads faster than the network delivers.
  std::int64_t measured_payload(std::size_t index) const {
    const Group& group = groups_[index];
    return std::min(group.payload_bytes - before(index).payload_bytes,
                    group.arrived_payload - before(index).arrived_payload);
  }

  const Group& group(std::size_t index) const { return groups_[index]; }
  /// Of all groups, so far.
  std::int64_t packets_sent() const;

  /// Adds what another partition has counted.
  Accounts& operator+=(const Accounts& other);
  /// Books what is still under way: one packet per entry, by its group. Returns what does not add
  /// up, or nothing.
  std::string close(const std::vector<std::uint32_t>& in_flight);

 private:
  /// The counters of a group at the end of the warm-up.
  struct Before {
    std::int64_t ip_bytes = 0;
    std::int64_t arrived_payload = 0;
    std::int64_t payload_bytes = 0;
  };
  Before before(std::size_t index) const { return before_.empty() ? Before{} : before_[index]; }

  std::vector<Group> groups_;
  std::vector<Before> before_;  ///< Empty as long as the warm-up lasts.
  Picos warm_up_;
};

}  // namespace overlane::run

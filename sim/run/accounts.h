#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "sim/run/flight.h"

namespace overlane::run {

/// What happened to the packets of each traffic group. A packet is booked to the group of the flow
/// that sent or caused it.
class Accounts {
 public:
  /// `group_of_flow[f]` is the position of flow f's group.
  Accounts(std::size_t groups, std::vector<std::uint32_t> group_of_flow, Picos warm_up)
      : groups_(groups), group_of_flow_(std::move(group_of_flow)), warm_up_(warm_up) {}

  struct Group {
    model::PacketCounts packets;  ///< `dropped` and `in_flight` are filled in by close().
    DropCounts drops;
    std::int64_t ip_bytes = 0;         ///< Delivered so far, forward direction.
    std::int64_t payload_bytes = 0;    ///< The same, as the application reads it.
    std::int64_t ip_bytes_before = 0;  ///< Of these, before begin_measuring().
    std::int64_t payload_bytes_before = 0;
    model::Histogram latency_ns;
    model::Histogram completion_ns;  ///< Of transfers.
  };

  /// A flow of the next number.
  void add_flow(std::uint32_t group) { group_of_flow_.push_back(group); }

  void sent(EndId sender, std::int64_t packets = 1) { of(sender).packets.sent += packets; }
  void delivered(EndId sender, std::int64_t packets = 1) {
    of(sender).packets.delivered += packets;
  }
  void dropped(EndId sender, Drop reason, std::int64_t packets = 1) {
    of(sender).drops[reason] += packets;
  }
  // Only the client's direction counts for rates.
  void ip_bytes(EndId sender, std::int64_t bytes) {
    if (sender % 2 == 0) of(sender).ip_bytes += bytes;
  }
  void payload(EndId sender, std::int64_t bytes) {
    if (sender % 2 == 0) of(sender).payload_bytes += bytes;
  }
  void latency(EndId sender, Picos now, Picos latency) {
    if (now >= warm_up_) of(sender).latency_ns.record(latency.whole_nanoseconds());
  }
  void completion(EndId sender, Picos now, Picos time) {
    if (now >= warm_up_) of(sender).completion_ns.record(time.whole_nanoseconds());
  }

  /// The warm-up is over.
  void begin_measuring() {
    for (Group& group : groups_) {
      group.ip_bytes_before = group.ip_bytes;
      group.payload_bytes_before = group.payload_bytes;
    }
  }

  const Group& group(std::size_t index) const { return groups_[index]; }
  /// Of all groups, so far.
  std::int64_t packets_sent() const;

  /// Books what is still under way: one packet per entry, by its sender. Returns what does not add
  /// up, or nothing.
  std::string close(const std::vector<EndId>& in_flight);

 private:
  Group& of(EndId sender) { return groups_[group_of_flow_[sender / 2]]; }

  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_flow_;
  Picos warm_up_;
};

}  // namespace overlane::run

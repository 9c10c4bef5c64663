#include "sim/run/packet/accounts.h"

#include <fmt/format.h>

namespace overlane::run {

std::int64_t Accounts::packets_sent() const {
  std::int64_t sent = 0;
  for (const Group& group : groups_)
    sent += group.packets.sent;
  return sent;
}

Accounts& Accounts::operator+=(const Accounts& other) {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    Group& to = groups_[i];
    const Group& from = other.groups_[i];
    to.packets += from.packets;
    to.drops += from.drops;
    to.ip_bytes += from.ip_bytes;
    to.arrived_payload += from.arrived_payload;
    to.payload_bytes += from.payload_bytes;
    to.latency_sum_ns += from.latency_sum_ns;
    to.latencies += from.latencies;
    to.latency_ns += from.latency_ns;
    to.completion_ns += from.completion_ns;
  }
  for (std::size_t i = 0; i < before_.size(); ++i) {
    before_[i].ip_bytes += other.before_[i].ip_bytes;
    before_[i].arrived_payload += other.before_[i].arrived_payload;
    before_[i].payload_bytes += other.before_[i].payload_bytes;
  }
  return *this;
}

std::string Accounts::close(const std::vector<std::uint32_t>& in_flight) {
  for (const std::uint32_t group : in_flight)
    ++groups_[group].packets.in_flight;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    model::PacketCounts& packets = groups_[i].packets;
    packets.dropped = groups_[i].drops.total();
    if (packets.balanced()) continue;
    return fmt::format(
        "traffic group {}: {} packets sent, but {} delivered, {} dropped and {} in packet", i,
        packets.sent, packets.delivered, packets.dropped, packets.in_flight);
  }
  return {};
}

}  // namespace overlane::run

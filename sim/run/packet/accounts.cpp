#include "sim/run/packet/accounts.h"

#include <fmt/format.h>

namespace overlane::run {

std::int64_t Accounts::packets_sent() const {
  std::int64_t sent = 0;
  for (const Group& group : groups_)
    sent += group.packets.sent;
  return sent;
}

std::string Accounts::close(const std::vector<std::uint32_t>& in_flight) {
  for (const std::uint32_t group : in_flight)
    ++groups_[group].packets.in_flight;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    model::PacketCounts& packets = groups_[i].packets;
    packets.dropped = groups_[i].drops.total();
    if (packets.balanced()) continue;
    return fmt::format(
        "traffic group {}: {} packets sent, but {} delivered, {} dropped and {} in flight", i,
        packets.sent, packets.delivered, packets.dropped, packets.in_flight);
  }
  return {};
}

}  // namespace overlane::run

#include "dataplane/dpdk/forwarder.h"

#include <rte_ethdev.h>

namespace overlane::dpdk {
namespace {

/// Fine enough for timers of a second.
constexpr Picos kTick = milliseconds(10);

}  // namespace

Forwarder::Forwarder(const PacketPool& pool, const NodePorts& ports, std::uint16_t burst)
    : to_pods_(ports.pods),
      to_uplink_(ports.uplink),
      slow_(pool, to_pods_, to_uplink_,
            ports.host == nullptr ? nullptr : &to_host_.emplace(*ports.host)),
      worker_(to_pods_, to_uplink_, 0, burst, slow_.runtime().identification) {}

void Forwarder::replace(std::shared_ptr<const Generation> generation, Picos now) {
  slow_.replace(std::move(generation), now);
}

std::size_t Forwarder::poll(Picos now) {
  if (now >= next_tick_) {
    slow_.tick(now);
    next_tick_ = now + kTick;
  }
  const auto leave = [&](std::span<rte_mbuf* const> packets, forward::Ingress ingress) {
    slow_.take(packets, ingress, now);
  };
  const std::size_t came = worker_.poll(slow_.generation(), slow_.exceptions(), leave);
  const std::size_t from_host = to_host_ ? poll_host(now) : 0;
  to_pods_.flush();
  to_uplink_.flush();
  return came + from_host;
}

std::size_t Forwarder::poll_host(Picos now) {
  std::array<rte_mbuf*, adjacency::kBurst> packets;
  const std::size_t count =
      rte_eth_rx_burst(to_host_->port().id(), 0, packets.data(), packets.size());
  from_host_ += count;
  if (count > 0) slow_.take({packets.data(), count}, forward::Ingress::Host, now);
  to_host_->flush();
  return count;
}

ForwardCounters Forwarder::counters() const {
  ForwardCounters counters{.received = worker_.received() + from_host_,
                           .ahead = worker_.ahead(),
                           .to_pods = to_pods_.sent(),
                           .to_uplink = to_uplink_.sent(),
                           .held = slow_.held(),
                           .slow = slow_.counters()};
  counters.slow.drops[Drop::NicQueueFull] +=
      static_cast<std::int64_t>(to_pods_.refused() + to_uplink_.refused());
  return counters;
}

}  // namespace overlane::dpdk

#include "dataplane/dpdk/forwarder.h"

#include <rte_ethdev.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::dpdk {
namespace {

using forward::Ingress;

/// Interval of timers, short enough for timers of one second.
constexpr Picos kTick = milliseconds(10);

/// The send queue of the main core: the one after those of the team.
std::uint16_t main_queue(const std::unique_ptr<WorkerTeam>& team) {
  return team ? static_cast<std::uint16_t>(team->size()) : 0;
}

using Json = nlohmann::ordered_json;

Json encode(const PortCounters& port) {
  return {{"received", port.received},
          {"sent", port.sent},
          {"missed", port.missed},
          {"errors", port.errors}};
}

Json encode(const DropCounts& drops) {
  Json json = Json::object();
  for (const DropFacts& one : kDrops) {
    if (drops[one.drop] != 0) json[std::string(one.name)] = drops[one.drop];
  }
  return json;
}

}  // namespace

Forwarder::Forwarder(const PacketPool& pool, const NodePorts& ports, std::uint16_t burst,
                     std::unique_ptr<WorkerTeam> team)
    : to_pods_(ports.pods, main_queue(team)),
      to_uplink_(ports.uplink, main_queue(team)),
      slow_(pool, to_pods_, to_uplink_,
            ports.host == nullptr ? nullptr : &to_host_.emplace(*ports.host), main_queue(team)),
      worker_(to_pods_, to_uplink_, main_queue(team), burst, slow_.runtime().identification),
      team_(std::move(team)) {
  slow_.runtime().identification = identification_share(0, main_queue(team_) + 1u);
}

void Forwarder::replace(std::shared_ptr<const Generation> generation, Picos now) {
  slow_.replace(std::move(generation), now);
}

Result<void, std::string> Forwarder::start_team() {
  if (!team_) return {};
  return team_->start(slow_.tables());
}

void Forwarder::stop_team(Picos now) {
  if (!team_) return;
  team_->stop();
  while (poll_team(now) > 0)
    ;
  slow_.free_old();
}

std::size_t Forwarder::poll(Picos now) {
  if (now >= next_tick_) {
    slow_.tick(now);
    next_tick_ = now + kTick;
  }
  const auto leave = [&](std::span<rte_mbuf* const> packets, Ingress ingress) {
    slow_.take(packets, ingress, now);
  };
  const Tables& tables = slow_.tables().latest();
  std::size_t came = worker_.poll(*tables.generation, *tables.exceptions, leave);
  if (to_host_) came += poll_host(now);
  came += poll_team(now);
  return came;
}

std::size_t Forwarder::poll_host(Picos now) {
  std::array<rte_mbuf*, adjacency::kBurst> packets;
  const std::size_t count =
      rte_eth_rx_burst(to_host_->port().id(), 0, packets.data(), packets.size());
  if (count > 0) slow_.take({packets.data(), count}, Ingress::Host, now);
  from_host_ += count;
  return count;
}

std::size_t Forwarder::poll_team(Picos now) {
  const auto take = [&](std::span<rte_mbuf* const> packets, Ingress ingress) {
    slow_.take(packets, ingress, now);
  };
  const std::size_t count = team_ ? team_->hand_over(take) : 0;
  to_pods_.flush();
  to_uplink_.flush();
  if (to_host_) to_host_->flush();
  return count;
}

ForwardCounters Forwarder::counters() const {
  const TeamCounters team = team_ ? team_->counters() : TeamCounters{};
  ForwardCounters counters{.received = worker_.received() + from_host_ + team.received,
                           .ahead = worker_.ahead() + team.ahead,
                           .backlog_full = team.refused,
                           .to_pods = to_pods_.sent() + team.to_pods,
                           .to_uplink = to_uplink_.sent() + team.to_uplink,
                           .to_host = slow_.counters().to_host,
                           .held = slow_.held(),
                           .waiting = slow_.waiting(),
                           .links = slow_.links().counters(),
                           .slow = slow_.counters()};
  DropCounts& drops = counters.slow.drops;
  drops += counters.links.drops;
  drops[Drop::NicQueueFull] +=
      static_cast<std::int64_t>(to_pods_.refused() + to_uplink_.refused() + team.not_sent);
  if (to_host_) {
    counters.to_host += to_host_->sent();
    drops[Drop::NicQueueFull] += static_cast<std::int64_t>(to_host_->refused());
  }
  drops[Drop::CpuBacklogFull] += static_cast<std::int64_t>(team.refused);
  return counters;
}

Json encode(const ForwardReport& report) {
  const ForwardCounters& counters = report.counters;
  Json ports = Json::object();
  for (const auto& [side, port] : report.ports)
    ports[side] = encode(port);
  return {{"time_ns", report.at.whole_nanoseconds()},
          {"state_changes", report.changes},
          {"ports", ports},
          {"packets",
           {{"received", counters.received},
            {"ahead", counters.ahead},
            {"full_path", counters.slow.full},
            {"backlog_full", counters.backlog_full},
            {"neighbour_messages", counters.slow.neighbours},
            {"neighbour_messages_malformed", counters.links.messages_malformed},
            {"neighbour_messages_sent", counters.links.messages_sent},
            {"neighbour_messages_lost", counters.links.messages_lost},
            {"refused_frames", counters.slow.refused},
            {"icmp_errors_made", counters.slow.errors_made},
            {"icmp_errors_sent", counters.links.errors_sent},
            {"fragments_made", counters.slow.fragments_made},
            {"fragments_joined", counters.slow.fragments_joined},
            {"to_pods", counters.to_pods},
            {"to_uplink", counters.to_uplink},
            {"to_host", counters.to_host},
            {"held_fragments", counters.held},
            {"waiting", counters.waiting}}},
          {"drops", encode(counters.slow.drops)},
          {"buffers_in_use", report.buffers_in_use}};
}

std::string to_text(const ForwardReport& report) {
  const ForwardCounters& counters = report.counters;
  std::string text = fmt::format(
      "after {:.1f} s: {} packets came; {} by adjacencies, {} on the full path, {} ARP or ND, "
      "{} refused\n",
      static_cast<double>(report.at.count) / 1e12, counters.received, counters.ahead,
      counters.slow.full, counters.slow.neighbours, counters.slow.refused);
  text += fmt::format(
      "  sent {} to pods, {} to the uplink, {} to the host; {} ICMP errors among them; {} "
      "fragments and {} packets wait\n",
      counters.to_pods, counters.to_uplink, counters.to_host, counters.links.errors_sent,
      counters.held, counters.waiting);
  for (const auto& [side, port] : report.ports) {
    text += fmt::format("  port {:<6} received {}, sent {}, missed {}, errors {}\n", side,
                        port.received, port.sent, port.missed, port.errors);
  }
  for (const DropFacts& one : kDrops) {
    const std::int64_t count = counters.slow.drops[one.drop];
    if (count != 0) text += fmt::format("  dropped {} {}: {}\n", count, one.name, one.meaning);
  }
  return text;
}

}  // namespace overlane::dpdk

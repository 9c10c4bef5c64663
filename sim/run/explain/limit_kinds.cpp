#include "sim/run/explain/limit_kinds.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "dataplane/node/text/fabric_text.h"
#include "sim/run/app/ephemeral_ports.h"
#include "sim/run/explain/run_inputs.h"

namespace overlane::run {

using Kind = Parameter::Kind;

namespace {

/// `station` says what is lost: packets that the fabric loses at random.
FoundLimit loss_limit(const Network& network, std::string station) {
  return {{.station = std::move(station),
           .constant = "loss " + loss_text(network.paths.loss),
           .source = "the scenario"},
          {{Kind::Loss}}};
}

/// The lines of the fabric's state that make it drop the packets of a flow by `drop`.
std::string obstacle_lines(const node::FabricState& fabric, Drop drop) {
  const bool too_big = drop == Drop::FabricMtuExceeded;
  std::string lines;
  if (too_big && fabric.path_mtu != node::FabricPathMtu{})
    lines = node::path_mtu_line(fabric.path_mtu);
  for (const node::DenyRule& rule : fabric.denied) {
    const bool is_icmp = rule.protocol == forward::kIcmp || rule.protocol == forward::kIcmpv6;
    if (is_icmp == too_big) lines += (lines.empty() ? "" : ", ") + to_string(rule);
  }
  return lines;
}

}  // namespace

std::string transfer_text(const TrafficGroup& group) {
  if (!group.transfer) return "start of the flow";
  const bool varies = group.transfer->kind() != Distribution::Kind::Fixed;
  return fmt::format("transfer{} of {} bytes{}", group.gap ? "s" : "", group.transfer->mean(),
                     varies ? " on average" : "");
}

FoundLimit stopped_limit(const Network& network, const node::FabricState& fabric, Drop drop) {
  const std::string station = fmt::format("drop {}", to_string(drop));
  if (drop == Drop::RandomLoss) return loss_limit(network, station);
  FoundLimit found{{.station = station,
                    .constant = std::string(facts(drop).meaning),
                    .source = "node and fabric states"},
                   {}};
  if (drop != Drop::FabricMtuExceeded && drop != Drop::FabricPacketFilter) return found;
  found.constants = fabric_obstacles(network);
  if (const std::string lines = obstacle_lines(fabric, drop); !lines.empty())
    found.limit.constant += ": " + lines;
  return found;
}

FoundLimit congestion_window_limit(const Network& network, bool has_lost, bool too_big) {
  FoundLimit found{{.station = "congestion window",
                    .constant = has_lost ? "reduced by losses" : "slow start",
                    .source = "CUBIC, RFC 9438"},
                   {{Kind::QueueRoom}, {Kind::PathLatency}}};
  if (network.paths.loss.any()) found.constants.push_back({Kind::Loss});
  if (too_big) std::ranges::copy(fabric_obstacles(network), std::back_inserter(found.constants));
  return found;
}

std::vector<LinkLimit> rack_link_limits(const PacketPath& path, EndId sender, std::uint32_t from,
                                        std::uint32_t to) {
  const RackLinks* links = path.fabric().racks();
  if (links == nullptr || links->plan().share_rack(from, to)) return {};
  const std::uint8_t spine = links->last_spine(sender);
  const auto link = [&](const Station& station, std::string name) {
    const std::string rate = rate_text(path.network().paths.racks->uplink);
    return LinkLimit{
        &station.server,
        {{.station = std::move(name), .constant = "uplink rate " + rate, .source = "VPC"},
         {{Kind::UplinkRate}}}};
  };
  const fabric::RackPlan& plan = links->plan();
  return {link(links->up(links->number(from, spine)),
               fmt::format("uplink of rack {} to spine {}", plan.rack_of(from) + 1, spine + 1)),
          link(links->down(links->number(to, spine)),
               fmt::format("downlink of spine {} to rack {}", spine + 1, plan.rack_of(to) + 1))};
}

FoundLimit source_port_limit() {
  return {{.station = "source ports",
           .constant = fmt::format("{} ports, each in TIME-WAIT for {} s behind its connection",
                                   kPorts, transport::kTimeWait.count / seconds(1).count),
           .source = "net.ipv4.ip_local_port_range, TCP_TIMEWAIT_LEN"},
          {}};
}

std::vector<Parameter> constants_of_way(const Network& network) {
  std::vector<Parameter> constants = {{Kind::PathLatency}};
  if (network.paths.loss.any()) constants.push_back({Kind::Loss});
  std::ranges::copy(stage_costs(network), std::back_inserter(constants));
  return constants;
}

}  // namespace overlane::run

#include "sim/run/limits/limits.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dataplane/node/text/state_text.h"
#include "sim/run/app/addresses.h"
#include "sim/run/limits/run_inputs.h"

namespace overlane::run {

using Kind = Parameter::Kind;

namespace {

/// Random loss of the fabric as a limit. `station`: what the lost packets are, in the report.
FoundLimit loss_limit(const Network& network, std::string station) {
  return {{.station = std::move(station),
           .constant = "loss " + loss_text(network.paths.loss),
           .source = "the scenario"},
          {{Kind::Loss}}};
}

/// Entries of the fabric's state that make it drop the packets of a flow for `drop`, as text.
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

FoundLimit congestion_window_limit(const Network& network, transport::CongestionControl control,
                                   bool has_lost, bool too_big) {
  FoundLimit found{{.station = "congestion window",
                    .constant = has_lost ? "reduced by losses" : "slow start",
                    .source = std::string(transport::row_of(control).source)},
                   {{Kind::QueueRoom}, {Kind::PathLatency}}};
  if (network.paths.loss.any()) found.constants.push_back({Kind::Loss});
  if (too_big) std::ranges::copy(fabric_obstacles(network), std::back_inserter(found.constants));
  return found;
}

std::vector<LinkLimit> rack_link_limits(const PacketPath& path, EndpointId sender,
                                        std::uint32_t from, std::uint32_t to) {
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

namespace {

using Kind = Parameter::Kind;
using model::Limit;
using model::TrafficKind;
using transport::Stall;

/// Names of the sources of the constants in fabric::Limits, for reports.
constexpr const char* kVpc = "VPC";
constexpr const char* kMachine = "machine";

/// A UDP group reaches its rate if at most one of this many packets is undelivered at the end.
constexpr std::int64_t kMaxOnWay = 100;

class LimitFinder {
 public:
  LimitFinder(const Network& network, const std::vector<TrafficGroup>& traffic,
              const FlowTable& flows, const NodePaths& paths, const Accounts& accounts,
              const Period& measured)
      : network_(network),
        states_(paths[0].decisions().states()),
        nodes_(states_.nodes()),
        traffic_(traffic),
        flows_(flows),
        paths_(paths),
        accounts_(accounts),
        end_(measured.to),
        measured_(measured.to - measured.from) {}

  /// `client` is the flow's client endpoint.
  FoundLimit limit_of(const Flow& flow, EndpointId client) const {
    FoundLimit found = cause_of(flow, client);
    found.limit.traffic = group(flow).name;
    found.limit.flow = flow.number;
    return found;
  }

 private:
  const TrafficGroup& group(const Flow& flow) const { return traffic_[flow.group]; }
  std::string name(std::uint32_t node) const { return nodes_[node].member().name; }

  FoundLimit cause_of(const Flow& flow, EndpointId client) const {
    if (const auto drop = stopped_by(flow, client)) return *drop;
    if (gets_its_rate(flow)) return application(flow, client);
    if (const auto station = saturated(flow, client)) return *station;
    if (group(flow).connections == Connections::PerRequest) return application(flow, client);
    // The endpoint that sends most comes first: a server sends the responses.
    for (const std::uint32_t sender : {1u, 0u})
      if (const auto held = held_back(flows_.newest_of(client / 2) * 2 + sender)) return *held;
    if (flow.client.blocked && !network_.costs) return nic_limit(flow.client.node);
    return application(flow, client);
  }

  /// Whether datagrams leave at their rate and all of them arrive. Stations on the path may still
  /// be saturated by other flows.
  bool gets_its_rate(const Flow& flow) const {
    if (group(flow).kind != TrafficKind::Udp || flow.client.blocked) return false;
    const bool in_time = flow.times.last.offset() + Picos{measured_.count / 100} >= end_;
    const Accounts::Group& counted = accounts_.group(flow.group);
    const std::int64_t on_way = counted.packets.sent - counted.packets.delivered;
    return in_time && on_way <= counted.packets.sent / kMaxOnWay;
  }
  /// The drop reason if no packet of the flow arrives; nullopt otherwise.
  std::optional<FoundLimit> stopped_by(const Flow& flow, EndpointId client) const {
    const Exchange* const exchange = flows_.exchange_of(client / 2);
    if (flows_.end(client + 1).has_read || (exchange && exchange->finished > 0))
      return std::nullopt;
    const DropCounts& drops = accounts_.group(flow.group).drops;
    const auto most = std::ranges::max_element(
        kDrops, {}, [&](const DropFacts& facts) { return drops[facts.drop]; });
    if (drops[most->drop] == 0) return std::nullopt;
    return stopped_limit(network_, states_.fabric(), most->drop);
  }

  /// The busiest station on the flow's path (the first of equally busy ones) if it is saturated.
  std::optional<FoundLimit> saturated(const Flow& flow, EndpointId client) const {
    std::optional<FoundLimit> best;
    std::int64_t most = kSaturatedPpm - 1;
    const auto consider_used = [&](Picos used, FoundLimit limit) {
      const std::int64_t ppm = share_ppm(used);
      if (ppm <= most) return;
      most = ppm;
      best = std::move(limit);
    };
    // A bucket that still has burst lets traffic exceed its mean rate.
    const auto consider_bucket = [&](const fabric::TokenBucket* bucket, FoundLimit limit) {
      if (bucket == nullptr || share_ppm(bucket->held_back()) < kMinHeldBackPpm) return;
      consider_used(bucket->used(), std::move(limit));
    };
    const auto consider = [&](const core::FifoServer& server, FoundLimit limit) {
      consider_used(server.busy(end_), std::move(limit));
    };
    for (const std::uint32_t from : {0u, 1u}) {
      const Endpoint& sender = flows_.end(client + from);
      const Endpoint& receiver = flows_.end(client + 1 - from);
      consider_core(sender.node, application_core(sender), consider);
      if (sender.node != receiver.node) {
        consider_vhost(flow, sender.node, application_core(sender), consider);
        consider(paths_[sender.node].nics().server(sender.node), nic_limit(sender.node));
        consider_fabric(client + from, sender.node, receiver.node, consider_bucket);
        for (auto& [server, limit] :
             rack_link_limits(paths_[sender.node], client + from, sender.node, receiver.node))
          consider(*server, std::move(limit));
        consider(paths_[receiver.node].ports()[receiver.node].station.server,
                 rate_limit(receiver.node, "link fabric to " + name(receiver.node)));
        if (receiver.receive_core != Endpoint::kNoCore) {
          consider_vhost(flow, receiver.node, receiver.receive_core, consider);
          consider_core(receiver.node, receiver.receive_core, consider);
        }
      } else {
        consider(paths_[sender.node].host_stack().memory(sender.node),
                 {{.station = "memory " + name(sender.node),
                   .constant = "copies between pods " + rate_text(host::kLocalRate),
                   .source = "fixed: stands in for CPU time"},
                  {}});
      }
      consider_core(receiver.node, application_core(receiver), consider);
    }
    return best;
  }

  /// Considers the cloud's limits between two nodes.
  template <typename Consider>
  void consider_fabric(EndpointId sender, std::uint32_t from, std::uint32_t to,
                       Consider consider) const {
    const NodeShapers* shapers = paths_[from].fabric().shapers(from);
    if (shapers == nullptr) return;
    const fabric::Limits& limits = network_.limits;
    if (limits.single_flow) {
      const std::string cap = "single-flow cap " + rate_text(*limits.single_flow);
      consider(shapers->flows.bucket_of(flow_with_ports(sender)),
               {{.station = "fabric flow from " + name(from), .constant = cap, .source = kVpc},
                {{Kind::SingleFlowCap}}});
      consider(shapers->flows.bucket_of(flow_without_ports(to)),
               {{.station = fmt::format("fabric flow from {} to {}", name(from), name(to)),
                 .constant = cap + ", for all " +
                             (node::has_wireguard(nodes_[from])
                                  ? "that WireGuard carries between two nodes"
                                  : "packets without ports between two nodes"),
                 .source = kVpc},
                {{Kind::SingleFlowCap}}});
    }
    consider_allowance(shapers->out, "fabric allowance from " + name(from), consider);
    consider_allowance(paths_[to].fabric().shapers(to)->in, "fabric allowance to " + name(to),
                       consider);
  }

  template <typename Consider>
  void consider_allowance(const Allowance& allowance, const std::string& station,
                          Consider consider) const {
    if (const auto& bandwidth = network_.limits.bandwidth) {
      consider(&allowance.bandwidth(), {{.station = station,
                                         .constant = "baseline " + rate_text(bandwidth->baseline),
                                         .source = kMachine},
                                        {{Kind::Baseline}}});
    }
    if (const auto& packets = network_.limits.packets) {
      consider(&allowance.packets(),
               {{.station = station,
                 .constant = fmt::format("{} packets per second", packets->per_second),
                 .source = kMachine},
                {{Kind::PacketRate}}});
    }
  }

  template <typename Consider>
  void consider_core(std::uint32_t node, std::uint32_t core, Consider consider) const {
    if (!paths_[node].cpu().has_costs()) return;
    consider(paths_[node].cpu()[node].cores[core].server,
             {{.station = fmt::format("cpu {} core {}", name(node), core),
               .constant = "CPU time per packet of the stages that this core runs",
               .source = fmt::format("cost profile {}", network_.costs->name)},
              stage_costs(network_)});
  }
  /// Considers the hypervisor's thread that serves the queues of a core.
  template <typename Consider>
  void consider_vhost(const Flow& flow, std::uint32_t node, std::uint32_t core,
                      Consider consider) const {
    const Vhost* vhost = paths_[node].vhost();
    if (vhost == nullptr) return;
    const std::uint32_t queue = core % vhost->queues(node);
    const bool is_cut = group(flow).uses_tcp() && vhost->copies_single_packets(node, queue);
    consider(vhost->thread(node, queue),
             {{.station = fmt::format("hypervisor of {} vhost thread {}", name(node), queue),
               .constant = is_cut ? "CPU time of the stage vhost for each packet, as the guest "
                                    "segments its buffers"
                                  : "CPU time of the stage vhost for each buffer",
               .source = fmt::format("cost profile {}", network_.costs->name)},
              {{Kind::StageCost, static_cast<std::uint32_t>(cost::Stage::Vhost)}}});
  }
  std::uint32_t application_core(const Endpoint& end) const {
    return end.application_core(paths_[end.node].cpu()[end.node]);
  }
  FoundLimit nic_limit(std::uint32_t node) const {
    const node::Device* uplink = nodes_[node].uplink();
    return rate_limit(
        node, fmt::format("link {} {}", name(node), uplink ? uplink->name.view() : "uplink"));
  }
  FoundLimit rate_limit(std::uint32_t node, std::string station) const {
    const node::Device* uplink = nodes_[node].uplink();
    return {{.station = std::move(station),
             .constant = "nic rate " + rate_text(network_.machines[node].nic_rate),
             .source = "machine of " + name(node),
             .state_entry = uplink ? to_string(*uplink) : ""},
            {{Kind::NicRate, first_with_rate_of(node)}}};
  }
  /// Nodes with equal NIC rates share one constant: that of the first such node.
  std::uint32_t first_with_rate_of(std::uint32_t node) const {
    const auto& machines = network_.machines;
    const BitsPerSecond rate = machines[node].nic_rate;
    const auto first = std::ranges::find(machines, rate, &host::Machine::nic_rate);
    return static_cast<std::uint32_t>(first - machines.begin());
  }

  /// The reason that kept this endpoint's connection from sending most of the time; nullopt if it
  /// mostly had nothing to send.
  std::optional<FoundLimit> held_back(EndpointId sender) const {
    const TcpSocket* const socket = flows_.tcp_of(sender);
    if (socket == nullptr) return std::nullopt;
    const transport::TcpConnection& tcp = *socket;
    const Flow& flow = flows_.flow_of(sender);
    // An endless transfer does not wait for its application before it starts.
    const bool endless = group(flow).kind == TrafficKind::Tcp && !group(flow).transfer;
    Stall longest = Stall::Application;
    Picos most = endless && sender % 2 == 0 ? Picos{} : tcp.stalled(Stall::Application, end_);
    for (const Stall stall : {Stall::ReceiveWindow, Stall::CongestionWindow, Stall::HostQueue}) {
      if (tcp.stalled(stall, end_) <= most) continue;
      most = tcp.stalled(stall, end_);
      longest = stall;
    }
    switch (longest) {
      case Stall::Application:
        return std::nullopt;
      case Stall::ReceiveWindow:
        return FoundLimit{
            {.station = "window",
             .constant = fmt::format("receive window {} bytes", group(flow).window_bytes),
             .source = "traffic " + group(flow).name},
            {{Kind::Window, flow.group}, {Kind::PathLatency}}};
      case Stall::CongestionWindow:
        return congestion_window_limit(
            network_, group(flow).congestion_control, tcp.retransmissions() > 0,
            accounts_.group(flow.group).drops[Drop::FabricMtuExceeded] > 0);
      case Stall::HostQueue:
        return nic_limit(flows_.end(sender).node);
    }
    return std::nullopt;
  }

  FoundLimit application(const Flow& flow, EndpointId client) const {
    const TrafficGroup& group = this->group(flow);
    FoundLimit found{{.station = "application", .source = "traffic " + group.name}, {}};
    const Exchange* const exchange = flows_.exchange_of(client / 2);
    if (exchange && exchange->lacked_ports) return source_port_limit();
    switch (group.kind) {
      case TrafficKind::Udp:
        found.limit.constant =
            "rate " + rate_text(group.rate) + (group.on ? " while it sends" : "");
        found.constants = {{Kind::DatagramRate, flow.group}};
        add_way(found);  // The flow reaches its rate; its latency depends on the path.
        break;
      case TrafficKind::Tcp:
        found.limit.constant = transfer_text(group);
        break;
      case TrafficKind::RequestResponse:
        found = one_at_a_time(flow.group, std::move(found));
        break;
    }
    return found;
  }
  /// A client that sends one request at a time waits a whole round trip for each response.
  FoundLimit one_at_a_time(std::uint32_t of, FoundLimit found) const {
    const Picos think_time = traffic_[of].think_time;
    found.limit.constant = "one request at a time";
    if (think_time.count > 0) {
      found.limit.constant += fmt::format(", {} µs of think time", think_time.count / 1'000'000);
      found.constants.push_back({Kind::ThinkTime, of});
    }
    add_way(found);
    return found;
  }
  void add_way(FoundLimit& found) const {
    std::ranges::copy(constants_of_way(network_), std::back_inserter(found.constants));
  }

  std::int64_t share_ppm(Picos time) const {
    return static_cast<std::int64_t>(WideInteger{time.count} * 1'000'000 / measured_.count);
  }

  const Network& network_;  ///< The states in it are those of the beginning of the run; `states_`
                            ///< has the current ones.
  const States& states_;
  const std::vector<node::NodeState>& nodes_;
  const std::vector<TrafficGroup>& traffic_;
  const FlowTable& flows_;
  const NodePaths& paths_;
  const Accounts& accounts_;
  Picos end_;
  Picos measured_;
};

bool same_cause(const Limit& a, const Limit& b) {
  return a.traffic == b.traffic && a.station == b.station && a.constant == b.constant;
}

}  // namespace

std::vector<FoundLimit> find_limits(const Network& network,
                                    const std::vector<TrafficGroup>& traffic,
                                    const FlowTable& flows, const NodePaths& paths,
                                    const Accounts& accounts, const Period& measured) {
  const LimitFinder finder(network, traffic, flows, paths, accounts, measured);
  std::vector<FoundLimit> limits;
  for (EndpointId client = 0; client < flows.all().size() * 2; client += 2) {
    FoundLimit found = finder.limit_of(flows.all()[client / 2], client);
    const auto same_group = [&](const FoundLimit& other) {
      return other.limit.traffic == found.limit.traffic;
    };
    const auto known = [&](const auto& other) { return same_cause(other.limit, found.limit); };
    if (std::ranges::any_of(limits, known)) continue;
    const auto in_group = std::ranges::count_if(limits, same_group);
    if (static_cast<std::size_t>(in_group) < kLimitsPerGroup) limits.push_back(std::move(found));
  }
  return limits;
}

}  // namespace overlane::run

#include "scenarios/migration/outages/other_traffic.h"

#include <algorithm>
#include <utility>

#include "dataplane/forward/packet.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::migration {

MasqueradedConnections::MasqueradedConnections(const node::World& world, std::uint32_t joining)
    : world_(world),
      pods_(path::first_pods(world, Family::Ipv4)),
      absent_(world.nodes.size(), false),
      pairs_(world.nodes.size() * world.nodes.size()) {
  std::fill_n(absent_.rbegin(), joining, true);
  for (std::uint32_t node = 0; node < nodes(); ++node)
    if (!absent_[node]) look_at_all(node, {});
}

void MasqueradedConnections::see(const node::WorldChange& change, Picos now) {
  for (const auto& [node, of_node] : change.nodes) {
    if (absent_[node]) continue;
    const auto& pod_cidrs = world_.nodes[node].cluster->pod_cidrs();
    std::vector<std::uint32_t> peers;
    bool all = of_node.peers || !of_node.devices.empty();
    for (const IpPrefix& prefix : of_node.destinations) {
      const node::MemberIndex* member = pod_cidrs.find(prefix);
      all |= member == nullptr;
      if (member != nullptr) peers.push_back(member->value);
    }
    if (all) {
      look_at_all(node, now);
    } else {
      for (const std::uint32_t peer : peers)
        look(node, peer, now);
    }
  }
}

void MasqueradedConnections::join(std::uint32_t node, Picos now) {
  absent_[node] = false;
  for (std::uint32_t peer = 0; peer < nodes(); ++peer) {
    look(node, peer, now);
    look(peer, node, now);
  }
}

void MasqueradedConnections::leave(std::uint32_t node, Picos /*now*/) {
  absent_[node] = true;
}

void MasqueradedConnections::look_at_all(std::uint32_t from, Picos now) {
  for (std::uint32_t to = 0; to < nodes(); ++to)
    look(from, to, now);
}

void MasqueradedConnections::look(std::uint32_t from, std::uint32_t to, Picos now) {
  if (from == to || absent_[from] || absent_[to]) return;
  Pair& pair = pairs_[std::size_t{from} * nodes() + to];
  if (pair.has_ended) return;
  const auto route = node::lookup(world_.nodes[from], pods_[to]->address);
  if (!route || route->route.device.empty() || route->route.device == pair.device) return;
  pair.has_ended = !pair.device.empty();
  pair.device = route->route.device;
  if (pair.has_ended) ended_.push_back({from, to, now});
}

UpstreamDns::UpstreamDns(const node::World& world, std::uint32_t joining,
                         std::vector<IpAddress> nameservers)
    : world_(world),
      nameservers_(std::move(nameservers)),
      absent_(world.nodes.size(), false),
      open_(world.nodes.size()) {
  std::fill_n(absent_.rbegin(), joining, true);
  if (!are_masqueraded(world.nodes.front())) nameservers_.clear();
}

void UpstreamDns::see(const node::WorldChange& change, Picos now) {
  for (const auto& [node, of_node] : change.nodes)
    if (of_node.filter && !absent_[node]) note(node, are_masqueraded(world_.nodes[node]), now);
}

void UpstreamDns::join(std::uint32_t node, Picos now) {
  absent_[node] = false;
  note(node, are_masqueraded(world_.nodes[node]), now);
}

void UpstreamDns::leave(std::uint32_t node, Picos now) {
  absent_[node] = true;
  note(node, true, now);
}

void UpstreamDns::note(std::uint32_t node, bool are_masqueraded, Picos now) {
  if (are_masqueraded == !open_[node]) return;
  if (are_masqueraded) {
    outages_[*std::exchange(open_[node], std::nullopt)].end = now;
  } else {
    open_[node] = outages_.size();
    outages_.push_back({.from = node, .to = node, .begin = now, .end = {}, .reason = {}});
  }
}

bool UpstreamDns::are_masqueraded(const node::NodeState& node) const {
  if (nameservers_.empty() || node.filter == nullptr) return nameservers_.empty();
  const auto pod = std::ranges::find_if(
      node.pods, [](const node::LocalPod& one) { return one.address.is_ipv4(); });
  const node::Device& uplink = *node.uplink();
  return std::ranges::all_of(nameservers_, [&](IpAddress nameserver) {
    return node::masquerade(*node.filter, {.source = pod->address,
                                           .destination = nameserver,
                                           .protocol = forward::kUdp,
                                           .device = uplink.name,
                                           .device_address = uplink.addresses.front()})
        .has_value();
  });
}

namespace {

/// The outages between the nodes of clients and servers, by pair of nodes.
class ByPair {
 public:
  struct Pair {
    std::uint32_t client = 0;
    std::uint32_t server = 0;
    Intervals intervals;  ///< Joined, at least one.
  };

  /// `in_both_directions`: an outage in one direction interrupts the connections of both.
  ByPair(const std::vector<Outage>& outages, bool in_both_directions) {
    struct Entry {
      std::uint32_t client = 0;
      std::uint32_t server = 0;
      Interval interval;
    };
    std::vector<Entry> entries;
    entries.reserve(outages.size() * (in_both_directions ? 2 : 1));
    for (const Outage& outage : outages) {
      const Interval interval{outage.begin, outage.end.value_or(kNever)};
      entries.push_back({outage.from, outage.to, interval});
      if (in_both_directions) entries.push_back({outage.to, outage.from, interval});
    }
    const auto nodes = [](const auto& one) { return std::pair(one.client, one.server); };
    std::ranges::sort(entries, {}, nodes);
    for (const Entry& entry : entries) {
      if (pairs_.empty() || nodes(pairs_.back()) != nodes(entry))
        pairs_.push_back({entry.client, entry.server, {}});
      pairs_.back().intervals.push_back(entry.interval);
    }
    for (Pair& pair : pairs_)
      pair.intervals = joined(std::move(pair.intervals));
  }

  const Intervals& of(std::uint32_t client, std::uint32_t server) const {
    static const Intervals kNone;
    const auto nodes = [](const Pair& one) { return std::pair(one.client, one.server); };
    const auto found = std::ranges::lower_bound(pairs_, std::pair(client, server), {}, nodes);
    return found == pairs_.end() || nodes(*found) != std::pair(client, server) ? kNone
                                                                               : found->intervals;
  }
  auto begin() const { return pairs_.begin(); }
  auto end() const { return pairs_.end(); }

 private:
  std::vector<Pair> pairs_;  ///< By client, then by server.
};

void add(const Intervals& intervals, TrafficResult& to) {
  if (intervals.empty()) return;
  ++to.affected;
  to.longest = std::max(to.longest, longest_of(intervals));
  to.lasting += last_forever(intervals);
}

/// The result of traffic between all pairs of nodes. Both directions of two nodes are one pair.
TrafficResult all_pairs(std::string_view name, std::string_view meaning, Impact impact,
                        const ByPair& outages, std::uint64_t pairs) {
  TrafficResult result{.name = name,
                       .group = facts(impact).title,
                       .meaning = meaning,
                       .impact = impact,
                       .pairs = pairs};
  for (const ByPair::Pair& pair : outages) {
    result.longest = std::max(result.longest, longest_of(pair.intervals));
    const Intervals& back = outages.of(pair.server, pair.client);
    const bool is_second = pair.client > pair.server;
    result.affected += !is_second || back.empty();
    result.lasting += last_forever(pair.intervals) && (!is_second || !last_forever(back));
  }
  return result;
}

}  // namespace

std::array<std::uint32_t, 2> dns_nodes(const Presence& presence) {
  const auto joined =
      std::ranges::find_if(presence, [](const Interval& one) { return one.begin != Picos{}; });
  return {0, static_cast<std::uint32_t>(joined - presence.begin() - 1)};
}

std::vector<Outage> dns_outages(const std::vector<Outage>& pod_to_pod, const Presence& presence) {
  std::vector<Outage> outages;
  const auto servers = dns_nodes(presence);
  for (const auto& [client, server, intervals] : ByPair(pod_to_pod, true)) {
    if (std::ranges::count(servers, server) == 0) continue;
    for (const Interval& one : intervals)
      outages.push_back({.from = client,
                         .to = server,
                         .begin = one.begin,
                         .end = one.end == kNever ? std::nullopt : std::optional(one.end)});
  }
  return outages;
}

std::vector<TrafficResult> other_traffic(const TrafficOutages& outages, const Presence& presence) {
  constexpr std::string_view kDns = facts(Impact::Dns).title;
  constexpr std::string_view kApiServer = facts(Impact::ApiServer).title;
  constexpr std::string_view kNode = "node";
  const ByPair pods(outages.pod_to_pod, true);
  const ByPair to_nodes(outages.pod_to_node, false);
  const std::uint64_t nodes = presence.size();
  std::uint64_t pairs = 0;
  for (std::uint32_t a = 0; a < nodes; ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      pairs += coexist(presence, a, b);
  // "Under not too clear circumstances, source NAT is required" (provider-aws pull request 702).
  TrafficResult upstream{.name = "upstream DNS",
                         .group = facts(Impact::UpstreamDns).title,
                         .meaning =
                             "pods of a node to its nameserver, if that refuses the pods' own "
                             "addresses",
                         .impact = Impact::UpstreamDns,
                         .is_possible_only = true,
                         .unit = kNode,
                         .pairs = nodes};
  for (const ByPair::Pair& pair : ByPair(outages.unmasqueraded, false))
    add(pair.intervals, upstream);
  TrafficResult full_size =
      all_pairs("full-size datagrams",
                "pods' datagrams of their MTU with DF, as of QUIC, while smaller ones arrive; TCP "
                "adapts to the ICMP errors",
                Impact::FullSizeDatagrams, ByPair(outages.full_size, false), pairs);
  full_size.is_possible_only = true;
  // nf_nat_oif_changed: the next packet by another device ends a masqueraded connection.
  const TrafficResult node_ports{
      .name = "connections by NodePorts",
      .group = facts(Impact::NodePorts).title,
      .meaning =
          "from outside by a NodePort (externalTrafficPolicy: Cluster), or from hostNetwork "
          "by a Service, to pods of another node: established ones end when the route there "
          "changes its device",
      .impact = Impact::NodePorts,
      .pairs = pairs,
      .affected = count_node_pairs(outages.ended),
      .ends = true};
  std::vector<TrafficResult> results{
      all_pairs("node to pod",
                "clients with hostNetwork, NodePorts and node-local DNS to pods of other nodes",
                Impact::NodeNetwork, ByPair(outages.node_to_pod, false), pairs),
      all_pairs("pod to node", "pods to other nodes' addresses: servers with hostNetwork",
                Impact::NodeNetwork, to_nodes, pairs),
      upstream, full_size, node_ports};
  if (std::ranges::any_of(presence, [](const Interval& one) { return one.end != kNever; }))
    return results;
  TrafficResult dns_all{.name = "all DNS queries",
                        .group = kDns,
                        .meaning = "pods of a node to both CoreDNS pods",
                        .impact = Impact::Dns,
                        .unit = kNode,
                        .pairs = nodes};
  TrafficResult dns_some{.name = "some DNS queries",
                         .group = kDns,
                         .meaning = "pods of a node to one of the CoreDNS pods at least",
                         .impact = Impact::Dns,
                         .unit = kNode,
                         .pairs = nodes};
  TrafficResult webhooks{.name = "API server to webhooks",
                         .group = kApiServer,
                         .meaning = "by vpn-shoot to pods of a node",
                         .impact = Impact::ApiServer,
                         .unit = kNode,
                         .pairs = nodes - 1};
  TrafficResult kubelets{.name = "API server to kubelets",
                         .group = kApiServer,
                         .meaning = "by vpn-shoot to a node: logs, exec, port-forward",
                         .impact = Impact::ApiServer,
                         .unit = kNode,
                         .pairs = nodes - 1};
  constexpr std::uint32_t kFirst = 0;
  const ByPair queries(dns_outages(outages.pod_to_pod, presence), false);
  const auto [first_dns, second_dns] = dns_nodes(presence);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const Intervals& first = queries.of(node, first_dns);
    const Intervals& second = queries.of(node, second_dns);
    add(in_both(first, second), dns_all);
    add(in_either(first, second), dns_some);
    add(pods.of(kFirst, node), webhooks);
    add(to_nodes.of(kFirst, node), kubelets);
  }
  results.insert(results.begin() + 2, {dns_all, dns_some});
  results.insert(results.end(), {webhooks, kubelets});
  return results;
}

}  // namespace overlane::migration

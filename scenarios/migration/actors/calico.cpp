#include "scenarios/migration/actors/calico.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "results/base/text.h"
#include "scenarios/migration/inputs/timing.h"

namespace overlane::migration {

CalicoNode::CalicoNode(const Transition& transition, bool protects_conditions,
                       ClusterObjects& objects)
    : transition_(transition),
      protects_conditions_(protects_conditions),
      objects_(objects),
      without_tunnel_(transition.without_tunnel()),
      without_routes_(transition.without_routes()) {
  const node::PacketFilter& before = *transition.from.nodes.front().filter;
  const node::PacketFilter& after = *transition.to.nodes.front().filter;
  auto pools = std::make_shared<node::PacketFilter>(before);
  pools->masqueraded_sources = after.masqueraded_sources;
  pools->unmasqueraded_destinations = after.unmasqueraded_destinations;
  with_new_pools_ = std::move(pools);
  if (after.masqueraded_destinations.empty() || !before.masqueraded_destinations.empty()) return;
  auto without = std::make_shared<node::PacketFilter>(after);
  without->masqueraded_destinations.clear();
  without_nameservers_ = std::move(without);
}

bool CalicoNode::pools_change_masquerading() const {
  return *with_new_pools_ != *transition_.from.nodes.front().filter;
}

std::string CalicoNode::rewrite_routes(node::WorldEditor& world, std::uint32_t node) const {
  if (!objects_.old_agents[node]) {
    connect_to_all(world, node);
    return "writes its pod routes as the target asks for";
  }
  if (transition_.to_routed()) {
    world.node(node).set_cluster(without_tunnel_);
    return "writes its pod routes without the tunnel";
  }
  world.node(node).set_cluster(without_routes_);
  return transition_.changes_ipam() ? "deletes its pod routes: those of VXLAN are Felix's"
                                    : "deletes its pod routes: it has no tunl0";
}

std::string CalicoNode::end(std::uint32_t node, Picos now) {
  if (transition_.ends_bird()) objects_.birds_ended.push_back({now, node});
  if (protects_conditions_ || !transition_.has_bird_before()) return "";
  objects_.set_condition(node, NetworkCondition::Reason::CalicoIsDown, now);
  return ", and marks the node: NetworkUnavailable, CalicoIsDown";
}

std::string CalicoNode::initialize(node::WorldEditor& world, std::uint32_t node) {
  if (!transition_.to_routed()) return "";
  node::NodeEditor& editor = world.node(node);
  editor.set_cluster(without_routes_, {});
  editor.remove_route(pod_cidr(node));
  return fmt::format("{}: cleanup-routes has run", editor.state().member().name);
}

std::string CalicoNode::start(node::WorldEditor& world, std::uint32_t node, Picos now) {
  const node::NodeState& target = transition_.to.nodes[node];
  node::NodeEditor& editor = world.node(node);
  for (const node::Device& device : target.devices)
    editor.set_device(device);
  editor.set_filter(adds_nameserver_rules() ? without_nameservers_ : target.filter);
  if (transition_.has_bird_afterwards()) {
    if (const node::Route* black_hole = target.routes.find(pod_cidr(node)))
      editor.set_route(pod_cidr(node), *black_hole);
    // With an old BIRD, a node has all routes, and keeps them while BIRD restarts.
    if (!transition_.has_bird_before())
      editor.set_cluster(target.cluster, pod_cidrs_of_peers(node));
    objects_.set_condition(node, NetworkCondition::Reason::AgentIsUp, now);
  }
  if (transition_.changes_ipam()) {
    start_vxlan(world, node);
    objects_.set_condition(node, NetworkCondition::Reason::AgentIsUp, now);
  }
  announce_by_bgp(transition_.to, node, world);
  objects_.agents_started.push_back({now, node});
  return fmt::format("{}: Felix has written the node's state", target.member().name);
}

std::string CalicoNode::start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) {
  const node::NodeState& target = transition_.to.nodes[node];
  node::NodeEditor& editor = world.node(node);
  for (const node::Device& device : transition_.from.nodes[node].devices)
    if (target.find_device(device.name) == nullptr) editor.remove_device(device.name);
  editor.set_cluster(without_routes_, {});
  if (target.routes.find(pod_cidr(node)) == nullptr) editor.remove_route(pod_cidr(node));
  const std::string what = start(world, node, now);
  if (transition_.changes_ipam()) {
    for (std::uint32_t peer = 0; peer < transition_.nodes(); ++peer)
      if (peer != node && objects_.is_present(peer) && !objects_.old_agents[peer])
        world.node(peer).restore_route(pod_cidr(node));
    with_blocks_.push_back(node);
  }
  return what;
}

void CalicoNode::start_vxlan(node::WorldEditor& world, std::uint32_t node) const {
  node::NodeEditor& editor = world.node(node);
  const bool had_no_time = transition_.has_bird_before() &&
                           editor.state().cluster == transition_.from.nodes[node].cluster;
  std::vector<std::pair<IpPrefix, node::Route>> stale;
  if (had_no_time)
    for (const IpPrefix& peer : pod_cidrs_of_peers(node))
      if (const auto route = node::find_route(editor.state(), peer))
        stale.emplace_back(peer, route->route);
  editor.set_cluster(transition_.to.nodes[node].cluster, pod_cidrs_of_peers(node));
  for (const auto& [peer, route] : stale)
    editor.set_route(peer, route);
  for (const std::uint32_t peer : with_blocks_)
    editor.restore_route(pod_cidr(peer));
}

std::vector<IpPrefix> CalicoNode::pod_cidrs_of_peers(std::uint32_t node) const {
  std::vector<IpPrefix> pod_cidrs;
  for (const auto& [cidr, member] : transition_.to.nodes[node].cluster->pod_cidrs())
    if (cidr.is_ipv4() && cidr != pod_cidr(node)) pod_cidrs.push_back(cidr);
  return pod_cidrs;
}

bool CalicoNode::is_ready(std::uint32_t node) const {
  return objects_.old_agents[node] || !transition_.has_bird_afterwards() ||
         objects_.sessions[node] > 0;
}

void CalicoNode::connect(node::WorldEditor& world, std::uint32_t a, std::uint32_t b) const {
  world.node(a).restore_route(pod_cidr(b));
  world.node(b).restore_route(pod_cidr(a));
}

std::optional<Picos> BirdExport::next() const {
  if (!has_begun_) return objects_.network_applied_at;
  if (reloads_.empty()) return std::nullopt;
  return reloads_.back().first;
}

void BirdExport::act(node::WorldEditor& world, Picos now) {
  if (!std::exchange(has_begun_, true)) {
    for (std::uint32_t node = 0; node < objects_.old_agents.size(); ++node)
      if (calico_.has_bird(node) && objects_.is_present(node))
        reloads_.emplace_back(now + drawn(timing_.bird_reload, seed_, Drawer::BirdReload, node),
                              node);
    std::ranges::sort(reloads_, std::greater());
    return;
  }
  const std::uint32_t node = reloads_.back().second;
  reloads_.pop_back();
  if (!objects_.is_present(node)) return;
  if (!objects_.old_agents[node] && !objects_.is_kept(node))
    return;  // The BIRD of the node has ended before.
  objects_.note(now, "bird",
                fmt::format("{} {}", world.world().nodes[node].member().name,
                            calico_.rewrite_routes(world, node)));
}

Picos BgpSessions::connects_at(const ClusterObjects::Event& start) const {
  return start.at + drawn(timing_.bgp_connect, seed_, Drawer::BgpConnect, start.node);
}

std::optional<Picos> BgpSessions::next() const {
  std::optional<Picos> next;
  if (!connecting_.empty()) next = connecting_.begin()->first;
  for (std::size_t i = seen_; i < objects_.agents_started.size(); ++i) {
    const Picos at = connects_at(objects_.agents_started[i]);
    next = std::min(next.value_or(at), at);
  }
  return next;
}

void BgpSessions::act(node::WorldEditor& world, Picos now) {
  if (!std::exchange(has_begun_, true)) connected_ = objects_.kept_agents;
  for (; seen_ < objects_.agents_started.size(); ++seen_) {
    const ClusterObjects::Event& start = objects_.agents_started[seen_];
    connecting_.emplace(connects_at(start), start.node);
  }
  while (!connecting_.empty() && connecting_.begin()->first == now) {
    const std::uint32_t node = connecting_.begin()->second;
    connecting_.erase(connecting_.begin());
    if (!objects_.is_present(node)) continue;
    connect(world, node);
    objects_.note(now, "bird",
                  fmt::format("{} has {}", world.world().nodes[node].member().name,
                              counted(objects_.sessions[node], "BGP session")));
  }
}

void BgpSessions::connect(node::WorldEditor& world, std::uint32_t node) {
  if (old_birds_run_) {
    calico_.connect_to_all(world, node);
    objects_.sessions[node] = static_cast<std::uint32_t>(objects_.sessions.size() - 1);
    return;
  }
  std::erase_if(connected_, [&](std::uint32_t peer) { return !objects_.is_present(peer); });
  for (const std::uint32_t peer : connected_) {
    calico_.connect(world, node, peer);
    ++objects_.sessions[peer];
  }
  objects_.sessions[node] = static_cast<std::uint32_t>(connected_.size());
  connected_.push_back(node);
}

std::optional<Picos> RouteWithdrawals::next() const {
  if (seen_ == objects_.birds_ended.size()) return std::nullopt;
  return objects_.birds_ended[seen_].at + timing_.graceful_restart;
}

void RouteWithdrawals::act(node::WorldEditor& world, Picos now) {
  const std::uint32_t gone = objects_.birds_ended[seen_++].node;
  std::size_t peers = 0;
  for (std::uint32_t node = 0; node < objects_.old_agents.size(); ++node) {
    if (!objects_.old_agents[node] || !objects_.is_present(node)) continue;
    calico_.withdraw(world, node, gone);
    ++peers;
  }
  if (peers > 0)
    objects_.note(now, "bird",
                  fmt::format("{} withdraw the route to {}", counted(peers, "node"),
                              world.world().nodes[gone].member().name));
}

std::optional<Picos> Masquerading::pools_at() const {
  if (follows_pools_ || !objects_.network_applied_at) return std::nullopt;
  return *objects_.network_applied_at + timing_.felix_pools;
}

std::optional<Picos> Masquerading::rules_at() const {
  if (!calico_.adds_nameserver_rules() || seen_ == objects_.agents_started.size())
    return std::nullopt;
  return objects_.agents_started[seen_].at + timing_.nameserver_rules;
}

std::optional<Picos> Masquerading::next() const {
  const std::optional<Picos> pools = pools_at();
  const std::optional<Picos> rules = rules_at();
  if (pools && rules) return std::min(*pools, *rules);
  return pools ? pools : rules;
}

void Masquerading::act(node::WorldEditor& world, Picos now) {
  if (pools_at() == now) {
    follows_pools_ = true;
    for (std::uint32_t node = 0; node < objects_.old_agents.size(); ++node)
      if (objects_.old_agents[node] || objects_.is_kept(node)) calico_.follow_pools(world, node);
    if (calico_.pools_change_masquerading())
      objects_.note(now, "calico-node", "Felix of old pods masquerades as the new IPPools say");
  }
  while (rules_at() == now) {
    const std::uint32_t node = objects_.agents_started[seen_++].node;
    if (!objects_.is_present(node)) continue;
    calico_.add_nameserver_rules(world, node);
    objects_.note(now, "calico-node",
                  fmt::format("{}: queries to upstream DNS are masqueraded",
                              world.world().nodes[node].member().name));
  }
}

namespace {

/// Calico's default blockSize of an IPv4 pool, which networking-calico does not change.
constexpr std::uint8_t kBlockLength = 26;
constexpr std::uint32_t kBlockAddresses = 1u << (32 - kBlockLength);

/// The blocks of the pod range, numbered from 0.
struct Pool {
  std::uint64_t blocks = 0;
  Ipv4Prefix pods;

  explicit Pool(const Transition& transition) {
    for (const IpPrefix& range : transition.before.pods)
      if (const auto ipv4 = range.ipv4()) {
        pods = *ipv4;
        blocks = ipv4->length < kBlockLength ? 1ull << (kBlockLength - ipv4->length) : 1;
        return;
      }
  }
  /// Returns the blocks of a node's pod CIDR: the first number, and the number after the last.
  std::pair<std::uint64_t, std::uint64_t> of(const IpPrefix& pod_cidr) const {
    const Ipv4Prefix cidr = *pod_cidr.ipv4();
    const std::uint64_t first = (cidr.network.bits - pods.network.bits) / kBlockAddresses;
    const std::uint64_t count =
        cidr.length < kBlockLength ? 1ull << (kBlockLength - cidr.length) : 1;
    return {first, first + count};
  }
};

}  // namespace

std::uint32_t blocks_per_node(const Transition& transition) {
  return std::max(1u, (transition.before.max_pods + kBlockAddresses - 1) / kBlockAddresses);
}

std::uint32_t nodes_with_foreign_blocks(const Transition& transition, std::uint64_t seed) {
  if (!transition.changes_ipam()) return 0;
  const Pool pool(transition);
  if (pool.blocks == 0) return 0;
  std::set<std::uint64_t> claimed;
  const std::uint32_t wanted = blocks_per_node(transition);
  for (std::uint32_t node = 0; node < transition.nodes_at_start(); ++node) {
    RandomStream stream = stream_of(seed, Drawer::IpamBlock, node);
    std::uint64_t block = stream.below(pool.blocks);
    for (std::uint32_t i = 0; i < wanted && claimed.size() < pool.blocks; ++i) {
      while (!claimed.insert(block).second)
        block = (block + 1) % pool.blocks;
    }
  }
  std::uint32_t struck = 0;
  for (std::uint32_t node = 0; node < transition.nodes_at_start(); ++node) {
    const auto [first, end] = pool.of(transition.from.nodes[node].member().ipv4->pod_cidr);
    const auto block = claimed.lower_bound(first);
    struck += block != claimed.end() && *block < end;
  }
  return struck;
}

double probability_of_foreign_blocks(const Transition& transition) {
  if (!transition.changes_ipam()) return 0;
  const Pool pool(transition);
  if (pool.blocks == 0) return 0;
  const auto [first, end] = pool.of(transition.from.nodes.front().member().ipv4->pod_cidr);
  const double nodes = transition.nodes_at_start();
  const double used = static_cast<double>(end - first) * nodes / static_cast<double>(pool.blocks);
  if (used >= 1) return 1;
  return -std::expm1(nodes * blocks_per_node(transition) * std::log1p(-used));
}

}  // namespace overlane::migration

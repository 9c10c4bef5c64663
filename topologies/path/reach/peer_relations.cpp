#include "topologies/path/reach/peer_relations.h"

#include <algorithm>
#include <map>

namespace overlane::path {

void put(Key& key, node::DeviceName name) {
  const std::string_view text = name.view();
  std::array<std::uint64_t, 2> words{};
  for (std::size_t i = 0; i < text.size(); ++i)
    words[i / 8] |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << i % 8 * 8;
  put(key, words[0], words[1]);
}

void put_part(Key& key, const Key& part) {
  put(key, part.size());
  key.insert(key.end(), part.begin(), part.end());
}

std::size_t KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = key.size();
  for (const std::uint64_t word : key)
    hash = murmur_mix(hash ^ word) + word;
  return hash;
}

void LiveAddresses::insert(const OwnedAddress& added) {
  std::vector<OwnedAddress>& owned = sorted_[added.address.is_ipv4() ? 0 : 1];
  owned.insert(std::ranges::lower_bound(owned, added), added);
}

void LiveAddresses::insert(const std::vector<OwnedAddress>& added) {
  for (const OwnedAddress& one : added)
    sorted_[one.address.is_ipv4() ? 0 : 1].push_back(one);
  for (auto& owned : sorted_)
    std::ranges::sort(owned);
}

LiveAddresses::Held LiveAddresses::held(const IpPrefix& prefix) const {
  const std::vector<OwnedAddress>& owned = of(prefix.is_ipv4());
  auto at = std::ranges::lower_bound(owned, prefix.network(), {}, &OwnedAddress::address);
  Held result;
  for (; at != owned.end() && prefix.contains(at->address); ++at) {
    if (result.any && result.only != at->node) return {.any = true, .only = std::nullopt};
    result = {.any = true, .only = at->node};
  }
  return result;
}

bool LiveAddresses::contains(IpAddress address) const {
  const std::vector<OwnedAddress>& owned = of(address.is_ipv4());
  const auto at = std::ranges::lower_bound(owned, address, {}, &OwnedAddress::address);
  return at != owned.end() && at->address == address;
}

std::vector<std::uint32_t> LiveAddresses::sharing() const {
  std::vector<std::uint32_t> nodes;
  for (const auto& owned : sorted_)
    for (std::size_t i = 1; i < owned.size(); ++i) {
      if (owned[i - 1].address != owned[i].address) continue;
      nodes.push_back(owned[i - 1].node);
      nodes.push_back(owned[i].node);
    }
  return nodes;
}

void Literals::number() {
  std::ranges::sort(fixed_);
  fixed_.erase(std::ranges::unique(fixed_).begin(), fixed_.end());
  for (std::uint32_t i = 0; i < fixed_.size(); ++i) {
    numbers_.set(fixed_[i], i);
    if (fixed_[i].is_host()) hosts_.push_back(fixed_[i].network());
  }
}

bool Literals::are_known() const {
  return std::ranges::all_of(
      fixed_, [&](const IpPrefix& prefix) { return numbers_.find(prefix) != nullptr; });
}

bool Literals::touches(const IpPrefix& prefix) const {
  const auto at = std::ranges::lower_bound(hosts_, prefix.network());
  const bool holds_host = at != hosts_.end() && prefix.contains(*at);
  return holds_host || numbers_.find(prefix) != nullptr;
}

void KeyNumbers::enter(std::uint32_t node, Key key) {
  const std::uint32_t number = count();
  class_of_[node] = classes_.try_emplace(std::move(key), number).first->second;
  if (class_of_[node] == number) sizes_.push_back(0);
  ++sizes_[class_of_[node]];
}

void KeyNumbers::leave(std::uint32_t node) {
  if (class_of_[node] != kNone) --sizes_[class_of_[node]];
  class_of_[node] = kNone;
}

namespace {

using node::NodeState;

/// The role of an address of the peer, from 1; 0 if no address is given. Nothing if the address is
/// not the peer's.
std::optional<std::uint8_t> role_of(const node::Member& peer,
                                    const std::optional<IpAddress>& address) {
  std::uint8_t role = 0;
  if (!address) return role;
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const node::MemberAddresses* own = peer.in(family);
    for (const int which : {0, 1, 2}) {
      ++role;
      if (own == nullptr) continue;
      const IpAddress named = which == 0               ? own->node
                              : which == 1             ? own->tunnel
                              : family == Family::Ipv4 ? ipv4_compatible(own->node.ipv4())
                                                       : own->node;
      if (named == *address) return role;
    }
  }
  return std::nullopt;
}

/// The route with roles in place of addresses. Nothing if it contains addresses that are not the
/// peer's.
std::optional<PeerEntry> entry_of(const node::Member& peer, const node::Route& route) {
  PeerEntry entry{.device = route.device,
                  .kind = route.kind,
                  .onlink = route.onlink,
                  .protocol = route.protocol,
                  .mtu = route.mtu};
  const auto via = role_of(peer, route.via);
  const auto tunnel_destination = role_of(peer, route.tunnel_destination);
  if (!via || !tunnel_destination) return std::nullopt;
  entry.via = *via;
  entry.tunnel_destination = *tunnel_destination;
  return entry;
}

std::optional<PeerEntry> entry_of(const NodeState& state, const node::Member& peer,
                                  const IpPrefix& pod_cidr) {
  if (const node::Route* route = state.routes.find(pod_cidr)) return entry_of(peer, *route);
  return PeerEntry{.is_removed = std::ranges::binary_search(state.removed, pod_cidr)};
}

/// The row of the peer with this pod CIDR in the node's cluster table; null if there is none.
const node::MemberIndex* peer_of(const NodeState& state, const IpPrefix& prefix) {
  const node::MemberIndex* peer = state.cluster->pod_cidrs().find(prefix);
  return peer == nullptr || *peer == state.self ? nullptr : peer;
}

}  // namespace

PeerRelations::PeerRelations(const node::World& world, const LiveAddresses& live)
    : world_(world),
      live_(live),
      rows_(world.nodes.size()),
      held_alone_(world.nodes.size()),
      has_routes_(world.nodes.size(), false) {
  for (std::uint32_t n = 0; n < count(); ++n) {
    rows_[n] = world.nodes[n].self;
    nodes_of_row_.resize(std::max<std::size_t>(nodes_of_row_.size(), rows_[n].value + 1));
    nodes_of_row_[rows_[n].value].push_back(n);
  }
}

std::span<const std::uint32_t> PeerRelations::nodes_of(std::uint32_t row) const {
  if (row >= nodes_of_row_.size()) return {};
  return nodes_of_row_[row];
}

const node::Member& PeerRelations::member(std::uint32_t n, std::uint32_t peer) const {
  return world_.nodes[n].cluster->members()[rows_[peer].value];
}

/// Whether the prefix contains live addresses, all of them of this node. Caches the last answer for
/// each node and family.
bool PeerRelations::holds_alone(std::uint32_t node, const IpPrefix& prefix) const {
  auto& [asked, answer] = held_alone_[node][prefix.is_ipv4() ? 0 : 1];
  if (asked != prefix) {
    asked = prefix;
    answer = live_.held(prefix).only == node;
  }
  return answer;
}

std::optional<std::uint32_t> PeerRelations::peer_behind(std::uint32_t n,
                                                        const IpPrefix& prefix) const {
  const node::MemberIndex* row = peer_of(world_.nodes[n], prefix);
  if (row == nullptr) return std::nullopt;
  for (const std::uint32_t node : nodes_of(row->value))
    if (node != n && holds_alone(node, prefix)) return node;
  return std::nullopt;
}

std::optional<PeerEntry> PeerRelations::entry(std::uint32_t n, const IpPrefix& destination) const {
  const auto peer = peer_behind(n, destination);
  if (!peer) return std::nullopt;
  return entry_of(world_.nodes[n], member(n, *peer), destination);
}

bool PeerRelations::is_about_peers(std::uint32_t n, const node::NodeChange& change) const {
  return change.devices.empty() && !change.peers && !change.filter && !change.services &&
         !change.sysctls && !change.destinations.empty() &&
         std::ranges::all_of(change.destinations, [&](const IpPrefix& prefix) {
           const auto peer = peer_behind(n, prefix);
           const node::Route* route = world_.nodes[n].routes.find(prefix);
           return peer && (route == nullptr || entry_of(member(n, *peer), *route));
         });
}

std::uint32_t PeerRelations::relation(std::uint32_t n, std::uint32_t peer) const {
  if (!has_routes_[n]) return 0;
  if (relations_.empty()) relations_.assign(std::size_t{count()} * count(), kStale);
  std::uint16_t& known = relations_[std::size_t{n} * count() + peer];
  if (known == kStale) known = static_cast<std::uint16_t>(find_relation(n, peer));
  return entries_.size() < kMaxEntries ? known : kNoRelation;
}

std::uint32_t PeerRelations::find_relation(std::uint32_t n, std::uint32_t peer) const {
  const NodeState& state = world_.nodes[n];
  if (rows_[peer].value >= state.cluster->members().size()) return 0;
  const node::Member& row = member(n, peer);
  std::uint32_t relation = 0;
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const node::MemberAddresses* addresses = row.in(family);
    if (addresses == nullptr) continue;
    if (n == peer || !holds_alone(peer, addresses->pod_cidr)) continue;
    const auto entry = entry_of(state, row, addresses->pod_cidr);
    if (!entry) continue;  // The route has literals in n's key, so that the peer is named.
    auto at = std::ranges::find(entries_, *entry);
    if (at == entries_.end() && entries_.size() < kMaxEntries) at = entries_.insert(at, *entry);
    relation = relation * kMaxEntries + static_cast<std::uint32_t>(at - entries_.begin()) + 1;
  }
  return relation;
}

Key PeerRelations::spell(std::uint32_t n) const {
  Key text;
  for (const bool ipv4 : {true, false}) {
    std::map<PeerEntry, std::vector<IpPrefix>> said;
    for (const auto& [pod_cidr, row] : world_.nodes[n].cluster->pod_cidrs())
      if (pod_cidr.is_ipv4() == ipv4)
        if (const auto one = entry(n, pod_cidr)) said[*one].push_back(pod_cidr);
    const auto most =
        std::ranges::max_element(said, {}, [](const auto& one) { return one.second.size(); });
    put(text, said.size());
    for (auto one = said.begin(); one != said.end(); ++one) {
      put(text, one == most, one->first.is_removed);
      put(text, one->first.device);
      put(text, one->first.kind, one->first.onlink, one->first.protocol, one->first.mtu,
          one->first.via, one->first.tunnel_destination);
      if (one == most) continue;
      put(text, one->second.size());
      for (const IpPrefix& pod_cidr : one->second)
        put(text, pod_cidr.network().high, pod_cidr.network().low, pod_cidr.bits());
    }
  }
  return text;
}

bool PeerRelations::any_routes() const {
  return std::ranges::find(has_routes_, true) != has_routes_.end();
}

void PeerRelations::forget(std::uint32_t n, std::uint32_t peer) {
  if (!relations_.empty()) relations_[std::size_t{n} * count() + peer] = kStale;
}

void PeerRelations::forget_routes_of(std::uint32_t n) {
  has_routes_[n] = false;
  for (std::uint32_t peer = 0; peer < count(); ++peer)
    forget(n, peer);
}

void PeerRelations::forget_addresses_of(std::uint32_t n) {
  held_alone_[n] = {};
  for (std::uint32_t from = 0; from < count(); ++from)
    forget(from, n);
}

}  // namespace overlane::path

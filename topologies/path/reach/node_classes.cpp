#include "topologies/path/reach/node_classes.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "dataplane/forward/martian.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/node/state/instance_owners.h"

namespace overlane::path {
namespace {

using node::FabricState;
using node::FabricTarget;
using node::Instance;
using node::NodeState;
using node::World;

// Why nodes of one interchangeable class give equal walks.
//
// Let p be a permutation of the nodes that maps each node to one of its class, and f the renaming
// of addresses and prefixes that maps what a node calls its own to what p's node calls its own, by
// role, and leaves everything else as it is ("fixed"). A walk compares addresses for equality,
// tests whether a prefix holds an address, compares prefix lengths, and asks whether an address may
// be forwarded. It does nothing else with them that its outcome depends on: ports drawn from hashes
// of addresses are source ports, by which nothing is decided before the first drop. (Endpoints of
// Services are drawn from hashes, too. Where a first pod's address is a Service's, no two nodes are
// interchangeable.) So if f maps the world to itself and keeps these relations, the walk from p(a)
// to p(b) has the outcome of the walk from a to b, and goes through the renamed nodes.
//
// f maps the world to itself: a node's key spells its state, its instance, its row in each cluster
// table and its cloud routes with what is its own replaced by roles, and everything else literally;
// so the parts of p(a) are the renamed parts of a. What no node's key holds (filters, Services,
// security groups, subnets, other cloud routes) has literals only. For all of these: a literal is
// fixed, and a node whose own address or prefix stands anywhere as a literal is alone in its class:
// it is the only one that has this literal among the fixed prefixes that hold its addresses
// (below), or it is pinned. So is one that is named by its number.
//
// What a node says of most peers of its table alike, their pod CIDRs and addresses by role, f maps
// to what p's node says of its peers, if that says the same, of the same table.
//
// f keeps the relations: what is own is of one node alone, else the nodes are pinned. An own prefix
// holds no address of another node, nor a fixed one (else it is a literal, or the node is pinned),
// and the key says which own addresses it holds. Which fixed prefixes hold an own address is in the
// key, as is whether it may be forwarded, and whose instance owns it: the first of several does, by
// number.

using Key = std::vector<std::uint64_t>;

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = key.size();
    for (const std::uint64_t word : key)
      hash = murmur_mix(hash ^ word) + word;
    return hash;
  }
};

/// What stands in a key in front of an address or prefix.
enum class Term : std::uint64_t { Own = 1, NewOwn, Fixed, None };

/// How a prefix without any node's address in it is spelled.
enum class Empty : std::uint8_t { Fixed, Own };

/// What a node calls its own; positions are roles.
struct OwnTerms {
  std::vector<IpAddress> addresses;
  std::vector<IpPrefix> prefixes;
};

template <typename T>
std::size_t position(const std::vector<T>& values, const T& value) {
  return static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
}

NodePartition partition(const std::vector<Key>& keys, const std::vector<bool>* pinned) {
  NodePartition result;
  std::unordered_map<Key, std::uint32_t, KeyHash> classes;
  for (std::uint32_t n = 0; n < keys.size(); ++n) {
    auto found = static_cast<std::uint32_t>(result.first.size());
    if (pinned == nullptr || !(*pinned)[n])
      found = classes.try_emplace(keys[n], found).first->second;
    if (found == result.first.size()) {
      result.first.push_back(n);
      result.sizes.push_back(0);
    }
    result.class_of.push_back(found);
    ++result.sizes[found];
  }
  return result;
}

/// Numbers values by what they are equal to, whichever object holds them.
template <typename T>
class Numbered {
 public:
  std::uint64_t of(const std::shared_ptr<const T>& value) {
    if (value == nullptr) return 0;
    const auto [at, is_new] = by_object_.try_emplace(value.get(), 0);
    if (!is_new) return at->second;
    const auto same =
        std::ranges::find_if(values_, [&](const T* other) { return *other == *value; });
    const bool is_known = same != values_.end();
    at->second = static_cast<std::uint64_t>(same - values_.begin()) + 1;
    if (!is_known) values_.push_back(value.get());
    return at->second;
  }
  const std::vector<const T*>& values() const { return values_; }

 private:
  std::unordered_map<const T*, std::uint64_t> by_object_;
  std::vector<const T*> values_;
};

class Classifier {
 public:
  Classifier(const World& world, const FirstPods& first_pods, bool sends_mtu)
      : world_(world),
        first_pods_(first_pods),
        sends_mtu_(sends_mtu),
        own_(world.nodes.size()),
        by_state_(world.nodes.size()),
        by_world_(world.nodes.size()),
        pinned_(world.nodes.size(), false) {}

  NodeClasses run() {
    collect_addresses();
    for (std::uint32_t n = 0; n < count(); ++n)
      spell_state(n);
    spell_tables();
    spell_cloud_routes();
    fix_shared();
    pin_mentioned();
    NodeClasses classes;
    classes.by_state = partition(by_state_, nullptr);
    for (std::uint32_t n = 0; n < count(); ++n)
      put_part(by_world_[n], by_state_[n]);
    classes.interchangeable = partition(by_world_, &pinned_);
    for (const auto& of_family : live_)
      classes.owners.insert(classes.owners.end(), of_family.begin(), of_family.end());
    std::ranges::sort(classes.owners);
    return classes;
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(world_.nodes.size()); }
  std::vector<OwnedAddress>& live(bool ipv4) { return live_[ipv4 ? 0 : 1]; }

  void collect_addresses() {
    for (std::uint32_t n = 0; n < count(); ++n) {
      own_[n].addresses = addresses_of(world_, n, first_pods_[n]);
      for (const IpAddress address : own_[n].addresses)
        live(address.is_ipv4()).push_back({address, n});
      // Masks in keys have a bit for each.
      if (own_[n].addresses.size() > 64) pinned_[n] = true;
    }
    for (auto& of_family : live_) {
      std::ranges::sort(of_family);
      for (std::size_t i = 1; i < of_family.size(); ++i) {
        if (of_family[i - 1].address != of_family[i].address) continue;
        pinned_[of_family[i - 1].node] = pinned_[of_family[i].node] = true;
      }
    }
  }

  /// The node of all live addresses in a prefix; nothing when these are none, or of several nodes.
  struct Held {
    bool any = false;
    std::optional<std::uint32_t> only;
  };
  Held held(const IpPrefix& prefix) {
    const auto& addresses = live(prefix.is_ipv4());
    auto at = std::ranges::lower_bound(addresses, prefix.network(), {}, &OwnedAddress::address);
    Held result;
    for (; at != addresses.end() && prefix.contains(at->address); ++at) {
      if (result.any && result.only != at->node) return {.any = true, .only = std::nullopt};
      result = {.any = true, .only = at->node};
    }
    return result;
  }

  template <typename... Words>
  static void put(Key& key, Words... words) {
    (key.push_back(static_cast<std::uint64_t>(words)), ...);
  }
  /// With its length, so that no two keys of different parts are equal.
  static void put_part(Key& key, const Key& part) {
    put(key, part.size());
    key.insert(key.end(), part.begin(), part.end());
  }
  static void put(Key& key, node::DeviceName name) {
    const std::string_view text = name.view();
    std::array<std::uint64_t, 2> words{};
    for (std::size_t i = 0; i < text.size(); ++i)
      words[i / 8] |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << i % 8 * 8;
    put(key, words[0], words[1]);
  }

  void fix(const IpPrefix& prefix) { fixed_.push_back(prefix); }
  void fix(IpAddress address) { fix(IpPrefix::host(address)); }
  void fix(const std::vector<IpPrefix>& prefixes) {
    for (const IpPrefix& prefix : prefixes)
      fix(prefix);
  }

  /// False: it is a literal.
  bool spell(Key& key, std::uint32_t n, IpAddress address) {
    const std::size_t role = position(own_[n].addresses, address);
    if (role < own_[n].addresses.size()) {
      put(key, Term::Own, role);
      return true;
    }
    put(key, Term::Fixed, address.high, address.low);
    fix(address);
    // sit0's next hop stands for an IPv4 address.
    if (const auto ipv4 = ipv4_in_compatible(address)) fix(IpAddress(*ipv4));
    return false;
  }
  bool spell(Key& key, std::uint32_t n, const std::optional<IpAddress>& address) {
    if (address) return spell(key, n, *address);
    put(key, Term::None);
    return true;
  }
  bool spell(Key& key, std::uint32_t n, const IpPrefix& prefix, Empty empty = Empty::Fixed) {
    OwnTerms& own = own_[n];
    const std::size_t role = position(own.prefixes, prefix);
    if (role < own.prefixes.size()) {
      put(key, Term::Own, role);
      return true;
    }
    const Held within = held(prefix);
    if (within.any ? within.only != n : empty == Empty::Fixed) {
      put(key, Term::Fixed, prefix.network().high, prefix.network().low, prefix.bits());
      fix(prefix);
      return false;
    }
    own.prefixes.push_back(prefix);
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < own.addresses.size() && i < 64; ++i)
      mask |= static_cast<std::uint64_t>(prefix.contains(own.addresses[i])) << i;
    put(key, Term::NewOwn, prefix.bits(), prefix.is_ipv4(), mask);
    if (const auto ipv4 = prefix.ipv4()) put(key, position(own.addresses, IpAddress(ipv4->last())));
    return true;
  }

  void spell_state(std::uint32_t n) {
    const NodeState& state = world_.nodes[n];
    Key& key = by_state_[n];
    put(key, world_.stopped.contains(n), first_pods_[n].has_value());
    if (const auto& pod = first_pods_[n]) put(key, pod->mtu, sends_mtu_ ? pod->sending_mtu() : 0);
    put(key, own_[n].addresses.size());
    for (const IpAddress address : own_[n].addresses)
      put(key, address.is_ipv4());
    put(key, tables_.of(state.cluster), filters_.of(state.filter), services_.of(state.services));
    spell_devices(n);
    spell_routes(n);
    spell_removed(n);
    const node::Sysctls& sysctls = state.sysctls;
    put(key, sysctls.rp_filter_all, sysctls.ip_forward, sysctls.ipv6_forwarding,
        sysctls.icmp_ratelimit, sysctls.route_error_cost, sysctls.ipfrag_time, sysctls.ip6frag_time,
        state.kernel.tunnel_pmtu_honours_inner_df);
    put(key, state.pod_device_prefix);
    spell_instance(n);
    // Another pod that shares a live address.
    Key others;
    for (const node::LocalPod& pod : state.pods) {
      if (first_pods_[n] && pod.address == first_pods_[n]->address) continue;
      if (!held(IpPrefix::host(pod.address)).any) continue;
      put(others, pod.address.high, pod.address.low, pod.mtu);
      fix(pod.address);
    }
    put_part(by_world_[n], others);
  }

  void spell_devices(std::uint32_t n) {
    Key& key = by_state_[n];
    put(key, world_.nodes[n].devices.size());
    for (const node::Device& device : world_.nodes[n].devices) {
      put(key, device.name);
      put(key, device.kind, device.mtu, device.underlay, device.external, device.vni,
          device.udp_port, device.allows_nodes, device.up, device.rp_filter,
          device.addresses.size());
      for (const IpAddress address : device.addresses)
        spell(key, n, address);
      spell(key, n, device.remote);
    }
  }

  /// The peer in whose row of the node's own table this is the pod CIDR.
  const node::MemberIndex* peer_of(const NodeState& state, const IpPrefix& prefix) const {
    const node::MemberIndex* peer = state.cluster->pod_cidrs().find(prefix);
    return peer == nullptr || *peer == state.self ? nullptr : peer;
  }

  /// What a node says about most of its peers alike is spelled once for a family. The other peers
  /// are literals then: `exceptions`.
  struct AboutPeers {
    std::array<std::optional<Key>, 2> alike;  ///< IPv4, IPv6.
    std::set<IpPrefix> exceptions;            ///< Pod CIDRs.

    bool covers(const IpPrefix& pod_cidr) const {
      return alike[pod_cidr.is_ipv4() ? 0 : 1] && !exceptions.contains(pod_cidr);
    }
  };
  /// `said`: by pod CIDR.
  AboutPeers about_peers(const NodeState& state, const std::map<IpPrefix, Key>& said) const {
    AboutPeers result;
    for (const bool ipv4 : {true, false}) {
      std::map<Key, std::size_t> frequency;
      for (const auto& [pod_cidr, text] : said)
        if (pod_cidr.is_ipv4() == ipv4) ++frequency[text];
      const auto most =
          std::ranges::max_element(frequency, {}, &std::pair<const Key, std::size_t>::second);
      if (most == frequency.end()) continue;
      std::size_t peers = 0;
      std::vector<IpPrefix> others;
      for (const auto& [pod_cidr, ignored] : state.cluster->pod_cidrs()) {
        if (pod_cidr.is_ipv4() != ipv4 || peer_of(state, pod_cidr) == nullptr) continue;
        ++peers;
        const auto text = said.find(pod_cidr);
        if (text == said.end() || text->second != most->first) others.push_back(pod_cidr);
      }
      if (others.size() >= peers / 2) continue;
      result.alike[ipv4 ? 0 : 1] = most->first;
      result.exceptions.insert(others.begin(), others.end());
    }
    return result;
  }
  void spell_peers(std::uint32_t n, const AboutPeers& peers) {
    Key& key = by_state_[n];
    for (const std::optional<Key>& alike : peers.alike) {
      put(key, alike.has_value());
      put_part(key, alike.value_or(Key{}));
    }
    put(key, peers.exceptions.size());
    for (const IpPrefix& pod_cidr : peers.exceptions) {
      put(key, pod_cidr.network().high, pod_cidr.network().low, pod_cidr.bits());
      fix(pod_cidr);
    }
  }
  /// Whether it is worth looking for what is alike.
  static bool has_many(const NodeState& state, std::size_t entries) {
    return entries > state.cluster->pod_cidrs().size() / 4;
  }

  void spell_routes(std::uint32_t n) {
    const NodeState& state = world_.nodes[n];
    std::map<IpPrefix, Key> to_peers;
    if (has_many(state, state.routes.size())) {
      for (const auto& [destination, route] : state.routes) {
        const node::MemberIndex* peer = peer_of(state, destination);
        if (peer == nullptr) continue;
        const node::Member& member = state.cluster->members()[peer->value];
        to_peers.emplace(destination, route_to_peer(member, route));
      }
    }
    const AboutPeers peers = about_peers(state, to_peers);
    spell_peers(n, peers);
    Key others;
    for (const auto& [destination, route] : state.routes) {
      const bool is_covered = to_peers.contains(destination) && peers.covers(destination);
      if (!is_covered) spell_route(others, n, destination, route);
    }
    put_part(by_state_[n], others);
  }
  void spell_route(Key& key, std::uint32_t n, const IpPrefix& destination,
                   const node::Route& route) {
    const bool is_own = spell(key, n, destination);
    spell_rest(key, route);
    spell(key, n, route.via);
    spell(key, n, route.tunnel_destination);
    // A broadcast address: martian.h.
    const bool is_subnet = route.protocol == node::RouteProtocol::Kernel && !route.via;
    const auto ipv4 = destination.ipv4();
    if (ipv4 && is_subnet && !is_own) fix(IpAddress(ipv4->last()));
  }
  static void spell_rest(Key& key, const node::Route& route) {
    put(key, route.device);
    put(key, route.kind, route.onlink, route.protocol, route.mtu);
  }
  /// With the peer's addresses by role.
  Key route_to_peer(const node::Member& peer, const node::Route& route) {
    Key key;
    spell_rest(key, route);
    for (const auto& address : {route.via, route.tunnel_destination}) {
      std::uint64_t role = 0;
      std::uint64_t found = 0;
      for (const Family family : {Family::Ipv4, Family::Ipv6}) {
        const node::MemberAddresses* own = peer.in(family);
        const bool ipv4 = family == Family::Ipv4;
        for (const int which : {0, 1, 2}) {
          ++role;
          if (!address || own == nullptr || found != 0) continue;
          const IpAddress named = which == 0   ? own->node
                                  : which == 1 ? own->tunnel
                                  : ipv4       ? ipv4_compatible(own->node.ipv4())
                                               : own->node;
          if (named == *address) found = role;
        }
      }
      put(key, address.has_value(), found);
      if (!address || found != 0) continue;
      put(key, address->high, address->low);
      fix(*address);
      if (const auto ipv4 = ipv4_in_compatible(*address)) fix(IpAddress(*ipv4));
    }
    return key;
  }

  void spell_removed(std::uint32_t n) {
    const NodeState& state = world_.nodes[n];
    std::map<IpPrefix, Key> of_peers;
    if (has_many(state, state.removed.size())) {
      for (const IpPrefix& prefix : state.removed)
        if (peer_of(state, prefix) != nullptr) of_peers.emplace(prefix, Key{});
    }
    const AboutPeers peers = about_peers(state, of_peers);
    spell_peers(n, peers);
    Key others;
    for (const IpPrefix& prefix : state.removed) {
      const bool is_covered = of_peers.contains(prefix) && peers.covers(prefix);
      if (!is_covered) spell(others, n, prefix, prefix.is_host() ? Empty::Own : Empty::Fixed);
    }
    put_part(by_state_[n], others);
  }

  void spell_instance(std::uint32_t n) {
    Key& key = by_state_[n];
    const Instance& instance = world_.fabric.instances.at(n);
    put(key, instance.subnet, instance.source_destination_check, instance.groups.size());
    for (const std::uint32_t group : instance.groups)
      put(key, group);
    put(key, instance.addresses.size());
    for (const IpAddress address : instance.addresses)
      spell(key, n, address);
    put(key, instance.prefixes.size());
    // A prefix that is not the node's alone may make its instance own addresses of others.
    for (const IpPrefix& prefix : instance.prefixes)
      if (!spell(key, n, prefix, Empty::Own)) pinned_[n] = true;
    put(key, instance.allowed.size());
    for (const IpPrefix& prefix : instance.allowed)
      spell(key, n, prefix, Empty::Own);
  }

  /// What each table says about each node. Its rows are numbered, and the numbers are used.
  void spell_tables() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> nodes_of_row;
    for (std::uint32_t n = 0; n < count(); ++n)
      nodes_of_row[world_.nodes[n].self.value].push_back(n);
    for (const auto& [row, nodes] : nodes_of_row) {
      for (const std::uint32_t n : nodes)
        if (nodes.size() > 1) pinned_[n] = true;
    }
    constexpr std::size_t kMostTables = 16;
    if (tables_.values().size() > kMostTables) return pinned_.assign(count(), true);
    for (const node::ClusterTable* table : tables_.values()) {
      std::vector<Key> said(count());
      for (std::uint32_t row = 0; row < table->members().size(); ++row) {
        const node::Member& member = table->members()[row];
        const auto nodes = nodes_of_row.find(row);
        if (nodes == nodes_of_row.end()) {
          fix_row(member);
        } else if (const std::uint32_t n = nodes->second.front();
                   !spell_row(said[n], n, *table, member)) {
          pinned_[n] = true;
        }
      }
      for (std::uint32_t n = 0; n < count(); ++n)
        put_part(by_world_[n], said[n]);
    }
  }
  /// False: not all of it is the node's own.
  bool spell_row(Key& key, std::uint32_t n, const node::ClusterTable& table,
                 const node::Member& member) {
    put(key, member.subnet);
    bool is_own = true;
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      const node::MemberAddresses* addresses = member.in(family);
      put(key, addresses != nullptr);
      if (addresses == nullptr) continue;
      is_own &= spell(key, n, addresses->node);
      is_own &= spell(key, n, addresses->tunnel);
      is_own &= spell(key, n, addresses->pod_cidr);
      // The first of several rows counts.
      const node::MemberIndex* owner = table.pod_cidrs().find(addresses->pod_cidr);
      is_own &= owner != nullptr && owner->value == world_.nodes[n].self.value;
    }
    return is_own;
  }
  void fix_row(const node::Member& member) {
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      const node::MemberAddresses* addresses = member.in(family);
      if (addresses == nullptr) continue;
      fix(addresses->node);
      fix(addresses->tunnel);
      fix(addresses->pod_cidr);
    }
  }

  void spell_cloud_routes() {
    const FabricState& fabric = world_.fabric;
    std::vector<Key> said(count());
    for (std::uint32_t table = 0; table < fabric.route_tables.size(); ++table) {
      for (const auto& [destination, route] : fabric.route_tables[table].routes) {
        const bool names_node = route.target == FabricTarget::Instance;
        const auto only = held(destination).only;
        if (only) {
          Key& key = said[*only];
          put(key, table);
          spell(key, *only, destination);
          put(key, route.target, names_node && route.instance == *only,
              names_node && route.instance != *only ? route.instance : 0);
        } else {
          fix(destination);
        }
        if (names_node && only != route.instance) pinned_.at(route.instance) = true;
      }
    }
    for (std::uint32_t n = 0; n < count(); ++n)
      put_part(by_world_[n], said[n]);
  }

  /// The literals of what nodes share.
  void fix_shared() {
    for (const node::PacketFilter* filter : filters_.values()) {
      fix(filter->masqueraded_sources);
      fix(filter->unmasqueraded_destinations);
      fix(filter->masqueraded_destinations);
      for (const node::TunnelGuard& guard : filter->tunnel_guards)
        fix(guard.networks);
    }
    for (const node::ServiceTable* services : services_.values()) {
      fix(services->pods());
      for (const node::Service& service : services->services()) {
        const IpAddress front = service.front.address;
        fix(front);
        const auto bears = [=](const auto& pod) { return pod && pod->address == front; };
        if (std::ranges::any_of(first_pods_, bears)) pinned_.assign(count(), true);
      }
    }
    for (const node::SecurityGroup& group : world_.fabric.groups)
      for (const node::FabricRule& rule : group.rules)
        fix(rule.networks);
    for (const node::Subnet& subnet : world_.fabric.subnets)
      fix(subnet.cidrs);
    IpAddress link_local;  // node::answers_for.
    link_local.high = 0xfe80ull << 48;
    link_local.low = 0;
    fix(IpPrefix::containing(link_local, 10));
  }

  void pin_mentioned() {
    std::ranges::sort(fixed_);
    fixed_.erase(std::ranges::unique(fixed_).begin(), fixed_.end());
    fib::PrefixTable<std::uint32_t> numbers;
    std::vector<IpAddress> hosts;
    for (std::uint32_t i = 0; i < fixed_.size(); ++i) {
      numbers.set(fixed_[i], i);
      if (fixed_[i].is_host()) hosts.push_back(fixed_[i].network());
    }
    const node::InstanceOwners owners(world_.fabric);
    for (std::uint32_t n = 0; n < count(); ++n) {
      for (const IpPrefix& prefix : own_[n].prefixes) {
        const auto at = std::ranges::lower_bound(hosts, prefix.network());
        const bool holds_fixed = at != hosts.end() && prefix.contains(*at);
        if (holds_fixed || numbers.find(prefix) != nullptr) pinned_[n] = true;
      }
      for (const node::LocalPod& pod : world_.nodes[n].pods)
        if (std::ranges::binary_search(hosts, pod.address)) pinned_[n] = true;
      put(by_world_[n], own_[n].addresses.size());
      for (const IpAddress address : own_[n].addresses) {
        Key holders;
        put(holders, forward::is_forwardable(address));
        const std::uint32_t owner = owners.find(address).value_or(count());
        put(holders, owner == n ? 0 : owner + 1);
        numbers.longest_match(address, [&](const IpPrefix&, std::uint32_t number) {
          put(holders, number);
          return false;
        });
        put_part(by_world_[n], holders);
      }
    }
  }

  const World& world_;
  const FirstPods& first_pods_;
  bool sends_mtu_;
  std::vector<OwnTerms> own_;
  std::vector<Key> by_state_;
  std::vector<Key> by_world_;  ///< What `by_state_` does not say.
  std::vector<bool> pinned_;
  std::array<std::vector<OwnedAddress>, 2> live_;  ///< IPv4, IPv6; sorted.
  std::vector<IpPrefix> fixed_;
  Numbered<node::ClusterTable> tables_;
  Numbered<node::PacketFilter> filters_;
  Numbered<node::ServiceTable> services_;
};

}  // namespace

bool NodeClasses::is_fixed(IpAddress address) const {
  auto at = std::ranges::lower_bound(owners, address, {}, &OwnedAddress::address);
  for (; at != owners.end() && at->address == address; ++at)
    if (!interchangeable.is_alone(at->node)) return false;
  return true;
}

FirstPods first_pods(const World& world, Family family) {
  FirstPods pods;
  for (const NodeState& state : world.nodes) {
    const auto at = std::ranges::find_if(
        state.pods, [=](const node::LocalPod& pod) { return pod.address.family() == family; });
    pods.push_back(at == state.pods.end() ? std::nullopt : std::optional(*at));
  }
  return pods;
}

std::vector<IpAddress> addresses_of(const World& world, std::uint32_t number,
                                    const std::optional<node::LocalPod>& first_pod) {
  const NodeState& state = world.nodes.at(number);
  std::vector<IpAddress> addresses;
  const auto add = [&](IpAddress address) {
    if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
  };
  if (first_pod) add(first_pod->address);
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const node::MemberAddresses* own = state.member().in(family);
    if (own == nullptr) continue;
    add(own->node);
    add(own->tunnel);
  }
  for (const node::Device& device : state.devices)
    for (const IpAddress address : device.addresses)
      add(address);
  for (const IpAddress address : world.fabric.instances.at(number).addresses)
    add(address);
  return addresses;
}

NodeClasses classify(const World& world, const FirstPods& first_pods, bool sends_mtu) {
  return Classifier(world, first_pods, sends_mtu).run();
}

}  // namespace overlane::path

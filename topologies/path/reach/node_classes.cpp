#include "topologies/path/reach/node_classes.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "dataplane/forward/state_lookup.h"
#include "dataplane/node/state/fabric_state.h"

namespace overlane::path {
namespace classification {

using node::FabricState;
using node::FabricTarget;
using node::Instance;
using node::NodeState;
using node::World;

// Why walks between nodes of the same interchangeable classes have equal outcomes.
//
// A node's own terms are the addresses and prefixes that belong to it alone. Its key describes its
// configuration with own terms replaced by their roles and with all other terms as literals. Nodes
// with equal keys form a class. A named node is in no class.
//
// Let p be a permutation of the nodes that maps each node to a node of its class. Let f be the
// renaming of terms that maps each own term of a node n to the own term of p(n) with the same role,
// and leaves all other terms unchanged ("fixed"). A walk compares addresses for equality, tests
// whether a prefix contains an address, compares prefix lengths, and tests whether an address is
// forwardable. Its outcome depends on addresses in no other way: ports drawn from hashes of
// addresses are source ports, on which no decision before the first drop depends. (Endpoints of
// Services are also drawn from hashes. If a first pod has the address of a Service, no two nodes
// are interchangeable.) So if f maps the world to itself and preserves the results of these tests,
// the walk from p(a) to p(b) has the outcome of the walk from a to b, over the renamed nodes.
//
// f maps the world to itself: the key of a node describes its state, its instance, its row in each
// cluster table and its cloud routes, so the parts of p(a) are the renamed parts of a. Objects that
// are in no node's key (filters, Services, security groups, subnets, other cloud routes) contain
// only literals. Literals are fixed: a node with an own address or prefix that is a literal
// anywhere is alone in its class, because no other node has this literal among the fixed prefixes
// that contain its addresses (below), or it is named. A node is also named if another object refers
// to it by number.
//
// A node's own routes to a peer's pods that contain only addresses of this peer are in no key: they
// are the relation of the two nodes (peer_relations.h). A walk that looks up only addresses of its
// two nodes uses no route to the pods of another peer, so f need only preserve the relations of its
// two nodes.
//
// f preserves the results of the tests: an own term belongs to one node only; otherwise its nodes
// are named. An own prefix contains no address of another node and no fixed address (otherwise the
// prefix is a literal, or the node is named), and the key says which own addresses it contains. For
// each own address the key has the fixed prefixes that contain it, whether it is forwardable, and
// the instance that owns it (the one with the smallest number).
//
// While a world changes, the keys of unchanged nodes stay valid under three conditions: nodes lose
// no address and get new addresses only inside their own prefixes; no new literal, table, filter or
// list of Services appears; and the fabric changes only in routes whose destinations belong to one
// node. Then f may also map the world at one time to the world at a later time. Literals that no
// state contains any more make the classes finer than necessary, which is safe.

/// Tag in a key that precedes an address or prefix.
enum class Term : std::uint64_t { Own = 1, NewOwn, Fixed, None };

/// How a key contains a prefix that holds no node's address: as a literal, or as an own term.
enum class Empty : std::uint8_t { Fixed, Own };

/// The own terms of one node; the position in its list is the role of a term.
struct OwnTerms {
  std::vector<IpAddress> addresses;
  std::vector<IpPrefix> prefixes;
};

template <typename T>
std::size_t position(const std::vector<T>& values, const T& value) {
  return static_cast<std::size_t>(std::ranges::find(values, value) - values.begin());
}

NodePartition partition(const std::vector<Key>& keys) {
  NodePartition result;
  std::unordered_map<Key, std::uint32_t, KeyHash> classes;
  for (std::uint32_t n = 0; n < keys.size(); ++n) {
    const auto next = static_cast<std::uint32_t>(result.first.size());
    const std::uint32_t found = classes.try_emplace(keys[n], next).first->second;
    if (found == next) {
      result.first.push_back(n);
      result.sizes.push_back(0);
    }
    result.class_of.push_back(found);
    ++result.sizes[found];
  }
  return result;
}

/// Gives equal values equal numbers from 1, even if they are different objects; 0: null.
template <typename T>
class Numbered {
 public:
  std::uint64_t of(const std::shared_ptr<const T>& value) {
    if (value == nullptr) return 0;
    const auto [at, is_new] = by_object_.try_emplace(value, 0);
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
  std::unordered_map<std::shared_ptr<const T>, std::uint64_t> by_object_;
  std::vector<const T*> values_;
};

}  // namespace classification

using namespace classification;

/// Computes the keys of all nodes and follows changes of the world. The functions spell_…() append
/// a part of a node's configuration to its key; fix() makes a term a literal.
class NodeClasses::Classifier {
 public:
  Classifier(const World& world, const FirstPods& first_pods, bool sends_mtu)
      : world_(world),
        first_pods_(first_pods),
        sends_mtu_(sends_mtu),
        own_(world.nodes.size()),
        by_state_(world.nodes.size()),
        by_world_(world.nodes.size()),
        is_named_(world.nodes.size(), false),
        named_for_all_(world.nodes.size(), false),
        cloud_routes_(world.nodes.size()),
        classes_(world.nodes.size()) {
    assert(first_pods.size() == world.nodes.size());
    collect_addresses();
    for (std::uint32_t n = 0; n < count(); ++n)
      spell_state(n);
    collect_rows();
    collect_cloud_routes();
    for (std::uint32_t n = 0; n < count(); ++n) {
      spell_rows(n);
      spell_cloud_routes(n);
    }
    fix_shared();
    literals_.number();
    for (std::uint32_t n = 0; n < count(); ++n) {
      spell_holders(n);
      enter_class(n);
    }
  }

  bool follow(const node::WorldChange& change) {
    const node::FabricChange& fabric = change.fabric;
    if (fabric.all || !fabric.groups.empty() || !fabric.instances.empty()) return false;
    std::set<std::uint32_t> changed(change.stopped.begin(), change.stopped.end());
    changed.insert(change.started.begin(), change.started.end());
    for (const auto& [n, of_node] : change.nodes) {
      if (peers_.is_about_peers(n, of_node)) {
        peers_.set_routes(n, true);
        for (const IpPrefix& destination : of_node.destinations)
          peers_.forget(n, *peers_.peer_behind(n, destination));
      } else {
        changed.insert(n);
      }
    }
    for (const auto& [table, destination] : fabric.destinations) {
      const std::optional<std::uint32_t> holder = follow_cloud_route(table, destination);
      if (!holder) return false;
      changed.insert(*holder);
    }
    if (!std::ranges::all_of(changed, [&](std::uint32_t n) { return spell_again(n); }))
      return false;
    // Classes that all nodes have left keep their numbers; start anew before there are too many.
    return classes_.count() <= 4 * std::size_t{count()} + 64;
  }

  const KeyNumbers& classes() const { return classes_; }
  const PeerRelations& peers() const { return peers_; }
  bool is_owned(IpAddress address) const { return live_.contains(address); }
  bool is_fixed(IpAddress address) const {
    return live_.all_of(address, [&](std::uint32_t n) { return classes_.is_alone(n); });
  }
  NodePartition by_state() const {
    std::vector<Key> keys = by_state_;
    for (std::uint32_t n = 0; n < count(); ++n)
      put_part(keys[n], peers_.spell(n));
    return partition(keys);
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(world_.nodes.size()); }
  /// Adds new addresses of a node that are inside its own prefixes. Returns false if the node has
  /// other new addresses or has lost one.
  bool follow_addresses(std::uint32_t n) {
    std::vector<IpAddress> now = addresses_of(world_, n, first_pods_[n]);
    const std::vector<IpAddress>& before = own_[n].addresses;
    const auto is_there = [&](IpAddress address) {
      return std::ranges::find(now, address) != now.end();
    };
    if (!std::ranges::all_of(before, is_there) || now.size() > 64) return false;
    for (const IpAddress address : now) {
      if (std::ranges::find(before, address) != before.end()) continue;
      const auto around = std::ranges::find_if(own_[n].prefixes, [&](const IpPrefix& prefix) {
        return prefix.contains(address) && live_.held(prefix).only == n;
      });
      if (around == own_[n].prefixes.end()) return false;
      // No literal that contains the address may be longer than the own prefix around it.
      bool is_free = true;
      literals_.holders(address, [&](const IpPrefix& literal, std::uint32_t) {
        is_free = is_free && literal.bits() <= around->bits();
      });
      if (!is_free) return false;
      live_.insert(OwnedAddress{address, n});
      peers_.forget_addresses_of(n);
    }
    own_[n].addresses = std::move(now);
    return true;
  }

  /// Recomputes the keys of a changed node. Returns false if the change may affect all nodes.
  bool spell_again(std::uint32_t n) {
    if (world_.nodes[n].self.value != peers_.row_of(n)) return false;
    if (!follow_addresses(n)) return false;
    const auto shared = [&] {
      return tables_.values().size() + filters_.values().size() + services_.values().size();
    };
    const std::size_t before = shared();
    classes_.leave(n);
    own_[n].prefixes.clear();
    by_state_[n].clear();
    by_world_[n].clear();
    is_named_[n] = named_for_all_[n];
    peers_.forget_routes_of(n);
    literals_.begin_again();
    spell_state(n);
    if (shared() != before) return false;
    spell_rows(n);
    spell_cloud_routes(n);
    if (!literals_.are_known()) return false;
    spell_holders(n);
    enter_class(n);
    return true;
  }

  void enter_class(std::uint32_t n) {
    if (is_named_[n]) return;
    Key key = by_world_[n];
    put_part(key, by_state_[n]);
    classes_.enter(n, std::move(key));
  }

  /// Marks a node as not interchangeable, regardless of later changes of its own state.
  void name_for_all(std::uint32_t n) { named_for_all_[n] = is_named_[n] = true; }
  void name_all() {
    for (std::uint32_t n = 0; n < count(); ++n)
      name_for_all(n);
  }

  void collect_addresses() {
    std::vector<OwnedAddress> live;
    for (std::uint32_t n = 0; n < count(); ++n) {
      own_[n].addresses = addresses_of(world_, n, first_pods_[n]);
      for (const IpAddress address : own_[n].addresses)
        live.push_back({address, n});
      // Keys have masks of 64 bits with a bit for each own address.
      if (own_[n].addresses.size() > 64) name_for_all(n);
    }
    live_.insert(live);
    for (const std::uint32_t n : live_.sharing())
      name_for_all(n);
  }

  template <typename Literal>
  void fix(const Literal& literal) {
    literals_.fix(literal);
  }

  /// Appends an address to a key of node n. Returns false if it becomes a literal.
  bool spell(Key& key, std::uint32_t n, IpAddress address) {
    const std::size_t role = position(own_[n].addresses, address);
    if (role < own_[n].addresses.size()) {
      put(key, Term::Own, role);
      return true;
    }
    put(key, Term::Fixed, address.high, address.low);
    fix(address);
    // sit0's next hop is an IPv6 address that embeds an IPv4 address.
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
    const LiveAddresses::Held within = live_.held(prefix);
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
    // Other pods whose addresses walks may look up.
    Key others;
    for (const node::LocalPod& pod : state.pods) {
      if (first_pods_[n] && pod.address == first_pods_[n]->address) continue;
      if (!live_.contains(pod.address)) continue;
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

  void spell_routes(std::uint32_t n) {
    Key others;
    for (const auto& [destination, route] : world_.nodes[n].routes) {
      if (peers_.entry(n, destination)) {
        peers_.set_routes(n, true);
      } else {
        spell_route(others, n, destination, route);
      }
    }
    put_part(by_state_[n], others);
  }
  void spell_route(Key& key, std::uint32_t n, const IpPrefix& destination,
                   const node::Route& route) {
    const bool is_own = spell(key, n, destination);
    spell_rest(key, route);
    spell(key, n, route.via);
    spell(key, n, route.tunnel_destination);
    // The last address of a connected subnet is a broadcast address (forward/state_lookup.h).
    const bool is_subnet = route.protocol == node::RouteProtocol::Kernel && !route.via;
    const auto ipv4 = destination.ipv4();
    if (ipv4 && is_subnet && !is_own) fix(IpAddress(ipv4->last()));
  }
  static void spell_rest(Key& key, const node::Route& route) {
    put(key, route.device);
    put(key, route.kind, route.onlink, route.protocol, route.mtu);
  }
  void spell_removed(std::uint32_t n) {
    Key others;
    for (const IpPrefix& prefix : world_.nodes[n].removed) {
      if (peers_.entry(n, prefix)) {
        peers_.set_routes(n, true);
      } else {
        spell(others, n, prefix, prefix.is_host() ? Empty::Own : Empty::Fixed);
      }
    }
    put_part(by_state_[n], others);
  }

  void spell_instance(std::uint32_t n) {
    Key& key = by_state_[n];
    const Instance& instance = world_.fabric.instances.at(n);
    put(key, instance.subnet, instance.source_destination_check, instance.groups.size());
    if (world_.fabric.path_mtu != node::FabricPathMtu{}) put(key, zone_number(instance));
    for (const std::uint32_t group : instance.groups)
      put(key, group);
    put(key, instance.addresses.size());
    for (const IpAddress address : instance.addresses)
      spell(key, n, address);
    put(key, instance.prefixes.size());
    // Through a prefix that is not an own term, the instance may own addresses of other nodes.
    for (const IpPrefix& prefix : instance.prefixes)
      if (!spell(key, n, prefix, Empty::Own)) is_named_[n] = true;
    put(key, instance.allowed.size());
    for (const IpPrefix& prefix : instance.allowed)
      spell(key, n, prefix, Empty::Own);
  }

  std::size_t zone_number(const Instance& instance) {
    return zones_.try_emplace(std::string(node::zone_of(world_.fabric, instance)), zones_.size())
        .first->second;
  }

  /// Names nodes that share a row of the cluster tables, and fixes rows that belong to no node.
  void collect_rows() {
    for (const auto& nodes : peers_.nodes_of_rows())
      if (nodes.size() > 1) std::ranges::for_each(nodes, [&](auto n) { name_for_all(n); });
    constexpr std::size_t kMaxTables = 16;
    if (tables_.values().size() > kMaxTables) return name_all();
    for (const node::ClusterTable* table : tables_.values())
      for (std::uint32_t row = 0; row < table->members().size(); ++row)
        if (peers_.nodes_of(row).empty()) fix_row(table->members()[row]);
  }
  /// Adds the node's row in each cluster table to its key.
  void spell_rows(std::uint32_t n) {
    for (const node::ClusterTable* table : tables_.values()) {
      Key said;
      const std::uint32_t row = peers_.row_of(n);
      if (row < table->members().size() && !spell_row(said, n, *table, table->members()[row]))
        is_named_[n] = true;
      put_part(by_world_[n], said);
    }
  }
  /// Returns false if some part of the row does not belong to the node.
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
      // If several rows have the pod CIDR, the first row owns it.
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

  void collect_cloud_routes() {
    const FabricState& fabric = world_.fabric;
    for (std::uint32_t table = 0; table < fabric.route_tables.size(); ++table) {
      for (const auto& [destination, route] : fabric.route_tables[table].routes) {
        const auto holder = live_.held(destination).only;
        if (holder)
          cloud_routes_[*holder].emplace(table, destination);
        else
          fix(destination);
        if (route.target == FabricTarget::Instance && holder != route.instance)
          name_for_all(route.instance);
      }
    }
  }
  /// Follows a changed cloud route. Returns the node that has all live addresses in its
  /// destination; nothing if the change may affect other nodes as well.
  std::optional<std::uint32_t> follow_cloud_route(std::uint32_t table,
                                                  const IpPrefix& destination) {
    const auto holder = live_.held(destination).only;
    if (!holder) return std::nullopt;
    const auto* route = world_.fabric.route_tables[table].routes.find(destination);
    if (route == nullptr) {
      cloud_routes_[*holder].erase({table, destination});
      return holder;
    }
    if (route->target == FabricTarget::Instance && route->instance != *holder) return std::nullopt;
    cloud_routes_[*holder].emplace(table, destination);
    return holder;
  }
  void spell_cloud_routes(std::uint32_t n) {
    Key said;
    for (const auto& [table, destination] : cloud_routes_[n]) {
      const auto& route = *world_.fabric.route_tables[table].routes.find(destination);
      const bool names_node = route.target == FabricTarget::Instance;
      put(said, table);
      spell(said, n, destination);
      put(said, route.target, names_node && route.instance == n,
          names_node && route.instance != n ? route.instance : 0);
    }
    put_part(by_world_[n], said);
  }

  /// Marks the addresses and prefixes in shared objects (filters, tables) as literals.
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
        if (std::ranges::any_of(first_pods_, bears)) name_all();
      }
    }
    for (const node::SecurityGroup& group : world_.fabric.groups)
      for (const node::FabricRule& rule : group.rules)
        fix(rule.networks);
    for (const node::Subnet& subnet : world_.fabric.subnets)
      fix(subnet.cidrs);
    IpAddress link_local;  // node::answers_for() tests for fe80::/10.
    link_local.high = 0xfe80ull << 48;
    link_local.low = 0;
    fix(IpPrefix::containing(link_local, 10));
  }

  /// Adds to the key which literals contain each own address. Names the node if a literal equals or
  /// lies in an own prefix, or is an address of one of its pods.
  void spell_holders(std::uint32_t n) {
    for (const IpPrefix& prefix : own_[n].prefixes)
      if (literals_.touches(prefix)) is_named_[n] = true;
    for (const node::LocalPod& pod : world_.nodes[n].pods)
      if (literals_.is_host(pod.address)) is_named_[n] = true;
    put(by_world_[n], own_[n].addresses.size());
    for (const IpAddress address : own_[n].addresses) {
      Key holders;
      put(holders, forward::is_forwardable(address));
      const std::uint32_t owner = owners_.find(address).value_or(count());
      put(holders, owner == n ? 0 : owner + 1);
      literals_.holders(address,
                        [&](const IpPrefix&, std::uint32_t number) { put(holders, number); });
      put_part(by_world_[n], holders);
    }
  }

  const World& world_;
  const FirstPods& first_pods_;
  bool sends_mtu_;
  node::InstanceOwners owners_{world_.fabric};
  std::vector<OwnTerms> own_;
  std::vector<Key> by_state_;
  std::vector<Key> by_world_;        ///< By node: the parts of the key that `by_state_` lacks.
  std::vector<bool> is_named_;       ///< By node: in no class.
  std::vector<bool> named_for_all_;  ///< By node: named for a reason outside the node's own state.
  LiveAddresses live_;
  PeerRelations peers_{world_, live_};
  /// By node: route tables and destinations that contain live addresses of this node only.
  std::vector<std::set<std::pair<std::uint32_t, IpPrefix>>> cloud_routes_;
  Literals literals_;
  std::map<std::string, std::size_t> zones_;  ///< Numbers, by name.
  Numbered<node::ClusterTable> tables_;
  Numbered<node::PacketFilter> filters_;
  Numbered<node::ServiceTable> services_;
  KeyNumbers classes_;
};

NodeClasses::NodeClasses(const World& world, const FirstPods& first_pods, bool sends_mtu)
    : classifier_(std::make_unique<Classifier>(world, first_pods, sends_mtu)) {}
NodeClasses::~NodeClasses() = default;
NodeClasses::NodeClasses(NodeClasses&&) noexcept = default;
NodeClasses& NodeClasses::operator=(NodeClasses&&) noexcept = default;

bool NodeClasses::follow(const node::WorldChange& change) {
  return classifier_->follow(change);
}
std::uint32_t NodeClasses::class_of(std::uint32_t node) const {
  return classifier_->classes().class_of(node);
}
std::uint32_t NodeClasses::numbers() const {
  return classifier_->classes().count();
}
bool NodeClasses::any_peer_routes() const {
  return classifier_->peers().any_routes();
}
std::uint32_t NodeClasses::relation(std::uint32_t node, std::uint32_t peer) const {
  return classifier_->peers().relation(node, peer);
}
bool NodeClasses::is_alone(std::uint32_t node) const {
  return classifier_->classes().is_alone(node);
}
bool NodeClasses::is_owned(IpAddress address) const {
  return classifier_->is_owned(address);
}
bool NodeClasses::is_fixed(IpAddress address) const {
  return classifier_->is_fixed(address);
}
NodePartition NodeClasses::by_state() const {
  return classifier_->by_state();
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

}  // namespace overlane::path

#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataplane/fib/prefix_table.h"
#include "dataplane/forward/walk.h"
#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/node/state/fabric_state.h"
#include "dataplane/node/state/world.h"
#include "topologies/path/reach/node_classes.h"

namespace overlane::path {

// Reachability knows for each pair of nodes whether a probe packet is delivered, and updates this
// while the cluster changes. Migrations measure interruptions with it. A walk per pair and change
// would take too long, so interchangeable pairs share a walk (node_classes.h), and after a change
// only pairs that the change may affect are walked again. The world must outlive a Reachability,
// and update() must be called after each change of the world. Used by one thread.
//
// A detour is the set of nodes and addresses that a walk looked up besides its sender and its
// receiver. Most walks have none, so a pair stores its detour as a small number next to its
// outcome. If a change of the world touches the detour of a pair, the pair is walked again.

/// The addresses for which the fabric's route or owner changed.
class ChangedAddresses {
 public:
  explicit ChangedAddresses(const node::FabricState& fabric)
      : fabric_(fabric), routes_(fabric.route_tables.size()) {}

  void add_route(std::uint32_t table, const IpPrefix& destination) {
    routes_.at(table).set(destination, true);
    any_ = true;
  }
  void add_owner(const IpPrefix& owned) {
    owned_.set(owned, true);
    any_ = true;
  }

  /// Whether the route of any table for the address changed, or the instance that owns it. If a
  /// longer unchanged prefix matches the address, a change of a shorter prefix is irrelevant.
  bool concern(IpAddress address) const {
    if (!any_) return false;
    if (owned_.longest_match(address) != nullptr) return true;
    for (std::size_t table = 0; table < routes_.size(); ++table) {
      const auto* changed = routes_[table].longest_match(address);
      if (changed == nullptr) continue;
      const auto* used = fabric_.route_tables[table].routes.longest_match(address);
      if (used == nullptr || used->first.bits() <= changed->first.bits()) return true;
    }
    return false;
  }
  bool concern(const std::vector<IpAddress>& addresses) const {
    return std::ranges::any_of(addresses, [&](IpAddress address) { return concern(address); });
  }

 private:
  const node::FabricState& fabric_;
  std::vector<fib::PrefixTable<bool>> routes_;  ///< By route table.
  fib::PrefixTable<bool> owned_;
  bool any_ = false;
};

/// The lookups of a walk beyond the states of its two nodes and the addresses of its receiver.
struct Detour {
  bool asks_for_sender = false;      ///< The fabric looked up an address of the sending node.
  bool looks_up_others = false;      ///< A node looked up an address of neither of the two nodes.
  std::vector<std::uint32_t> nodes;  ///< Other nodes that it entered or was routed to. Sorted.
  std::vector<IpAddress> addresses;  ///< Other addresses that the fabric looked up. Sorted.

  auto operator<=>(const Detour&) const = default;
};

/// Gives detours small numbers.
class Detours {
 public:
  using Number = std::uint16_t;
  static constexpr int kBits = 10;
  static constexpr Number kNone = 0;                ///< The empty detour.
  static constexpr Number kAny = (1 << kBits) - 1;  ///< An unknown detour: any change touches it.

  Detours() { clear(); }
  /// The number of a detour; nothing if all numbers are in use.
  std::optional<Number> number(const Detour& detour);
  /// The detours by number, without kAny.
  const std::vector<Detour>& all() const { return all_; }
  void clear();

 private:
  std::map<Detour, Number> numbers_;
  std::vector<Detour> all_;
};

/// The end of a probe on a node.
enum class ProbeEnd : std::uint8_t {
  Pod,   ///< Its first pod.
  Node,  ///< A socket on the node's own network, at the node's address.
};

/// One UDP packet from a node to another, with DF set. It is the first packet of its flow: nodes
/// have no learned path MTU, and the fabric tracks no connection.
struct ReachProbe {
  Family family = Family::Ipv4;
  ProbeEnd from = ProbeEnd::Pod;
  ProbeEnd to = ProbeEnd::Pod;
  /// Whether the receiver answers to the source address of the packet as received. Then the answer
  /// must be delivered, too.
  bool answer = false;
  /// Size of the IP packet, bytes, at least 48; 0: the MTU of the sender.
  std::uint32_t bytes = 100;
  std::uint16_t source_port = 40000;
  std::uint16_t destination_port = 8080;
};

/// The outcome of the probe between a pair of nodes.
struct PairOutcome {
  bool is_probed = false;    ///< Both nodes have the endpoints of the probe.
  std::optional<Drop> drop;  ///< Nothing: delivered, if probed.

  bool delivered() const { return is_probed && !drop; }
  auto operator<=>(const PairOutcome&) const = default;
};

/// An ordered pair of nodes between which the outcome of a probe changed.
struct PairChange {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  PairOutcome before;
  PairOutcome now;
  std::uint32_t probe = 0;  ///< Its index among the probes.

  auto operator<=>(const PairChange&) const = default;
};

/// The probed pairs with the same outcome, sender class and receiver class
/// (NodeClasses::by_state()).
struct PairGroup {
  std::uint32_t sender_class = 0;
  std::uint32_t receiver_class = 0;
  std::optional<Drop> drop;  ///< Nothing: delivered.
  std::uint64_t pairs = 0;
  std::pair<std::uint32_t, std::uint32_t>
      example;  ///< The first pair of the group: sender, receiver.
};
struct PairGroups {
  NodePartition classes;
  std::vector<PairGroup> groups;  ///< By classes, then delivered first, then by drop reason.
};

/// Returns the probe between two nodes; nothing if one of them lacks its endpoint.
std::optional<forward::Packet> probe_packet(const node::World& world, const FirstPods& first_pods,
                                            const ReachProbe& probe, std::uint32_t from,
                                            std::uint32_t to);
/// Returns the receiver's answer to a probe; `arrived` is the probe as received.
forward::Packet answer_packet(const forward::Packet& arrived);

/// The outcome of each probe for all ordered pairs of distinct nodes: delivered, or the drop
/// reason. An outcome is that of forward::walk(), with Drop::NodeGone at a stopped node; update()
/// updates it after a change of the world. Several probes share one object, because a change may
/// affect the same pairs for each of them. A pair needs two bytes per probe, and two more if nodes
/// have routes of their own to peers.
class Reachability {
 public:
  /// Walks all pairs. Refers to the world, whose nodes stay where they are.
  explicit Reachability(const node::World& world, const ReachProbe& probe = {});
  /// At least one probe, all of one family.
  Reachability(const node::World& world, std::span<const ReachProbe> probes);

  /// Updates the outcomes. Call it after each change of the world, with all changes since the last
  /// call. Walks only pairs that may be affected. Returns the pairs whose outcome changed, ordered
  /// by sender, receiver and probe.
  std::vector<PairChange> update(const node::WorldChange& change);

  /// The outcome between two nodes for the probe with this index. A node and itself are not probed.
  PairOutcome outcome(std::uint32_t from, std::uint32_t to, std::uint32_t probe = 0) const;
  /// The drop of the first probe; nothing if it is delivered. Requires a probed pair.
  std::optional<Drop> of(std::uint32_t from, std::uint32_t to) const;

  // Numbers of ordered pairs of distinct nodes, by the outcome of the first probe.
  std::uint64_t delivered() const;
  std::uint64_t not_probed() const;
  DropCounts drops() const;
  PairGroups groups() const;

  /// Number of walks so far, and in the constructor or last update().
  std::uint64_t walks() const { return walks_; }
  std::uint64_t last_walks() const { return last_walks_; }

 private:
  /// The code of the outcome in the low bits, the number of the detour in the high bits.
  using Cell = std::uint16_t;
  /// The pairs that a change may affect.
  struct Touched;
  /// The known result of a walk, for all pairs of the same kind.
  struct Known {
    Cell cell = 0;
    bool lasts = false;  ///< False: valid only during the update with the number `update`.
    std::uint32_t update = 0;
  };
  /// Class of the sender, class of the receiver, relation of the sender to the receiver, and
  /// relation of the receiver to the sender.
  using KindOfPair = std::array<std::uint32_t, 4>;
  struct KindHash {
    std::size_t operator()(const KindOfPair& kind) const;
  };

  std::uint32_t count() const { return static_cast<std::uint32_t>(world_.nodes.size()); }
  std::size_t first_cell(std::uint32_t from, std::uint32_t to) const;
  Touched touched_by(const node::WorldChange& change);
  void note_routes(std::uint32_t number, const node::NodeChange& change, Touched& touched) const;
  void note_instance(std::uint32_t number, Touched& touched);
  void note_asked(Touched& touched) const;
  bool depends_on_addresses_of_others() const;
  bool refresh_node(std::uint32_t number);
  void sort_owned();
  void compute(const Touched& touched, std::vector<PairChange>* changes);
  void compute_pair(forward::WalkSender& sender, std::uint32_t from, std::uint32_t to,
                    std::vector<PairChange>* changes);
  Cell walk(const ReachProbe& probe, forward::WalkSender& sender, std::uint32_t from,
            std::uint32_t to);
  void note_detour(const ReachProbe& probe, const forward::Walk& walk, std::uint32_t from,
                   std::uint32_t to, Detour& detour) const;
  void follow_classes(const node::WorldChange& change, const Touched& touched);
  std::uint64_t walks_to_spell_all() const;
  void renew_classes(std::uint64_t walks);
  Known* known_between(std::uint32_t from, std::uint32_t to);
  Known* known_of(const KindOfPair& kind);
  void forget_known();
  bool asks_nobody_else(Cell cell) const;
  bool may_spread(Cell cell) const;
  void forget_unused_detours();

  const node::World& world_;
  std::vector<ReachProbe> probes_;
  bool any_answers_ = false;    ///< A probe is answered.
  bool any_sends_mtu_ = false;  ///< A probe is as large as its sender's MTU.
  FirstPods first_pods_;
  std::vector<std::vector<IpAddress>> addresses_;   ///< addresses_of() each node.
  std::array<std::vector<OwnedAddress>, 2> owned_;  ///< All owned addresses, IPv4 and IPv6; sorted.
  std::vector<node::Instance> instances_;           ///< Instances as of the last update.
  node::InstanceOwners owners_;
  std::vector<Cell> cells_;  ///< By sender, then by receiver, then by probe.
  Detours detours_;
  bool has_any_detour_ = false;         ///< Whether a pair may have Detours::kAny.
  std::optional<NodeClasses> classes_;  ///< Empty while they are not known.
  std::uint64_t walks_without_classes_ = 0;
  std::uint64_t saved_walks_ = 0;  ///< Walks that the current classes have saved.
  /// Factor of the number of walks after which classes are computed again. It grows if classes do
  /// not save their cost.
  std::uint64_t patience_ = 1;
  /// Results for pairs without relations: by sender class, then by receiver class and probe.
  std::vector<std::vector<Known>> known_;
  /// Results for pairs with relations, by probe.
  std::unordered_map<KindOfPair, std::vector<Known>, KindHash> known_related_;
  /// The last element used, since consecutive pairs often have the same kind; may be null.
  std::pair<const KindOfPair, std::vector<Known>>* last_related_ = nullptr;
  std::uint32_t update_ = 0;
  /// Number of pairs by probe and outcome code, including the pairs of a node and itself.
  std::vector<std::array<std::uint64_t, 64>> counts_;
  std::uint64_t walks_ = 0;
  std::uint64_t last_walks_ = 0;
};

}  // namespace overlane::path

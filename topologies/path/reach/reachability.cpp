#include "topologies/path/reach/reachability.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::path {

std::optional<Detours::Number> Detours::number(const Detour& detour) {
  if (detour == all_.front()) return kNone;
  const auto known = numbers_.find(detour);
  if (known != numbers_.end()) return known->second;
  if (all_.size() == kAny) return std::nullopt;
  const auto next = static_cast<Number>(all_.size());
  numbers_.emplace(detour, next);
  all_.push_back(detour);
  return next;
}

void Detours::clear() {
  numbers_.clear();
  all_.assign(1, {});
}

namespace {

using Cell = std::uint16_t;

// Codes of outcomes: delivered, then the drop reasons in their order, and last "not probed".
constexpr int kOutcomeBits = 6;
constexpr Cell kOutcomeMask = (1 << kOutcomeBits) - 1;
constexpr Cell kDelivered = 0;
constexpr Cell kNotProbed = kOutcomeMask - 1;
/// A value that no cell has.
constexpr Cell kUnused = 0xffff;
/// The cost of computing the key of a node (NodeClasses), in walks: kWalksPerNode, and one more for
/// each kRoutesPerWalk routes of the node.
constexpr std::uint64_t kWalksPerNode = 3;
constexpr std::uint64_t kRoutesPerWalk = 4;

constexpr std::uint32_t kMinBytes = 48;

/// Limit of Reachability::patience_.
constexpr std::uint64_t kMaxPatience = 64;

std::uint64_t walks_to_spell(const node::NodeState& state) {
  return kWalksPerNode + (state.routes.size() + state.removed.size()) / kRoutesPerWalk;
}
static_assert(kDropCount < kNotProbed);
static_assert(kOutcomeBits + Detours::kBits == 16);

Cell code_of(std::optional<Drop> drop) {
  return drop ? static_cast<Cell>(static_cast<std::size_t>(*drop) + 1) : kDelivered;
}
PairOutcome outcome_of(Cell cell) {
  const Cell code = cell & kOutcomeMask;
  if (code == kNotProbed) return {};
  if (code == kDelivered) return {.is_probed = true, .drop = std::nullopt};
  return {.is_probed = true, .drop = static_cast<Drop>(code - 1)};
}
Cell cell_of(Cell code, Detours::Number detour) {
  return static_cast<Cell>(code | detour << kOutcomeBits);
}
Detours::Number detour_in(Cell cell) {
  return static_cast<Detours::Number>(cell >> kOutcomeBits);
}

bool contains(const std::vector<IpAddress>& addresses, IpAddress address) {
  return std::ranges::find(addresses, address) != addresses.end();
}

using Pairs = std::span<const std::pair<std::uint32_t, std::uint32_t>>;

/// Calls `take` once for each pair of the sender `from` with one of `receivers`, and for each of
/// `pairs`, in order of receivers. Both lists must be sorted.
template <typename Take>
void visit_row(std::uint32_t from, const std::vector<std::uint32_t>& receivers, Pairs pairs,
               Take& take) {
  auto receiver = receivers.begin();
  auto pair = pairs.begin();
  while (receiver != receivers.end() || pair != pairs.end()) {
    const bool is_receiver =
        pair == pairs.end() || (receiver != receivers.end() && *receiver <= pair->second);
    const std::uint32_t to = is_receiver ? *receiver : pair->second;
    if (receiver != receivers.end() && *receiver == to) ++receiver;
    if (pair != pairs.end() && pair->second == to) ++pair;
    if (from != to) take(from, to);
  }
}

template <typename T>
void sort_unique(std::vector<T>& values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
}

}  // namespace

// A walk depends on its probe, which depends on the first pods of its two nodes; on the states of
// the nodes that it enters, running or stopped; and on the decision of the fabric at each crossing.
// A decision of the fabric depends on settings for all packets, on the sending instance (of a node
// that the walk entered), on the route to the destination, on the instances that own the
// destination and the next hop, on the instance that the packet is routed to, and on the rules of
// the receiving groups, some of which look up the instances that have an address.
//
// So the result of a walk stays valid unless one of the following changes: the state or instance of
// its two nodes or of a node of its detour; the route to, or the owner of, an address of its
// receiver or detour; or a setting for all packets. If only routes of a node change, only those of
// its walks are affected that look up an address behind these routes, or addresses of other nodes,
// because a decision looks up routes by address. The addresses of a node are the result of
// addresses_of() at the time of the walk; if this result changes, all pairs of the node are walked
// again.
struct Reachability::Touched {
  Touched(const node::World& world, bool everything)
      : all(everything),
        nodes(world.nodes.size(), false),
        routers(world.nodes.size(), false),
        asked(world.nodes.size(), false),
        addresses(world.fabric) {}

  bool all = false;
  std::vector<bool> nodes;    ///< By node: all pairs with this node are affected.
  std::vector<bool> routers;  ///< By node: some of its routes changed.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< Sorted, without duplicates.
  std::vector<bool> asked;    ///< By node: the fabric's answer for one of its addresses changed.
  std::vector<bool> detours;  ///< By number: all pairs with this detour are affected.
  bool has_detours = false;
  ChangedAddresses addresses;

  bool hits(const Detour& detour, std::uint32_t from, std::uint32_t to) const {
    return (detour.asks_for_sender && asked[from]) ||
           (detour.looks_up_others && (routers[from] || routers[to]));
  }
};

std::optional<forward::Packet> probe_packet(const node::World& world, const FirstPods& first_pods,
                                            const ReachProbe& probe, std::uint32_t from,
                                            std::uint32_t to) {
  const auto address_of = [&](std::uint32_t number, ProbeEnd end) -> std::optional<IpAddress> {
    if (end == ProbeEnd::Pod)
      return first_pods[number] ? std::optional(first_pods[number]->address) : std::nullopt;
    const node::MemberAddresses* own = world.nodes[number].member().in(probe.family);
    return own == nullptr ? std::nullopt : std::optional(own->node);
  };
  std::optional<IpAddress> source = address_of(from, probe.from);
  const std::optional<IpAddress> destination = address_of(to, probe.to);
  if (!source || !destination) return std::nullopt;
  std::uint32_t mtu = 0;
  if (probe.from == ProbeEnd::Pod) {
    mtu = first_pods[from]->sending_mtu();
  } else {
    const node::SocketRoute route = node::socket_route(world.nodes[from], *destination);
    if (route.source != IpAddress{}) source = route.source;
    mtu = std::max(route.mtu, kMinBytes);
  }
  return forward::PacketBuilder::udp(*source, *destination)
      .ports(probe.source_port, probe.destination_port)
      .length(probe.bytes == 0 ? mtu : probe.bytes)
      .dont_fragment()
      .build();
}

forward::Packet answer_packet(const forward::Packet& arrived) {
  return forward::PacketBuilder::udp(arrived.inner.destination, arrived.inner.source)
      .ports(arrived.destination_port, arrived.source_port)
      .length(arrived.inner.total_length)
      .dont_fragment()
      .build();
}

Reachability::Reachability(const node::World& world, const ReachProbe& probe)
    : Reachability(world, std::span(&probe, 1)) {}

Reachability::Reachability(const node::World& world, std::span<const ReachProbe> probes)
    : world_(world),
      probes_(probes.begin(), probes.end()),
      any_answers_(std::ranges::any_of(probes_, &ReachProbe::answer)),
      any_sends_mtu_(std::ranges::find(probes_, 0u, &ReachProbe::bytes) != probes_.end()),
      first_pods_(path::first_pods(world, probes_.front().family)),
      addresses_(world.nodes.size()),
      instances_(world.fabric.instances),
      owners_(world.fabric),
      cells_(world.nodes.size() * world.nodes.size() * probes_.size(),
             cell_of(kNotProbed, Detours::kNone)),
      counts_(probes_.size()) {
  assert(std::ranges::all_of(probes_, [&](const ReachProbe& probe) {
    return probe.family == probes_.front().family && (probe.bytes == 0 || probe.bytes >= kMinBytes);
  }));
  assert(world.fabric.instances.size() == world.nodes.size());
  for (std::uint32_t n = 0; n < count(); ++n)
    refresh_node(n);
  sort_owned();
  for (auto& of_probe : counts_)
    of_probe[kNotProbed] = std::uint64_t{count()} * count();
  compute(Touched(world, true), nullptr);
}

std::vector<PairChange> Reachability::update(const node::WorldChange& change) {
  last_walks_ = 0;
  std::vector<PairChange> changes;
  if (!change.any()) return changes;
  if (detours_.all().size() > Detours::kAny / 2) forget_unused_detours();
  const Touched touched = touched_by(change);
  follow_classes(change, touched);
  compute(touched, &changes);
  return changes;
}

Reachability::Touched Reachability::touched_by(const node::WorldChange& change) {
  Touched touched(world_, change.fabric.all || !change.fabric.groups.empty());
  for (const auto& [number, of_node] : change.nodes)
    note_routes(number, of_node, touched);
  sort_unique(touched.pairs);
  for (const auto* numbers : {&change.stopped, &change.started})
    for (const std::uint32_t number : *numbers)
      touched.nodes.at(number) = true;
  for (const auto& [table, prefix] : change.fabric.destinations)
    touched.addresses.add_route(table, prefix);
  for (const std::uint32_t number : change.fabric.instances)
    note_instance(number, touched);
  if (!change.fabric.instances.empty()) owners_ = node::InstanceOwners(world_.fabric);
  bool any_address = false;
  for (std::uint32_t n = 0; n < count(); ++n)
    if (touched.nodes[n]) any_address |= refresh_node(n);
  if (any_address) sort_owned();
  note_asked(touched);
  return touched;
}

/// Marks the pairs that a change of a node affects. If only its routes changed, these are the pairs
/// with the nodes behind the changed routes.
void Reachability::note_routes(std::uint32_t number, const node::NodeChange& change,
                               Touched& touched) const {
  const bool only_routes = change.devices.empty() && !change.peers && !change.filter &&
                           !change.services && !change.sysctls;
  if (!only_routes) {
    touched.nodes.at(number) = true;
    return;
  }
  touched.routers.at(number) = true;
  for (const IpPrefix& prefix : change.destinations) {
    const auto& owned = owned_[prefix.is_ipv4() ? 0 : 1];
    auto at = std::ranges::lower_bound(owned, prefix.network(), {}, &OwnedAddress::address);
    for (; at != owned.end() && prefix.contains(at->address); ++at) {
      if (at->node == number) touched.nodes[number] = true;
      touched.pairs.emplace_back(number, at->node);
      touched.pairs.emplace_back(at->node, number);
    }
  }
}

/// Marks the pairs that a change of an instance affects, by comparison with its previous value.
void Reachability::note_instance(std::uint32_t number, Touched& touched) {
  node::Instance& before = instances_.at(number);
  const node::Instance& now = world_.fabric.instances.at(number);
  touched.nodes[number] = true;
  const bool moves = before.subnet != now.subnet || before.zone != now.zone;
  const auto note = [&](const node::Instance& one, const node::Instance& other) {
    for (const IpAddress address : one.addresses)
      if (moves || !contains(other.addresses, address))
        touched.addresses.add_owner(IpPrefix::host(address));
    for (const IpPrefix& prefix : one.prefixes)
      if (moves || std::ranges::find(other.prefixes, prefix) == other.prefixes.end())
        touched.addresses.add_owner(prefix);
  };
  note(before, now);
  note(now, before);
  const bool same_to_groups = before.addresses == now.addresses && before.allowed == now.allowed &&
                              before.groups == now.groups;
  if (!same_to_groups && depends_on_addresses_of_others()) touched.all = true;
  before = now;
}

/// Whether a rule of a security group looks up the instances that have the sender's address.
bool Reachability::depends_on_addresses_of_others() const {
  const auto asks = [](const node::FabricRule& rule) {
    return rule.source == node::RuleSource::GroupAddresses ||
           rule.source == node::RuleSource::GroupFixedAddresses;
  };
  return std::ranges::any_of(world_.fabric.groups, [&](const node::SecurityGroup& group) {
    return std::ranges::any_of(group.rules, asks);
  });
}

void Reachability::note_asked(Touched& touched) const {
  for (std::uint32_t n = 0; n < count(); ++n)
    touched.asked[n] = touched.addresses.concern(addresses_[n]);
  const auto is_changed = [&](std::uint32_t n) { return touched.nodes[n] || touched.routers[n]; };
  for (const Detour& detour : detours_.all()) {
    const bool hit = std::ranges::any_of(detour.nodes, is_changed) ||
                     touched.addresses.concern(detour.addresses);
    touched.detours.push_back(hit);
    touched.has_detours |= hit || detour.asks_for_sender || detour.looks_up_others;
  }
  touched.detours.resize(Detours::kAny, false);
  touched.detours.push_back(true);
  touched.has_detours |= has_any_detour_;
}

/// Updates the first pod and the addresses of a node. Returns whether its addresses changed.
bool Reachability::refresh_node(std::uint32_t number) {
  const auto& pods = world_.nodes[number].pods;
  const auto first = std::ranges::find_if(pods, [&](const node::LocalPod& pod) {
    return pod.address.family() == probes_.front().family;
  });
  first_pods_[number] = first == pods.end() ? std::nullopt : std::optional(*first);
  std::vector<IpAddress> addresses = addresses_of(world_, number, first_pods_[number]);
  if (addresses == addresses_[number]) return false;
  addresses_[number] = std::move(addresses);
  return true;
}

void Reachability::sort_owned() {
  for (auto& of_family : owned_)
    of_family.clear();
  for (std::uint32_t n = 0; n < count(); ++n)
    for (const IpAddress address : addresses_[n])
      owned_[address.is_ipv4() ? 0 : 1].push_back({address, n});
  for (auto& of_family : owned_)
    std::ranges::sort(of_family);
}

void Reachability::compute(const Touched& touched, std::vector<PairChange>* changes) {
  const std::uint32_t nodes = count();
  std::vector<std::uint32_t> columns;
  for (std::uint32_t to = 0; to < nodes; ++to)
    if (touched.nodes[to] || touched.asked[to]) columns.push_back(to);
  const auto visit = [&](auto&& take) {
    auto pair = touched.pairs.begin();
    for (std::uint32_t from = 0; from < nodes; ++from) {
      const auto first = pair;
      while (pair != touched.pairs.end() && pair->first == from)
        ++pair;
      const Pairs pairs(first, pair);
      const bool row = touched.all || touched.nodes[from] || (any_answers_ && touched.asked[from]);
      if (!row && !touched.has_detours) {
        visit_row(from, columns, pairs, take);
        continue;
      }
      for (std::uint32_t to = 0; to < nodes; ++to) {
        if (from == to) continue;
        bool is_touched = row || touched.nodes[to] || touched.asked[to] ||
                          std::ranges::binary_search(pairs, std::pair(from, to));
        const Cell* const cells = &cells_[first_cell(from, to)];
        is_touched =
            is_touched || std::any_of(cells, cells + probes_.size(), [&](Cell cell) {
              const Detours::Number number = detour_in(cell);
              return touched.detours[number] || touched.hits(detours_.all()[number], from, to);
            });
        if (is_touched) take(from, to);
      }
    }
  };
  std::uint64_t pairs = 0;
  visit([&](std::uint32_t, std::uint32_t) { ++pairs; });
  const std::uint64_t walks_before = walks_;
  forward::WalkSender sender(
      world_.nodes, world_.fabric,
      {.outcome_only = true, .owners = &owners_, .stopped = &world_.stopped});
  ++update_;
  renew_classes(pairs * probes_.size());
  visit([&](std::uint32_t from, std::uint32_t to) { compute_pair(sender, from, to, changes); });
  last_walks_ = walks_ - walks_before;
}

/// Updates the classes if that costs less than walking all affected pairs; otherwise drops them.
void Reachability::follow_classes(const node::WorldChange& change, const Touched& touched) {
  if (!classes_) return;
  std::uint64_t cost = 0;
  for (const auto& [number, ignored] : change.nodes)
    if (touched.nodes[number]) cost += walks_to_spell(world_.nodes[number]);
  const auto rows = static_cast<std::uint64_t>(std::ranges::count(touched.nodes, true));
  const auto columns = static_cast<std::uint64_t>(std::ranges::count(touched.asked, true));
  const bool pays =
      touched.all || touched.has_detours ||
      cost <= (touched.pairs.size() + (2 * rows + columns) * count()) * probes_.size();
  if (pays && classes_->follow(change)) return;
  classes_.reset();
  patience_ = saved_walks_ < walks_to_spell_all() ? std::min(2 * patience_, kMaxPatience) : 1;
}

std::uint64_t Reachability::walks_to_spell_all() const {
  std::uint64_t walks = 0;
  for (const node::NodeState& state : world_.nodes)
    walks += walks_to_spell(state);
  return walks;
}

/// Computes the classes if so many walks were made without them that they are likely to save walks.
void Reachability::renew_classes(std::uint64_t walks) {
  if (classes_) return;
  forget_known();
  walks_without_classes_ += walks;
  if (walks_without_classes_ <= patience_ * walks_to_spell_all()) return;
  walks_without_classes_ = 0;
  saved_walks_ = 0;
  classes_.emplace(world_, first_pods_, any_sends_mtu_);
}

std::size_t Reachability::KindHash::operator()(const KindOfPair& kind) const {
  std::uint64_t hash = 0;
  for (const std::uint32_t number : kind)
    hash = murmur_mix(hash ^ number) + number;
  return hash;
}

/// The known results for pairs of the same classes and relations as this pair, by probe; null if
/// the pair has no classes or relations.
Reachability::Known* Reachability::known_between(std::uint32_t from, std::uint32_t to) {
  if (!classes_) return nullptr;
  const std::uint32_t sender_class = classes_->class_of(from);
  const std::uint32_t receiver_class = classes_->class_of(to);
  if (sender_class == NodeClasses::kNamed || receiver_class == NodeClasses::kNamed) return nullptr;
  const std::uint32_t there = classes_->relation(from, to);
  const std::uint32_t back = classes_->relation(to, from);
  if (there == NodeClasses::kNoRelation || back == NodeClasses::kNoRelation) return nullptr;
  return known_of({sender_class, receiver_class, there, back});
}

Reachability::Known* Reachability::known_of(const KindOfPair& kind) {
  const auto& [sender_class, receiver_class, there, back] = kind;
  if (there != 0 || back != 0) {
    if (last_related_ == nullptr || last_related_->first != kind)
      last_related_ = &*known_related_.try_emplace(kind, probes_.size()).first;
    return last_related_->second.data();
  }
  if (known_.size() <= sender_class) known_.resize(classes_->numbers());
  std::vector<Known>& row = known_[sender_class];
  const std::size_t at = receiver_class * probes_.size();
  if (row.size() <= at) row.resize(classes_->numbers() * probes_.size());
  return &row[at];
}

void Reachability::forget_known() {
  known_.clear();
  known_related_.clear();
  last_related_ = nullptr;
}

/// Computes the outcomes of a pair: by walks, or from known results for pairs of the same kind.
void Reachability::compute_pair(forward::WalkSender& sender, std::uint32_t from, std::uint32_t to,
                                std::vector<PairChange>* changes) {
  Known* const known = known_between(from, to);
  const std::size_t first = first_cell(from, to);
  for (std::uint32_t probe = 0; probe < probes_.size(); ++probe) {
    Cell now = kUnused;
    if (known != nullptr && (known[probe].lasts || known[probe].update == update_)) {
      ++saved_walks_;
      now = known[probe].cell;
    } else {
      now = walk(probes_[probe], sender, from, to);
      if (known != nullptr) {
        const bool lasts = asks_nobody_else(now);
        if (lasts || may_spread(now)) known[probe] = {now, lasts, update_};
      }
    }
    const Cell before = std::exchange(cells_[first + probe], now);
    if (((before ^ now) & kOutcomeMask) == 0) continue;
    --counts_[probe][before & kOutcomeMask];
    ++counts_[probe][now & kOutcomeMask];
    if (changes != nullptr)
      changes->push_back({from, to, outcome_of(before), outcome_of(now), probe});
  }
}

Reachability::Cell Reachability::walk(const ReachProbe& probe, forward::WalkSender& sender,
                                      std::uint32_t from, std::uint32_t to) {
  const auto packet = probe_packet(world_, first_pods_, probe, from, to);
  if (!packet) return cell_of(kNotProbed, Detours::kNone);
  ++walks_;
  Detour detour;
  const forward::Walk* walk = &sender.send(from, *packet);
  note_detour(probe, *walk, from, to, detour);
  if (probe.answer && walk->delivered()) {
    walk = &sender.send(to, answer_packet(walk->packet));
    note_detour(probe, *walk, from, to, detour);
  }
  sort_unique(detour.nodes);
  sort_unique(detour.addresses);
  const auto number = detours_.number(detour);
  has_any_detour_ |= !number;
  return cell_of(code_of(walk->drop), number.value_or(Detours::kAny));
}

void Reachability::note_detour(const ReachProbe& probe, const forward::Walk& walk,
                               std::uint32_t from, std::uint32_t to, Detour& detour) const {
  for (const auto* nodes : {&walk.nodes, &walk.routed_to})
    for (const std::uint32_t node : *nodes)
      if (node != from && node != to) detour.nodes.push_back(node);
  for (const IpAddress address : walk.fabric_lookups) {
    if (contains(addresses_[to], address)) continue;
    if (contains(addresses_[from], address)) {
      detour.asks_for_sender |= !probe.answer;  // With answers, compute() assumes it for all pairs.
    } else {
      detour.addresses.push_back(address);
    }
  }
  detour.looks_up_others |= std::ranges::any_of(walk.looked_up, [&](IpAddress address) {
    return !contains(addresses_[to], address) && !contains(addresses_[from], address);
  });
}

/// Whether the walk entered only its two nodes and looked up only addresses of these nodes or of no
/// node.
bool Reachability::asks_nobody_else(Cell cell) const {
  const Detours::Number number = detour_in(cell);
  if (number == Detours::kAny) return false;
  const Detour& detour = detours_.all()[number];
  return detour.nodes.empty() && !detour.looks_up_others &&
         std::ranges::none_of(detour.addresses,
                              [&](IpAddress address) { return classes_->is_owned(address); });
}

/// Whether the result of a walk is valid for all pairs of the same interchangeable classes. Their
/// outcomes are equal (node_classes.cpp); their detours are equal if exchanging nodes of a class
/// does not change the detour.
bool Reachability::may_spread(Cell cell) const {
  const Detours::Number number = detour_in(cell);
  if (classes_->any_peer_routes()) return false;
  if (number == Detours::kAny) return true;
  const Detour& detour = detours_.all()[number];
  return std::ranges::all_of(detour.nodes,
                             [&](std::uint32_t n) { return classes_->is_alone(n); }) &&
         std::ranges::all_of(detour.addresses,
                             [&](IpAddress address) { return classes_->is_fixed(address); });
}

void Reachability::forget_unused_detours() {
  forget_known();
  const std::vector<Detour> before = detours_.all();
  std::vector<Cell> numbers(Detours::kAny + 1, kUnused);
  numbers[Detours::kAny] = Detours::kAny;
  detours_.clear();
  for (Cell& cell : cells_) {
    const Detours::Number old = detour_in(cell);
    if (numbers[old] == kUnused) numbers[old] = *detours_.number(before[old]);
    cell = cell_of(cell & kOutcomeMask, numbers[old]);
  }
}

std::size_t Reachability::first_cell(std::uint32_t from, std::uint32_t to) const {
  return (std::size_t{from} * count() + to) * probes_.size();
}

PairOutcome Reachability::outcome(std::uint32_t from, std::uint32_t to, std::uint32_t probe) const {
  assert(from < count() && to < count() && probe < probes_.size());
  return outcome_of(cells_[first_cell(from, to) + probe]);
}

std::optional<Drop> Reachability::of(std::uint32_t from, std::uint32_t to) const {
  const PairOutcome found = outcome(from, to);
  assert(found.is_probed);
  return found.drop;
}

std::uint64_t Reachability::delivered() const {
  return counts_.front()[kDelivered];
}

std::uint64_t Reachability::not_probed() const {
  return counts_.front()[kNotProbed] - count();
}

DropCounts Reachability::drops() const {
  DropCounts counts;
  for (const DropFacts& row : kDrops)
    counts[row.drop] = static_cast<std::int64_t>(counts_.front()[code_of(row.drop)]);
  return counts;
}

PairGroups Reachability::groups() const {
  PairGroups result{
      .classes = NodeClasses(world_, first_pods_, probes_.front().bytes == 0).by_state(),
      .groups = {}};
  const std::vector<std::uint32_t>& class_of = result.classes.class_of;
  std::map<std::tuple<std::uint32_t, std::uint32_t, Cell>, PairGroup> groups;
  PairGroup* last = nullptr;
  for (std::uint32_t from = 0; from < count(); ++from) {
    for (std::uint32_t to = 0; to < count(); ++to) {
      const Cell code = cells_[first_cell(from, to)] & kOutcomeMask;
      if (code == kNotProbed) continue;
      const std::optional<Drop> drop = outcome_of(code).drop;
      const bool is_same = last != nullptr && last->sender_class == class_of[from] &&
                           last->receiver_class == class_of[to] && last->drop == drop;
      if (!is_same) {
        last = &groups
                    .try_emplace({class_of[from], class_of[to], code},
                                 PairGroup{.sender_class = class_of[from],
                                           .receiver_class = class_of[to],
                                           .drop = drop,
                                           .pairs = 0,
                                           .example = {from, to}})
                    .first->second;
      }
      ++last->pairs;
    }
  }
  for (const auto& [key, group] : groups)
    result.groups.push_back(group);
  return result;
}

}  // namespace overlane::path

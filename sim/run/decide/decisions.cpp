#include "sim/run/decide/decisions.h"

#include <algorithm>

#include "dataplane/encap/wireguard/wireguard.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {
namespace {

using forward::Egress;
using forward::Ingress;

/// Largest value of `longest` in cached decisions; an IPv6 packet may be 40 bytes longer.
constexpr std::uint32_t kMaxCachedLength = 65'535;

/// Whether Packet::padding can hold the padding. It can hold the padding that WireGuard itself
/// adds.
bool is_padding_cached(const forward::Packet& header) {
  return header.padding <= wireguard::kMaxPadding;
}

/// Whether forward() emitted one whole packet and nothing else.
bool is_plain(const forward::Outcome& outcome) {
  if (outcome.drop || outcome.held || !outcome.completed.empty()) return false;
  if (outcome.emissions.size() != 1) return false;
  const forward::Emission& emission = outcome.emissions.front();
  return !emission.is_reply && !emission.packet.outermost().is_fragment();
}

}  // namespace

bool shows_ports(const forward::Packet& header) {
  const forward::IpFields& outermost = header.outermost();
  const bool has_ports = outermost.protocol == forward::kUdp || outermost.protocol == forward::kTcp;
  return has_ports && !outermost.is_fragment() && header.encapsulation != Encapsulation::Wireguard;
}

FlowKey outer_flow(const forward::Packet& header) {
  if (!header.is_encapsulated()) return header.flow();
  const bool ports = shows_ports(header);
  return {.source = header.outer.source,
          .destination = header.outer.destination,
          .source_port = ports ? header.outer_source_port : std::uint16_t{0},
          .destination_port = ports ? header.outer_destination_port : std::uint16_t{0},
          .protocol = header.outer.protocol};
}

/// Whether the NIC hashes the inner header of this packet. A fragment of an outer packet does not
/// show it, and that of WireGuard is encrypted.
bool is_hashed_inside(const forward::Packet& header, const host::Machine& machine) {
  if (header.outermost().is_fragment()) return false;
  switch (header.encapsulation) {
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
      return machine.ipip_rss == host::TunnelRss::Inner;
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      return machine.udp_tunnel_rss == host::TunnelRss::Inner;
    case Encapsulation::None:
    case Encapsulation::Wireguard:
      break;
  }
  return false;
}

std::uint16_t receive_core(const forward::Packet& header, const host::Machine& machine) {
  const FlowKey flow = is_hashed_inside(header, machine) ? header.flow() : outer_flow(header);
  return receive_core(flow, flow.protocol == forward::kUdp, machine);
}

Decisions::Decisions(const Network& network, const RunOptions& options, States& states,
                     bool is_part, std::size_t ends)
    : network_(network),
      states_(states),
      is_part_(is_part),
      keeps_(options.keep_decisions),
      flow_cache_(ends),
      byte_check_(options.seed, network.nodes.size(), ends) {}

forward::Packet Decisions::header(const Packet& packet) const {
  if (packet.cache_entry == kNone) return headers_[packet.header].packet;
  forward::Packet header = flow_cache_.headers(packet.cache_entry)[packet.stage];
  const std::uint32_t growth =
      packet.length - packet.padding - (header.outermost().total_length - header.padding);
  header.inner.total_length += growth;
  header.inner.identification = packet.identification;
  if (header.is_encapsulated()) {
    header.outer.total_length = packet.length;
    header.outer.identification = packet.outer_identification;
    header.padding = packet.padding;
  }
  return header;
}

IpAddress Decisions::next_hop(const Packet& packet) const {
  return packet.cache_entry == kNone
             ? headers_[packet.header].next_hop
             : flow_cache_.headers(packet.cache_entry).next_hop(packet.stage);
}

void Decisions::give_header(Packet& packet, const forward::Packet& header, IpAddress next_hop) {
  if (packet.cache_entry != kNone) {
    flow_cache_.leave(packet.cache_entry);
    packet.cache_entry = kNone;
  }
  if (packet.header == kNone) {
    if (free_headers_.empty()) {
      free_headers_.push_back(static_cast<std::uint32_t>(headers_.size()));
      headers_.emplace_back();
    }
    packet.header = free_headers_.back();
    free_headers_.pop_back();
  }
  headers_[packet.header] = {header, next_hop};
  packet.length = header.outermost().total_length;
}

bool Decisions::have_one_shape(const forward::Packet& a, const forward::Packet& b) {
  return !a.inner.is_fragment() && shape_of(a) == shape_of(b);
}

/// WireGuard's padding depends on the inner length, so a cached decision adds it when sending and
/// removes it when receiving.
void Decisions::pad(Packet& packet, const CachedNodeDecision& cached) {
  const bool out = cached.egress == Egress::Uplink;
  const std::uint32_t padding = out ? wireguard::padding(packet.length, cached.sealing_mtu) : 0;
  packet.length += padding - packet.padding;
  packet.padding = static_cast<std::uint8_t>(padding);
}

/// Counts the packet for the connections of its cached decision if the decision holds for all of
/// them. Returns whether it holds.
bool Decisions::repeat(const Packet& packet, Picos now) {
  node::ConntrackTable& connections = states_.runtime(packet.node).connections;
  const Repeats repeats = flow_cache_.repeats(packet.cache_entry, packet.stage);
  for (const auto& repeat : repeats)
    if (!connections.holds(repeat, now)) return false;
  for (const auto& repeat : repeats)
    connections.count(repeat, now);
  return true;
}

std::optional<Decisions::SettledWay> Decisions::settled_way(EndpointId sender, std::uint32_t node,
                                                            std::uint32_t length,
                                                            std::uint16_t peer_version, Picos now) {
  SettledWay way{.entry = keeps_ ? flow_cache_.of(sender) : kNone, .until = {INT64_MAX}};
  if (way.entry == kNone) return std::nullopt;
  const FlowCacheEntry& entry = flow_cache_[way.entry];
  if (entry.known != CachedDecisions::kStages || entry.settled_with != peer_version)
    return std::nullopt;
  way.decisions = entry.decisions;
  const auto& [nodes, fabric] = entry.decisions;
  const std::array<std::uint32_t, 2> places = {node, fabric.to};
  way.outer_length = length + static_cast<std::uint32_t>(nodes[0].growth);
  const std::array<std::uint32_t, 2> lengths = {length, way.outer_length};
  for (const std::size_t side : {0u, 1u}) {
    const CachedNodeDecision& cached = nodes[side];
    if (cached.version != states_.version(places[side]) || lengths[side] > cached.longest ||
        cached.seals || cached.local)
      return std::nullopt;
    const node::ConntrackTable& connections = states_.runtime(places[side]).connections;
    for (const auto& repeat : flow_cache_.repeats(way.entry, side * 2)) {
      if (!connections.holds(repeat, now)) return std::nullopt;
      way.until = std::min({way.until, repeat.until, now + repeat.life / 2});
    }
  }
  const bool crosses = nodes[0].egress == Egress::Uplink && nodes[1].egress != Egress::Uplink;
  const bool holds = fabric.version == states_.fabric_version(entry.fabric_destination) &&
                     way.outer_length <= fabric.longest;
  return crosses && holds ? std::optional(way) : std::nullopt;
}

void Decisions::repeat_on_node(CacheEntryId entry, std::size_t stage, std::uint32_t node,
                               std::int64_t packets, Picos last) {
  node::NodeRuntime& runtime = states_.runtime(node);
  for (const auto& repeat : flow_cache_.repeats(entry, stage))
    runtime.connections.count(repeat, last);
  const CachedNodeDecision& cached = flow_cache_[entry].decisions.node(stage);
  if (cached.draws_identification)
    runtime.identification.skip(cached.identification_bucket, packets);
}

/// Whether the byte path also decides: for a sample of the packets, and for sampled flows whose
/// cached decision became invalid with the state change of version `changed_at`.
bool Decisions::is_checked(const Packet& packet, std::uint32_t changed_at) const {
  if (packet.sampled || packet.checked_if_asked) return true;
  if (packet.cache_entry == kNone) return false;
  const FlowCacheEntry& entry = flow_cache_[packet.cache_entry];
  return packet.stage < entry.known && entry.decisions.version(packet.stage) < changed_at &&
         byte_check_.samples_first(packet.sender);
}

/// Decides on a node by forward(), and caches the decision if it depends on state and header only.
NodeDecision Decisions::decide_on_node(Packet& packet, Ingress ingress, Picos now) {
  const forward::Packet header = this->header(packet);
  const node::NodeState& state = states_.nodes()[packet.node];
  node::NodeRuntime& runtime = states_.runtime(packet.node);
  std::optional<ByteCheck::Expected> expected;
  if (is_checked(packet, states_.changed_at(packet.node))) {
    expected = byte_check_.expect(state, runtime, header, ingress, now);
    runtime.connections.checkpoint();
  }
  runtime.connections.forget_followed();
  const States::RuntimeEpoch before = states_.learning(packet.node);
  const node::IdentificationCounters counters = runtime.identification;
  forward::forward(state, runtime, header, ingress, now, outcome_);
  if (expected) {
    byte_check_.node(state, *expected, runtime, outcome_);
    runtime.connections.keep();
  }
  states_.note_learned(packet.node);
  if (packet.cache_entry == kNone || !is_plain(outcome_) || states_.learning(packet.node) != before)
    return {.outcome = &outcome_};

  const forward::Emission& emission = outcome_.emissions.front();
  const forward::Packet& after = emission.packet;
  const bool drew = counters != runtime.identification;
  if (drew && (header.is_encapsulated() || !after.is_encapsulated())) return {.outcome = &outcome_};
  const std::uint32_t length = header.outermost().total_length;
  if (length > kMaxCachedLength) return {.outcome = &outcome_};
  const bool opens = header.encapsulation == Encapsulation::Wireguard;
  const bool seals = after.encapsulation == Encapsulation::Wireguard;
  const bool is_opened = emission.egress != Egress::Uplink && !seals;
  if (opens && (!is_opened || !is_padding_cached(header))) return {.outcome = &outcome_};
  const cost::PathId path =
      cost::PathCosts::path(side(ingress), side(emission.egress), header.encapsulation,
                            after.encapsulation, header.inner.family());
  const CachedNodeDecision decided{
      .version = states_.version(packet.node),
      .longest = static_cast<std::uint16_t>(length),
      .growth = static_cast<std::int16_t>(after.outermost().total_length - after.padding -
                                          (length - header.padding)),
      .sealing_mtu = emission.sealing_mtu,
      .identification_bucket =
          drew ? node::IdentificationCounters::bucket(after.outer.destination) : std::uint16_t{0},
      .egress = emission.egress,
      .local = ingress != Ingress::Uplink && emission.egress != Egress::Uplink,
      .draws_identification = drew,
      .repeats = static_cast<std::uint8_t>(runtime.connections.followed().size() & 3),
      .seals = opens || seals,
      .path = path};
  if (!keep(packet, decided, after, emission.next_hop, runtime.connections.followed()))
    return {.outcome = &outcome_};
  packet.outer_identification = static_cast<std::uint16_t>(after.outer.identification);
  return {.cached = &flow_cache_[packet.cache_entry].decisions.node(packet.stage - 1u)};
}

/// Decides in the fabric by forward(), and caches the decision like decide_on_node().
FabricDecision Decisions::decide_in_fabric(Packet& packet, Picos now) {
  const forward::Packet header = this->header(packet);
  std::optional<node::FabricRuntime> before;
  const FabricVersions::Key destination = FabricVersions::key_of(header.outermost().destination);
  const std::uint32_t version = states_.fabric_version(destination);
  if (is_checked(packet, version)) before = fabric_runtime_;
  const IpAddress next = next_hop(packet);
  const std::uint64_t uses = fabric_runtime_.answers.uses();
  forward::forward(states_.fabric(), header, packet.node, next, fabric_outcome_, nullptr,
                   &fabric_runtime_, now, &states_.owners());
  const bool of_state_only = fabric_runtime_.answers.uses() == uses;
  if (is_part_ && (!of_state_only || (states_.fabric().drops_disordered_fragments &&
                                      header.outermost().is_fragment())))
    throw NeedsOnePartition{"the fabric remembers packets"};
  if (before) {
    byte_check_.fabric(states_.fabric(), *before, header, packet.node, next, now, fabric_outcome_);
  }
  if (packet.cache_entry == kNone || !of_state_only || fabric_outcome_.drop ||
      fabric_outcome_.reply || header.outermost().is_fragment() ||
      header.outermost().total_length > kMaxCachedLength) {
    return {.outcome = &fabric_outcome_};
  }
  const CachedFabricDecision decided{
      .version = version,
      .longest = static_cast<std::uint16_t>(header.outermost().total_length),
      .core = receive_core(fabric_outcome_.packet, network_.machines[fabric_outcome_.instance]),
      .to = fabric_outcome_.instance,
      .shows_ports = shows_ports(fabric_outcome_.packet),
      .spine = states_.racks()
                   ? states_.racks()->spine(packet.node, outer_flow(fabric_outcome_.packet))
                   : std::uint8_t{0}};
  if (!keep(packet, decided, fabric_outcome_.packet, {}, {})) return {.outcome = &fabric_outcome_};
  flow_cache_[packet.cache_entry].fabric_destination = destination;
  return {.cached = &flow_cache_[packet.cache_entry].decisions.fabric};
}

/// Adds a decision to the packet's cache entry, or to a branch of it if the entry has another
/// decision for the stage, and moves the packet to the next stage. Returns false if the cache is
/// full.
template <typename Cached>
bool Decisions::keep(Packet& packet, const Cached& decided, const forward::Packet& after,
                     IpAddress next_hop, Repeats repeats) {
  const std::size_t stage = packet.stage;
  if (stage == CachedDecisions::kStages) return false;
  assert((stage == CachedDecisions::kFabricStage) ==
         (std::is_same_v<Cached, CachedFabricDecision>));
  if (stage < flow_cache_[packet.cache_entry].known) {
    Cached& old = flow_cache_[packet.cache_entry].decisions.template at<Cached>(stage);
    const FlowCacheHeaders& headers = flow_cache_.headers(packet.cache_entry);
    const Repeats old_repeats = flow_cache_.repeats(packet.cache_entry, stage);
    const bool held = old.version == decided.version && old.longest >= decided.longest &&
                      old_repeats.empty() && repeats.empty();
    Cached same = decided;
    same.version = old.version;
    same.longest = old.longest;
    if (same == old && shape_of(headers[stage + 1]) == shape_of(after) &&
        headers.next_hop(stage + 1) == next_hop && std::ranges::equal(old_repeats, repeats)) {
      old.longest =
          old.version == decided.version ? std::max(old.longest, decided.longest) : decided.longest;
      old.version = decided.version;
      move(packet, old);
      return true;
    }
    if (held) byte_check_.kept_differs(states_.nodes()[packet.node].member().name);
    const CacheEntryId branch = flow_cache_.branch(packet.cache_entry, stage);
    if (branch == kNone) return false;
    flow_cache_.enter(branch);
    flow_cache_.leave(packet.cache_entry);
    packet.cache_entry = branch;
  }
  FlowCacheEntry& entry = flow_cache_[packet.cache_entry];
  entry.decisions.template at<Cached>(stage) = decided;
  entry.known = static_cast<std::uint8_t>(stage + 1);
  flow_cache_.headers(packet.cache_entry).add(after, next_hop);
  flow_cache_.set_repeats(packet.cache_entry, stage, repeats);
  move(packet, decided);
  return true;
}

bool Decisions::carry(const Packet& packet, CarriedHeaders& headers) {
  if (packet.cache_entry == kNone) {
    headers.own.push_back(headers_[packet.header]);
    return true;
  }
  if (flow_cache_[packet.cache_entry].carried) return false;
  headers.copies.push_back(flow_cache_.carry(packet.cache_entry, packet.stage));
  return true;
}

const forward::Outcome& Decisions::on_timeout(std::uint32_t node,
                                              const node::ReassemblyTable::Expired& lost,
                                              bool sampled, Picos now) {
  const node::NodeState& state = states_.nodes()[node];
  node::NodeRuntime& runtime = states_.runtime(node);
  std::optional<ByteCheck::Expected> expected;
  if (sampled) expected = ByteCheck::expect(state, runtime, lost, now);
  runtime.connections.checkpoint();
  forward::time_out(state, runtime, lost, now, outcome_);
  if (expected) byte_check_.node(state, *expected, runtime, outcome_);
  runtime.connections.keep();
  states_.note_learned(node);
  return outcome_;
}

}  // namespace overlane::run

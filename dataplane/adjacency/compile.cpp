#include "dataplane/adjacency/compile.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "dataplane/adjacency/punt_filter.h"
#include "dataplane/adjacency/rewrite_for_tx.h"
#include "dataplane/encap/geneve/geneve.h"
#include "dataplane/encap/popped.h"
#include "dataplane/encap/vxlan/vxlan.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/packet_builder.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::adjacency {

using forward::Ingress;
using forward::Packet;
using forward::PacketBuilder;

namespace {

class Compiler {
 public:
  explicit Compiler(Compiled& to) : to_(to), decider_(*to.state, to.classes) {
    for (const AddressClass& one : to.classes)
      samples_.try_emplace(one.group, one.sample);
  }

  std::vector<Entry> entries(const IngressPath& path) {
    std::vector<Entry> entries;
    for (const AddressClass& one : to_.classes)
      entries.push_back(entry(path, one));
    return entries;
  }
  /// Returns the entries for packets of one family.
  std::vector<Entry> entries(const IngressPath& path, Family family) {
    std::vector<Entry> entries;
    for (const AddressClass& one : to_.classes)
      entries.push_back(one.sample.family() == family ? entry(path, one) : Entry());
    return entries;
  }

  /// Returns the position of the next hop of the class's local pod; kNoPod if the class is no local
  /// pod.
  std::uint32_t pod(const AddressClass& one) {
    const bool is_pod = one.route && one.route->pod != nullptr && one.prefix.is_host();
    return is_pod ? next_hop({forward::Egress::Pod, one.sample}) : kNoPod;
  }

  /// Returns the groups of outer sources that the tunnel device of `path` accepts, found with one
  /// packet that it accepts.
  std::uint32_t outer_sources(const IngressPath& path, const std::vector<Entry>& entries) {
    const auto inner = accepted_pair(entries);
    if (!inner) return 0;
    std::uint32_t groups = 0;
    for (const auto& [group, sample] : samples_) {
      if (sample.family() != path.ends.destination.family() || is_last(group)) continue;
      IngressPath from = path;
      from.ends.source = sample;
      if (decider_.passes(from, inner->first, inner->second)) groups |= 1u << group.value;
    }
    return groups;
  }

  /// Returns an outer source from which the device of `path` accepts packets of this family for
  /// pods; nothing if there is none.
  std::optional<IpAddress> open_source(IngressPath path, Family family,
                                       const std::vector<node::LocalPod>& pods) {
    for (const auto& [group, outer] : samples_) {
      if (outer.family() != path.ends.destination.family()) continue;
      path.ends.source = outer;
      for (const auto& [inner_group, inner] : samples_) {
        for (const node::LocalPod& pod : pods) {
          if (inner.family() != family || pod.address.family() != family) continue;
          if (decider_.passes(path, inner, pod.address)) return outer;
        }
      }
    }
    return std::nullopt;
  }

 private:
  static bool is_last(SourceGroup group) { return group.value == kSourceGroups - 1; }

  /// Returns source and destination of a packet to which one of the entries applies.
  std::optional<std::pair<IpAddress, IpAddress>> accepted_pair(
      const std::vector<Entry>& entries) const {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (const auto& [group, sample] : samples_) {
        if ((entries[i].sources >> group.value & 1u) == 0) continue;
        return std::pair(sample, to_.classes[i].sample);
      }
    }
    return std::nullopt;
  }

  /// Returns whether all addresses of the class have the same next hop and the same far end of a
  /// tunnel.
  bool has_one_next_hop(const AddressClass& to) const {
    if (!to.route || to.is_local || to.route->route.kind != node::RouteKind::Unicast) return false;
    // The decision about a packet to a Service is not stateless.
    if (to_.state->services && to_.state->services->has(to.sample)) return false;
    if (to.prefix.is_host() || to.route->route.via) return true;
    const node::Device* device = to_.state->find_device(to.route->route.device);
    return device != nullptr && device->encapsulation() != Encapsulation::None &&
           (device->remote || to.route->route.tunnel_destination);
  }

  /// Returns whether each address of the class is a neighbour on the uplink. IPv4 pods of other
  /// nodes are always behind gateways.
  bool has_neighbours(const AddressClass& to) const {
    if (to.sample.is_ipv4() || !to.route || to.is_local || to.route->route.via) return false;
    const node::Device* device = to_.state->find_device(to.route->route.device);
    return to.route->route.kind == node::RouteKind::Unicast && to.route->pod == nullptr &&
           device != nullptr && device->encapsulation() == Encapsulation::None;
  }

  Entry entry(const IngressPath& path, const AddressClass& to) {
    Entry entry;
    const bool to_neighbours = !has_one_next_hop(to);
    if (to_neighbours && !has_neighbours(to)) return entry;
    const Family family = to.sample.family();
    std::optional<Decision> taken;
    std::uint32_t largest = 0;
    for (const auto& [group, sample] : samples_) {
      if (sample.family() != family || is_last(group)) continue;
      const auto decision = decider_.decision(path, sample, to.sample);
      if (!decision || asks_more_of_sources(*decision, family) ||
          (to_neighbours && !leads_to(*decision, to.sample)) || (taken && *taken != *decision))
        continue;
      const std::uint32_t fits = decider_.largest(path, *decision, sample, to.sample);
      if (fits < min_bytes(family) || (taken && fits != largest)) continue;
      if (!taken) {
        entry.adjacency = adjacency({*decision, fits, family, far_mac(to), to_neighbours});
        taken = decision;
        largest = fits;
      }
      entry.sources |= 1u << group.value;
    }
    return entry;
  }

  /// Returns whether the decision sends the bare packet to this neighbour on the uplink.
  static bool leads_to(const Decision& decision, IpAddress neighbour) {
    return decision.egress == forward::Egress::Uplink && decision.next_hop == neighbour &&
           decision.encapsulation == Encapsulation::None;
  }

  /// The inputs of one adjacency.
  struct AdjacencyKey {
    Decision decision;
    std::uint32_t largest = 0;
    Family family = Family::Ipv4;  ///< Family of the packets that take the adjacency.
    MacAddress far_mac;            ///< Destination of the frame inside a tunnel, if there is one.
    bool to_neighbours = false;    ///< has_neighbours()

    auto operator<=>(const AdjacencyKey&) const = default;
  };

  /// Returns whether the decision could differ within a source group. An IPv6 tunnel rejects IPv6
  /// packets whose source is its far end (ip6_tnl_addr_conflict), and the groups distinguish only
  /// the far ends of devices with a `remote`.
  bool asks_more_of_sources(const Decision& decision, Family family) const {
    if (decision.encapsulation != Encapsulation::Ip6Tnl || family != Family::Ipv6) return false;
    return std::ranges::none_of(to_.state->devices, [&](const node::Device& device) {
      return device.remote == decision.ends.destination;
    });
  }

  /// Returns the destination MAC of frames inside VXLAN to this class: that of the next hop's
  /// neighbour entry. Zero for other devices and without such an entry.
  MacAddress far_mac(const AddressClass& to) const {
    const node::Device* device = to_.state->find_device(to.route->route.device);
    const auto& via = to.route->route.via;
    if (device == nullptr || device->kind != node::DeviceKind::Vxlan || !via) return {};
    const node::Member* peer = to_.state->cluster->with_tunnel_address(*via);
    const auto* addresses = peer == nullptr ? nullptr : peer->in(via->family());
    return addresses == nullptr ? MacAddress{} : addresses->vtep_mac;
  }

  std::uint32_t adjacency(const AdjacencyKey& key) {
    const auto [known, is_new] =
        positions_.try_emplace(key, static_cast<std::uint32_t>(to_.adjacencies.size()));
    if (!is_new) return known->second;
    const Decision& decision = key.decision;
    const bool is_wrapped = decision.encapsulation != Encapsulation::None;
    const Family outermost = is_wrapped ? decision.ends.destination.family() : key.family;
    Adjacency made{
        .egress = decision.egress,
        .encapsulation = decision.encapsulation,
        .ether_type = network_order(encap::ether_type_of(outermost)),
        .next_hop = key.to_neighbours ? kNeighbour : next_hop({decision.egress, decision.next_hop}),
        .largest = key.largest};
    if (is_wrapped) {
      made.outer_destination = decision.ends.destination;
      made.has_identification = outermost == Family::Ipv4;
      made.identification_bucket = node::IdentificationCounters::bucket(made.outer_destination);
      (key.family == Family::Ipv4 ? to_.encapsulation : to_.encapsulation_of_ipv6) =
          decision.encapsulation;
      made.pusher =
          add_pusher(*to_.state, decision.encapsulation, decision.ends, to_.pushers, key.far_mac);
    }
    to_.has_neighbours |= key.to_neighbours;
    to_.adjacencies.push_back(std::move(made));
    return known->second;
  }

  std::uint32_t next_hop(const NextHop& hop) {
    const auto [known, is_new] =
        next_hops_.try_emplace(hop, static_cast<std::uint32_t>(to_.next_hops.size()));
    if (is_new) to_.next_hops.push_back(hop);
    return known->second;
  }

  Compiled& to_;
  Decider decider_;
  std::map<SourceGroup, IpAddress> samples_;  ///< One source address of each group.
  std::map<AdjacencyKey, std::uint32_t> positions_;
  std::map<NextHop, std::uint32_t> next_hops_;
};

/// Returns the expected tunnel header of packets to a VXLAN or Geneve device. Both have the VNI at
/// the same offset.
encap::Bits tunnel_header(const node::Device& device) {
  encap::Bits bits =
      device.encapsulation() == Encapsulation::Geneve ? geneve::kPlainHeader : vxlan::kPlainHeader;
  // A device in metadata mode accepts any VNI.
  if (!device.external) {
    bits.mask |= vxlan::kVniMask;
    bits.value |= std::uint64_t{device.vni} << 8;
  }
  return bits;
}

/// Returns the entry of one device for inner packets of this family; nothing if the device accepts
/// none.
std::optional<DecapEntry> decap_entry(Compiler& compiler, const node::NodeState& state,
                                      const node::Device& device, Family inner) {
  const auto local = state.address(device.underlay);
  const Encapsulation encapsulation = device.encapsulation();
  // The outer headers of an IPv6 tunnel have an option; those of WireGuard are not constant.
  if (encapsulation == Encapsulation::Wireguard || encapsulation == Encapsulation::Ip6Tnl)
    return std::nullopt;
  if (encapsulation == Encapsulation::None || !carries(encapsulation, inner)) return std::nullopt;
  if (!local || !runs_over(encapsulation, local->family())) return std::nullopt;
  IngressPath path{
      .ingress = Ingress::Uplink,
      .encapsulation = encapsulation,
      .ends = {.destination = *local, .vni = device.vni, .destination_port = device.udp_port}};
  const auto source = compiler.open_source(path, inner, state.pods);
  if (!source) return std::nullopt;
  path.ends.source = *source;
  const encap::Bits header = tunnel_header(device);
  DecapEntry made{.encapsulation = encapsulation,
                  .outer = local->family(),
                  .inner = inner,
                  .udp_port = network_order(device.udp_port),
                  .header_mask = network_order(header.mask),
                  .header_value = network_order(header.value & header.mask),
                  .mac = MacWord(device.mac)};
  if (local->is_ipv4()) {
    made.local = network_order(local->ipv4().bits);
  } else {
    made.local_ipv6 = {network_order(local->high), network_order(local->low)};
  }
  made.entries = compiler.entries(path, inner);
  made.sources = compiler.outer_sources(path, made.entries);
  return made.sources == 0 ? std::nullopt : std::optional(std::move(made));
}

std::vector<DecapEntry>& list_of(const DecapEntry& made, Compiled& compiled) {
  if (made.outer == Family::Ipv6) return compiled.over_ipv6;
  return made.inner == Family::Ipv6 ? compiled.ipv6_in_ipv4 : compiled.decap_entries;
}

Packet around(const IngressPath& path, Packet packet) {
  if (path.encapsulation != Encapsulation::None) encapsulate(packet, path.encapsulation, path.ends);
  return packet;
}

/// Returns the packet after the decision.
Packet applied(const Decision& decision, Packet packet) {
  --packet.inner.ttl;
  if (decision.encapsulation != Encapsulation::None) {
    encapsulate(packet, decision.encapsulation, decision.ends);
  }
  return packet;
}

Packet udp(IpAddress source, IpAddress destination, std::uint32_t bytes) {
  return PacketBuilder::udp(source, destination).ports(40000, 5201).length(bytes).build();
}

/// Returns one packet of every kind that can have an adjacency.
std::vector<Packet> every_kind(IpAddress source, IpAddress destination) {
  const bool ipv4 = destination.is_ipv4();
  const std::uint32_t bytes = ipv4 ? 40 : 60;
  constexpr std::uint8_t kSyn = 0x02;
  constexpr std::uint8_t kAck = 0x10;
  constexpr std::uint8_t kSctp = 132;
  constexpr std::uint16_t kEchoRequest = 8 * 256;
  const Packet datagram = udp(source, destination, bytes);
  Packet syn = datagram;
  syn.inner.protocol = forward::kTcp;
  syn.tcp_flags = kSyn;
  Packet ack = syn;
  ack.tcp_flags = kAck;
  // Other kinds of IPv6 packets take the full path.
  if (!ipv4) return {datagram, syn, ack};
  Packet echo = datagram;
  echo.inner.protocol = forward::kIcmp;
  echo.source_port = 7;
  echo.destination_port = kEchoRequest;
  Packet other = datagram;
  other.inner.protocol = kSctp;
  other.source_port = other.destination_port = 0;
  Packet error = other;
  error.inner.protocol = forward::kIcmp;
  error.icmp = forward::IcmpError{.type = 3,
                                  .code = 1,
                                  .quoted_source = destination,
                                  .quoted_destination = source,
                                  .quoted_protocol = forward::kUdp,
                                  .quoted_source_port = datagram.destination_port,
                                  .quoted_destination_port = datagram.source_port};
  return {datagram, syn, ack, echo, other, error};
}

/// Returns whether the node treats the next packet as if it had not seen this one. A used
/// identification and a connection without effect do not count.
bool learned_nothing(node::NodeRuntime& runtime) {
  const bool no_effect = std::ranges::all_of(runtime.connections.connections(), has_no_effect);
  if (!no_effect) return false;
  runtime.identification = {};
  runtime.connections = {};
  return runtime == node::NodeRuntime{};
}

}  // namespace

Compiled compile(std::shared_ptr<const node::NodeState> state) {
  Compiled compiled{.state = std::move(state)};
  compiled.classes = address_classes(*compiled.state);
  for (const AddressClass& one : compiled.classes)
    compiled.groups.push_back(one.group.value);
  compiled.tunnel_ports = PortSet(node::tunnel_ports(*compiled.state).all());
  Compiler compiler(compiled);
  for (const AddressClass& one : compiled.classes)
    compiled.pods.push_back(compiler.pod(one));
  compiled.from_pods = compiler.entries({.ingress = Ingress::Pod});
  compiled.from_uplink = compiler.entries({.ingress = Ingress::Uplink});
  for (const node::Device& device : compiled.state->devices) {
    for (const Family inner : {Family::Ipv4, Family::Ipv6}) {
      if (auto made = decap_entry(compiler, *compiled.state, device, inner))
        list_of(*made, compiled).push_back(std::move(*made));
    }
  }
  return compiled;
}

bool Decider::passes(const IngressPath& path, IpAddress source, IpAddress destination) {
  return probe_
      .single(around(path, udp(source, destination, min_bytes(destination.family()))), path.ingress)
      .has_value();
}

std::optional<Decision> Decider::decision(const IngressPath& path, IpAddress source,
                                          IpAddress destination) {
  std::optional<Decision> all;
  for (const Packet& packet : every_kind(source, destination)) {
    const auto one = decide(path, packet);
    if (!one || (all && *all != *one)) return std::nullopt;
    all = one;
  }
  return all;
}

std::optional<Decision> Decider::decide(const IngressPath& path, const Packet& packet) {
  const auto emission = probe_.single(around(path, packet), path.ingress);
  if (!emission || emission->egress == forward::Egress::Host) return std::nullopt;
  const Packet& sent = emission->packet;
  if (sent.encapsulation == Encapsulation::Wireguard) return std::nullopt;
  Decision decision{.egress = emission->egress, .next_hop = emission->next_hop};
  if (sent.is_encapsulated()) {
    decision.encapsulation = sent.encapsulation;
    decision.ends = {.source = sent.outer.source,
                     .destination = sent.outer.destination,
                     .vni = sent.vni,
                     .destination_port = sent.outer_destination_port};
  }
  Packet expected = applied(decision, packet);
  expected.outer.identification = sent.outer.identification;
  return expected == sent ? std::optional(decision) : std::nullopt;
}

std::uint32_t Decider::largest(const IngressPath& path, const Decision& decision, IpAddress source,
                               IpAddress destination) {
  const auto fits = [&](std::uint32_t bytes) {
    const Packet packet = udp(source, destination, bytes);
    Packet whole = packet;
    // IPv6 packets always have DF semantics.
    whole.inner.dont_fragment = destination.is_ipv4();
    return decide(path, packet) == decision && decide(path, whole) == decision;
  };
  // Most packets have the same MTU on their path.
  const std::uint32_t least = min_bytes(destination.family());
  std::uint32_t& last = last_largest_[destination.is_ipv4() ? 0 : 1];
  if (last >= least && fits(last) && !fits(last + 1)) return last;
  std::uint32_t low = least - 1;
  std::uint32_t high = 65536;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return last = low;
}

std::optional<forward::Emission> Probe::single(const forward::Packet& packet,
                                               forward::Ingress ingress) {
  const ClassLookup lookup(state_, classes_, finder_);
  node::NodeRuntime runtime;
  forward::NoObserver observer;
  outcome_.clear();
  forward::NodeDecision(lookup, observer, runtime, Picos{}, outcome_).run(packet, ingress);
  const bool is_single = outcome_.emissions.size() == 1 && !outcome_.drop && !outcome_.held &&
                         outcome_.completed.empty() && !outcome_.emissions[0].is_reply;
  if (!is_single || !learned_nothing(runtime)) return std::nullopt;
  return outcome_.emissions[0];
}

}  // namespace overlane::adjacency

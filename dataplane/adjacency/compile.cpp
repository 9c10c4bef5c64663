#include "dataplane/adjacency/compile.h"

#include <algorithm>
#include <compare>
#include <map>

#include "dataplane/adjacency/probe.h"
#include "dataplane/adjacency/pusher.h"
#include "dataplane/forward/encapsulate.h"
#include "dataplane/node/tunnel_ports.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::adjacency {
namespace {

using forward::Ingress;
using forward::Packet;

/// The smallest packet that takes an adjacency: IPv4 and UDP headers.
constexpr std::uint32_t kSmallest = 28;

/// A decision, as far as it does not depend on the packet.
struct Decision {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;
  Encapsulation encapsulation = Encapsulation::None;
  IpAddress outer_source;
  IpAddress outer_destination;
  std::uint32_t vni = 0;
  std::uint16_t udp_port = 0;

  auto operator<=>(const Decision&) const = default;
};

/// What the decision makes of a packet.
Packet applied(const Decision& decision, Packet packet) {
  --packet.inner.ttl;
  if (decision.encapsulation != Encapsulation::None) {
    encapsulate(packet, decision.encapsulation,
                {.source = decision.outer_source,
                 .destination = decision.outer_destination,
                 .vni = decision.vni,
                 .destination_port = decision.udp_port});
  }
  return packet;
}

/// The way that probes come in: what stands around them.
struct WayIn {
  Ingress ingress = Ingress::Pod;
  /// The tunnel that packets arrive in; an encapsulation of None for none.
  Encapsulation encapsulation = Encapsulation::None;
  forward::TunnelEnds ends;

  Packet around(const Packet& bare) const {
    Packet packet = bare;
    if (encapsulation != Encapsulation::None) encapsulate(packet, encapsulation, ends);
    return packet;
  }
};

/// UDP, TCP that opens a connection, TCP in one, an echo request, an ICMP error, and another
/// protocol.
std::vector<Packet> kinds_of_packet(IpAddress source, IpAddress destination) {
  constexpr std::uint8_t kSyn = 0x02;
  constexpr std::uint8_t kAck = 0x10;
  constexpr std::uint8_t kSctp = 132;
  constexpr std::uint16_t kEchoRequest = 8 * 256;
  Packet udp{.inner = {.source = source,
                       .destination = destination,
                       .total_length = 40,
                       .protocol = forward::kUdp},
             .source_port = 40000,
             .destination_port = 5201};
  Packet syn = udp;
  syn.inner.protocol = forward::kTcp;
  syn.tcp_flags = kSyn;
  Packet ack = syn;
  ack.tcp_flags = kAck;
  Packet echo = udp;
  echo.inner.protocol = forward::kIcmp;
  echo.source_port = 7;
  echo.destination_port = kEchoRequest;
  Packet other = udp;
  other.inner.protocol = kSctp;
  other.source_port = other.destination_port = 0;
  Packet error = other;
  error.inner.protocol = forward::kIcmp;
  error.icmp = forward::IcmpError{.type = 3,
                                  .code = 1,
                                  .quoted_source = destination,
                                  .quoted_destination = source,
                                  .quoted_protocol = forward::kUdp,
                                  .quoted_source_port = 5201,
                                  .quoted_destination_port = 40000};
  return {udp, syn, ack, echo, error, other};
}

class Compiler {
 public:
  Compiler(Compiled& to, const Resolve& resolve)
      : to_(to), resolve_(resolve), probe_(*to.state, to.classes) {
    for (const AddressClass& one : to.classes)
      samples_.try_emplace(one.group, one.sample);
  }

  std::vector<Entry> entries(const WayIn& way) {
    std::vector<Entry> entries;
    for (const AddressClass& one : to_.classes)
      entries.push_back(entry(way, one));
    return entries;
  }

  /// The groups of outer sources whose packets come in as those of `way` do, by what becomes of one
  /// packet that does.
  std::uint32_t outer_sources(const WayIn& way, const std::vector<Entry>& entries) {
    const auto inner = accepted_packet(entries);
    if (!inner) return 0;
    std::uint32_t groups = 0;
    for (const auto& [group, sample] : samples_) {
      WayIn from = way;
      from.ends.source = sample;
      if (sample.family() != way.ends.destination.family() || is_last(group)) continue;
      if (probe_.single(from.around(*inner), Ingress::Uplink)) groups |= 1u << group.value;
    }
    return groups;
  }

  /// A source that the entrance of `way` takes packets from, if there is any.
  std::optional<IpAddress> open_source(WayIn way, const std::vector<IpAddress>& pods) {
    for (const auto& [group, outer] : samples_) {
      if (outer.family() != way.ends.destination.family()) continue;
      way.ends.source = outer;
      for (const auto& [inner_group, inner] : samples_) {
        for (const IpAddress pod : pods) {
          if (inner.family() != pod.family()) continue;
          const Packet bare = kinds_of_packet(inner, pod)[0];
          if (probe_.single(way.around(bare), Ingress::Uplink)) return outer;
        }
      }
    }
    return std::nullopt;
  }

 private:
  static bool is_last(SourceGroup group) { return group.value == kSourceGroups - 1; }

  std::optional<Packet> accepted_packet(const std::vector<Entry>& entries) const {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      for (const auto& [group, sample] : samples_) {
        if ((entries[i].sources >> group.value & 1u) == 0) continue;
        return kinds_of_packet(sample, to_.classes[i].sample)[0];
      }
    }
    return std::nullopt;
  }

  /// Whether all addresses of the class lead to one next hop, and one tunnel's end.
  bool has_one_next_hop(const AddressClass& to) const {
    if (!to.route || to.is_local || to.route->route.kind != node::RouteKind::Unicast) return false;
    if (to.prefix.is_host() || to.route->route.via) return true;
    const node::Device* device = to_.state->find_device(to.route->route.device);
    return device != nullptr && device->encapsulation() != Encapsulation::None &&
           (device->remote || to.route->route.tunnel_destination);
  }

  Entry entry(const WayIn& way, const AddressClass& to) {
    Entry entry;
    if (!to.sample.is_ipv4() || !has_one_next_hop(to)) return entry;
    std::optional<Decision> taken;
    std::uint32_t largest = 0;
    for (const auto& [group, sample] : samples_) {
      if (!sample.is_ipv4() || is_last(group)) continue;
      const auto decision = one_decision(way, sample, to.sample);
      if (!decision || (taken && *taken != *decision)) continue;
      const std::uint32_t fits = largest_that_fits(way, *decision, sample, to.sample);
      if (fits < kSmallest || (taken && fits != largest)) continue;
      if (!taken) {
        const auto position = adjacency(*decision, fits);
        if (!position) return entry;
        entry.adjacency = *position;
        taken = decision;
        largest = fits;
      }
      entry.sources |= 1u << group.value;
    }
    return entry;
  }

  /// What is decided about every kind of packet, if it is the same.
  std::optional<Decision> one_decision(const WayIn& way, IpAddress source, IpAddress destination) {
    std::optional<Decision> all;
    for (const Packet& packet : kinds_of_packet(source, destination)) {
      const auto decision = decide(way, packet);
      if (!decision || (all && *all != *decision)) return std::nullopt;
      all = decision;
    }
    return all;
  }

  std::optional<Decision> decide(const WayIn& way, const Packet& packet) {
    const auto emission = probe_.single(way.around(packet), way.ingress);
    if (!emission || emission->egress == forward::Egress::Host) return std::nullopt;
    const Packet& sent = emission->packet;
    Decision decision{.egress = emission->egress, .next_hop = emission->next_hop};
    if (sent.is_encapsulated()) {
      decision.encapsulation = sent.encapsulation;
      decision.outer_source = sent.outer.source;
      decision.outer_destination = sent.outer.destination;
      decision.vni = sent.vni;
      decision.udp_port = sent.outer_destination_port;
    }
    Packet expected = applied(decision, packet);
    expected.outer.identification = sent.outer.identification;
    return expected == sent ? std::optional(decision) : std::nullopt;
  }

  /// The largest packet, with DF or without, for which the decision holds.
  std::uint32_t largest_that_fits(const WayIn& way, const Decision& decision, IpAddress source,
                                  IpAddress destination) {
    const auto fits = [&](std::uint32_t bytes) {
      Packet packet = kinds_of_packet(source, destination)[0];
      packet.inner.total_length = bytes;
      Packet whole = packet;
      whole.inner.dont_fragment = true;
      return decide(way, packet) == decision && decide(way, whole) == decision;
    };
    // Most packets meet the same MTU.
    if (last_largest_ >= kSmallest && fits(last_largest_) && !fits(last_largest_ + 1)) {
      return last_largest_;
    }
    std::uint32_t low = kSmallest - 1;
    std::uint32_t high = 65536;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (fits(middle) ? low : high) = middle;
    }
    return last_largest_ = low;
  }

  std::optional<std::uint32_t> adjacency(const Decision& decision, std::uint32_t largest) {
    const auto known = positions_.find({decision, largest});
    if (known != positions_.end()) return known->second;
    const auto link = resolve_(decision.egress, decision.next_hop);
    if (!link) return std::nullopt;
    Adjacency made{.link = *link,
                   .ether_type = network_order(wire::kEtherTypeIpv4),
                   .egress = decision.egress,
                   .encapsulation = decision.encapsulation,
                   .largest = largest,
                   .next_hop = decision.next_hop};
    if (decision.encapsulation != Encapsulation::None) {
      made.outer_destination = decision.outer_destination;
      if (!decision.outer_destination.is_ipv4()) {
        made.ether_type = network_order(wire::kEtherTypeIpv6);
      }
      made.pusher = add_pusher(*to_.state, decision.encapsulation,
                               {.source = decision.outer_source,
                                .destination = decision.outer_destination,
                                .vni = decision.vni,
                                .destination_port = decision.udp_port},
                               to_.pushers);
    }
    const auto position = static_cast<std::uint32_t>(to_.adjacencies.size());
    to_.adjacencies.push_back(std::move(made));
    positions_.emplace(std::pair(decision, largest), position);
    return position;
  }

  Compiled& to_;
  const Resolve& resolve_;
  Probe probe_;
  std::map<SourceGroup, IpAddress> samples_;  ///< One source of each group.
  std::map<std::pair<Decision, std::uint32_t>, std::uint32_t> positions_;
  std::uint32_t last_largest_ = 0;
};

/// The entrance of one device, if any packet may come in through it.
std::optional<Entrance> entrance(Compiler& compiler, const node::NodeState& state,
                                 const node::Device& device) {
  const auto local = state.address(device.underlay);
  const Encapsulation encapsulation = device.encapsulation();
  if (!local || !local->is_ipv4() || !carries(encapsulation, Family::Ipv4)) return std::nullopt;
  WayIn way{
      .ingress = Ingress::Uplink,
      .encapsulation = device.encapsulation(),
      .ends = {.destination = *local, .vni = device.vni, .destination_port = device.udp_port}};
  std::vector<IpAddress> pods;
  for (const node::LocalPod& pod : state.pods) {
    if (pod.address.is_ipv4()) pods.push_back(pod.address);
  }
  const auto source = compiler.open_source(way, pods);
  if (!source) return std::nullopt;
  way.ends.source = *source;
  Entrance made{.encapsulation = encapsulation,
                .local = *local,
                .vni = device.vni,
                .any_vni = device.external,
                .udp_port = device.udp_port,
                .mac = device.mac};
  made.entries = compiler.entries(way);
  made.sources = compiler.outer_sources(way, made.entries);
  return made.sources == 0 ? std::nullopt : std::optional(std::move(made));
}

}  // namespace

Compiled compile(std::shared_ptr<const node::NodeState> state, const Resolve& resolve) {
  Compiled compiled{.state = std::move(state)};
  compiled.classes = address_classes(*compiled.state);
  for (const AddressClass& one : compiled.classes)
    compiled.groups.push_back(one.group.value);
  compiled.tunnel_ports = PortSet(node::tunnel_ports(*compiled.state).all());
  Compiler compiler(compiled, resolve);
  compiled.from_pods = compiler.entries({.ingress = Ingress::Pod});
  compiled.from_uplink = compiler.entries({.ingress = Ingress::Uplink});
  for (const node::Device& device : compiled.state->devices) {
    if (auto made = entrance(compiler, *compiled.state, device)) {
      compiled.entrances.push_back(std::move(*made));
    }
  }
  return compiled;
}

}  // namespace overlane::adjacency

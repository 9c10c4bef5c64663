#include "dataplane/adjacency/compile.h"

#include <map>
#include <utility>

#include "dataplane/adjacency/decision.h"
#include "dataplane/adjacency/pusher.h"
#include "dataplane/encap/geneve/pop.h"
#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/encap/vxlan/pop.h"
#include "dataplane/node/runtime/node_runtime.h"
#include "dataplane/node/state/tunnel_ports.h"

namespace overlane::adjacency {
namespace {

using forward::Ingress;

class Compiler {
 public:
  explicit Compiler(Compiled& to) : to_(to), decider_(*to.state, to.classes) {
    for (const AddressClass& one : to.classes)
      samples_.try_emplace(one.group, one.sample);
  }

  std::vector<Entry> entries(const WayIn& way) {
    std::vector<Entry> entries;
    for (const AddressClass& one : to_.classes)
      entries.push_back(entry(way, one));
    return entries;
  }

  /// The next hop of the local pod that the class is.
  std::uint32_t pod(const AddressClass& one) {
    const bool is_pod = one.route && one.route->pod != nullptr && one.prefix.is_host();
    return is_pod ? next_hop({forward::Egress::Pod, one.sample}) : kNobody;
  }

  /// The groups of outer sources whose packets come in as those of `way` do, by what becomes of one
  /// packet that does.
  std::uint32_t outer_sources(const WayIn& way, const std::vector<Entry>& entries) {
    const auto inner = accepted_pair(entries);
    if (!inner) return 0;
    std::uint32_t groups = 0;
    for (const auto& [group, sample] : samples_) {
      if (sample.family() != way.ends.destination.family() || is_last(group)) continue;
      WayIn from = way;
      from.ends.source = sample;
      if (decider_.passes(from, inner->first, inner->second)) groups |= 1u << group.value;
    }
    return groups;
  }

  /// A source that the decap_entry of `way` takes packets for pods from, if there is any.
  std::optional<IpAddress> open_source(WayIn way, const std::vector<node::LocalPod>& pods) {
    for (const auto& [group, outer] : samples_) {
      if (outer.family() != way.ends.destination.family()) continue;
      way.ends.source = outer;
      for (const auto& [inner_group, inner] : samples_) {
        for (const node::LocalPod& pod : pods) {
          if (!inner.is_ipv4() || !pod.address.is_ipv4()) continue;
          if (decider_.passes(way, inner, pod.address)) return outer;
        }
      }
    }
    return std::nullopt;
  }

 private:
  static bool is_last(SourceGroup group) { return group.value == kSourceGroups - 1; }

  /// Source and destination of some packet that takes one of the entries.
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

  /// Whether all addresses of the class lead to one next hop, and one tunnel's end.
  bool has_one_next_hop(const AddressClass& to) const {
    if (!to.route || to.is_local || to.route->route.kind != node::RouteKind::Unicast) return false;
    // What goes to a Service is no stateless decision.
    if (to_.state->services && to_.state->services->has(to.sample)) return false;
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
      const auto decision = decider_.decision(way, sample, to.sample);
      if (!decision || (taken && *taken != *decision)) continue;
      const std::uint32_t fits = decider_.largest(way, *decision, sample, to.sample);
      if (fits < kLeastBytes || (taken && fits != largest)) continue;
      if (!taken) {
        entry.adjacency = adjacency(*decision, fits);
        taken = decision;
        largest = fits;
      }
      entry.sources |= 1u << group.value;
    }
    return entry;
  }

  std::uint32_t adjacency(const Decision& decision, std::uint32_t largest) {
    const auto [known, is_new] = positions_.try_emplace(
        {decision, largest}, static_cast<std::uint32_t>(to_.adjacencies.size()));
    if (!is_new) return known->second;
    const bool is_wrapped = decision.encapsulation != Encapsulation::None;
    const Family outermost = is_wrapped ? decision.ends.destination.family() : Family::Ipv4;
    Adjacency made{.egress = decision.egress,
                   .encapsulation = decision.encapsulation,
                   .ether_type = network_order(encap::ether_type_of(outermost)),
                   .next_hop = next_hop({decision.egress, decision.next_hop}),
                   .largest = largest};
    if (is_wrapped) {
      made.outer_destination = decision.ends.destination;
      made.has_identification = outermost == Family::Ipv4;
      made.identification_bucket = node::IdentificationCounters::bucket(made.outer_destination);
      to_.encapsulation = decision.encapsulation;
      made.pusher = add_pusher(*to_.state, decision.encapsulation, decision.ends, to_.pushers);
    }
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
  std::map<SourceGroup, IpAddress> samples_;  ///< One source of each group.
  std::map<std::pair<Decision, std::uint32_t>, std::uint32_t> positions_;
  std::map<NextHop, std::uint32_t> next_hops_;
};

/// What stands in the headers of packets to the device, of VXLAN and Geneve, which have the VNI in
/// one place.
encap::Bits tunnel_header(const node::Device& device) {
  encap::Bits bits =
      device.encapsulation() == Encapsulation::Geneve ? geneve::kPlainHeader : vxlan::kPlainHeader;
  // Metadata mode takes any VNI.
  if (!device.external) {
    bits.mask |= vxlan::kVniMask;
    bits.value |= std::uint64_t{device.vni} << 8;
  }
  return bits;
}

/// The decap_entry of one device, if any packet may come in through it.
std::optional<DecapEntry> decap_entry(Compiler& compiler, const node::NodeState& state,
                                      const node::Device& device) {
  const auto local = state.address(device.underlay);
  const Encapsulation encapsulation = device.encapsulation();
  if (!local || !local->is_ipv4() || !carries(encapsulation, Family::Ipv4)) return std::nullopt;
  if (encapsulation == Encapsulation::Wireguard) return std::nullopt;
  WayIn way{
      .ingress = Ingress::Uplink,
      .encapsulation = encapsulation,
      .ends = {.destination = *local, .vni = device.vni, .destination_port = device.udp_port}};
  const auto source = compiler.open_source(way, state.pods);
  if (!source) return std::nullopt;
  way.ends.source = *source;
  const encap::Bits header = tunnel_header(device);
  DecapEntry made{.encapsulation = encapsulation,
                  .local = network_order(local->ipv4().bits),
                  .udp_port = network_order(device.udp_port),
                  .header_mask = network_order(header.mask),
                  .header_value = network_order(header.value & header.mask),
                  .mac = MacWord(device.mac)};
  made.entries = compiler.entries(way);
  made.sources = compiler.outer_sources(way, made.entries);
  return made.sources == 0 ? std::nullopt : std::optional(std::move(made));
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
    if (auto made = decap_entry(compiler, *compiled.state, device)) {
      compiled.decap_entries.push_back(std::move(*made));
    }
  }
  return compiled;
}

}  // namespace overlane::adjacency

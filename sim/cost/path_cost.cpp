#include "sim/cost/path_cost.h"

#include <initializer_list>
#include <optional>

namespace overlane::cost {
namespace {

enum class Tunnel { Ipip, Vxlan, Wireguard };

/// SIT and ip6tnl cost as much as IPIP, Geneve as much as VXLAN: neither was measured separately.
std::optional<Tunnel> tunnel(Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return std::nullopt;
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
      return Tunnel::Ipip;
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      return Tunnel::Vxlan;
    case Encapsulation::Wireguard:
      return Tunnel::Wireguard;
  }
  return std::nullopt;
}

/// Sums up the costs of the stages on one path.
class Way {
 public:
  Way(const CostProfile& profile, Datapath datapath, const Offloads& offloads, Family family,
      Wire wire)
      : profile_(profile), datapath_(datapath), offloads_(offloads), family_(family), wire_(wire) {}

  Way& pass(std::initializer_list<Stage> stages) {
    for (const Stage stage : stages)
      pass(stage);
    return *this;
  }
  Way& pass(Stage stage) {
    const StageCost& cost = profile_.of(stage, family_);
    cost_.first += cost.per_skb + cost.per_packet;
    cost_.further += cost.per_packet;
    if (cost_.is_cut) cost_.further += Picos{cost.per_skb.count * kBurstPercent / 100};
    cost_.per_byte += cost.per_byte;
    return *this;
  }
  /// A stream's bytes enter the stack in large buffers whatever the offloads are (Linux 4.17 and
  /// later, sk_setup_caps); the first device without GSO segments them (validate_xmit_skb).
  Way& leave_socket() {
    pass(Stage::SocketSend);
    if (offloads_.gso) return *this;
    segment();
    cost_.is_cut = true;
    return *this;
  }
  /// Adds the work up to a socket's queue. Copying out of the queue is the application's work.
  Way& reach_socket() {
    const Picos per_byte = cost_.per_byte;
    pass(Stage::SocketReceive);
    cost_.per_byte = per_byte;
    return *this;
  }
  /// Adds the datapath's stages between a socket and the host's side of the NIC. The node's own
  /// sockets have none: their netfilter cost is part of socket-send and napi-receive, as measured
  /// on hosts without pods (Datapath::Host), and their route is cached.
  Way& between(Side socket) {
    if (socket == Side::Node) return *this;
    switch (datapath_) {
      case Datapath::Host:
        break;
      case Datapath::Netfilter:
        return pass({Stage::Veth, Stage::Netfilter, Stage::Fib});
      case Datapath::Ebpf:
        return pass(Stage::EbpfPass);
    }
    return *this;
  }
  Way& encap(Encapsulation out) {
    if (out == Encapsulation::Wireguard)
      return pass_each(Stage::WireguardCrypt).pass_each(Stage::WireguardSend);
    if (tunnel(out) == Tunnel::Vxlan && !offloads_.tunnel_checksum) sum_and_segment();
    return tunnelled(out, Stage::EncapIpip, Stage::EncapVxlan, Stage::EbpfEncap);
  }
  Way& decap(Encapsulation in) {
    if (in == Encapsulation::Wireguard)
      return pass_each(Stage::WireguardCrypt).pass_each(Stage::WireguardReceive);
    tunnelled(in, Stage::DecapIpip, Stage::DecapVxlan, Stage::EbpfDecap);
    if (!is_merged_behind_tunnel(in)) return *this;
    // GRO of the tunnel's device (gro_cells_receive).
    cost_.first += profile_[Stage::NapiReceive].per_packet;
    cost_.further += profile_[Stage::NapiReceive].per_packet;
    cost_.is_cut = false;
    return *this;
  }
  /// Adds a stage that handles every packet as a separate buffer.
  Way& pass_each(Stage stage) {
    const Picos further = cost_.further;
    pass(stage);
    cost_.further = further + profile_[stage].per_skb + profile_[stage].per_packet;
    return *this;
  }
  /// Adds a stage that handles a buffer as if it were one packet.
  Way& pass_whole(Stage stage) {
    const Picos further = cost_.further;
    pass(stage);
    cost_.further = further;
    return *this;
  }
  /// Adds segmentation in the kernel. Does nothing if the pod's device has segmented the buffer.
  Way& segment() {
    if (cost_.is_cut) return *this;
    cost_.further += profile_[Stage::Segment].per_packet;
    // No checksum is computed across a veth pair: the bytes stay in this machine's memory.
    if (wire_ != Wire::Veth) cost_.per_byte += profile_[Stage::Segment].per_byte;
    return *this;
  }
  /// A datagram's buffer only has room for the pod's own link header; a segment's buffer has more
  /// (MAX_TCP_HEADER). The tunnel's device copies a buffer without room (skb_cow_head).
  Way& make_room(Side socket, Encapsulation out) {
    if (socket == Side::Pod && tunnel(out)) cost_.per_datagram += profile_[Stage::Headroom].per_skb;
    return *this;
  }
  Way& hand_to_wireguard() {
    cost_.is_sealed = true;
    return *this;
  }
  /// Sends out of the NIC, or to the node behind a veth pair. Without NIC segmentation the kernel
  /// segments; a buffer of one packet then only needs its checksum.
  Way& leave(Encapsulation out) {
    const bool is_whole = nic_segments(offloads_, out);
    // A virtio queue takes a buffer as one chain of descriptors, or each packet as one.
    if (wire_ == Wire::Virtio)
      is_whole ? pass_whole(leaving()) : pass_each(leaving());
    else
      pass(leaving());
    return is_whole ? *this : segment();
  }

  /// Receives from the NIC. Through a veth pair, the sender's Veth stage already did this. A virtio
  /// queue hands over whole the buffers that the sender did not segment. Other packets come without
  /// a checksum that the guest can trust, because virtio has none for inner headers, so GRO
  /// computes it.
  Way& arrive(Encapsulation in) {
    if (wire_ == Wire::Veth) return *this;
    if (wire_ == Wire::Nic) return pass(Stage::NapiReceive);
    if (nic_segments(offloads_, in)) return pass_whole(Stage::NapiReceive);
    cost_.per_byte += profile_[Stage::Segment].per_byte;
    cost_.is_cut = is_merged_behind_tunnel(in);
    return pass(Stage::NapiReceive);
  }

  /// Receives from the NIC, every packet as a separate buffer.
  Way& arrive_each() { return wire_ == Wire::Veth ? *this : pass_each(Stage::NapiReceive); }
  Stage leaving() const { return wire_ == Wire::Veth ? Stage::Veth : Stage::DriverSend; }

  const PathCost& cost() const { return cost_; }

 private:
  /// What a device without checksums does before it sends.
  void sum_and_segment() {
    const StageCost& segment = profile_[Stage::Segment];
    // A device without GSO on the way has segmented the buffer, and summed it unless it is a veth.
    if (!cost_.is_cut) cost_.further += segment.per_packet;
    if (!cost_.is_cut || wire_ == Wire::Veth) cost_.per_byte += segment.per_byte;
    cost_.is_cut = true;
  }
  /// Whether the packets of a buffer pass the NIC and the tunnel one by one.
  bool is_merged_behind_tunnel(Encapsulation in) const {
    return wire_ == Wire::Virtio && tunnel(in) == Tunnel::Vxlan && !nic_segments(offloads_, in) &&
           !offloads_.zero_checksum_gro;
  }
  Way& tunnelled(Encapsulation encapsulation, Stage ipip, Stage vxlan, Stage ebpf) {
    const auto kind = tunnel(encapsulation);
    if (!kind) return *this;
    if (datapath_ == Datapath::Ebpf) return pass(ebpf);
    return pass(*kind == Tunnel::Ipip ? ipip : vxlan);
  }

  const CostProfile& profile_;
  Datapath datapath_;
  Offloads offloads_;
  Family family_;
  Wire wire_;
  PathCost cost_;
};

}  // namespace

bool nic_segments(const Offloads& offloads, Encapsulation out) {
  if (!offloads.gso) return false;
  const auto kind = tunnel(out);
  if (!kind) return offloads.tso;
  if (*kind == Tunnel::Wireguard) return false;
  if (*kind == Tunnel::Ipip) return offloads.ipxip4_segmentation;
  return offloads.udp_tnl_segmentation && offloads.tunnel_checksum;
}

PathCosts::PathCosts(const CostProfile& profile, Datapath datapath, const Offloads& offloads,
                     Wire wire)
    : steer_(profile[Stage::Steer].per_skb),
      service_rule_(profile[Stage::ServiceRule].per_skb),
      service_ipvs_(profile[Stage::ServiceIpvs].per_skb),
      service_nftables_(profile[Stage::ServiceNftables].per_skb),
      service_ebpf_(profile[Stage::ServiceEbpf].per_skb),
      service_nat_(profile[Stage::ServiceNat].per_skb),
      connection_(profile[Stage::Connection].per_skb),
      system_call_(profile[Stage::SystemCall].per_skb),
      interrupt_(profile[Stage::Interrupt].per_skb),
      wake_up_(profile[Stage::WakeUp].per_skb),
      wake_ipi_(profile[Stage::WakeIpi].per_skb),
      sleep_(profile[Stage::Sleep].per_skb) {
  if (datapath != Datapath::Host) sleep_ += profile[Stage::PodSleep].per_skb;
  const Way nothing(profile, datapath, offloads, Family::Ipv4, wire);
  copy_receive_ = profile[Stage::SocketReceive].per_byte;
  poll_ = Way(nothing).arrive(Encapsulation::None).cost();
  vhost_ = Way(nothing).pass(Stage::Vhost).cost();
  crypt_ = Way(nothing).pass_each(Stage::WireguardCrypt).cost();
  seal_ = Way(nothing).pass_each(Stage::WireguardSend).pass_each(nothing.leaving()).cost();
  sum_up(profile, datapath, offloads, Family::Ipv4, wire);
  sum_up(profile, datapath, offloads, Family::Ipv6, wire);
}

/// Sums up all paths of the packets of one family.
void PathCosts::sum_up(const CostProfile& profile, Datapath datapath, const Offloads& offloads,
                       Family family, Wire wire) {
  const auto way = [&] { return Way(profile, datapath, offloads, family, wire); };
  const auto path_of = [&](Side from, Side to, Encapsulation in, Encapsulation out) -> PathCost& {
    return paths_[path(from, to, in, out, family)];
  };
  Way local = way();
  local.leave_socket().between(Side::Pod);
  if (datapath == Datapath::Netfilter) local.pass(Stage::Veth);
  local.reach_socket();
  path_of(Side::Pod, Side::Pod, Encapsulation::None, Encapsulation::None) = local.cost();
  for (const EncapsulationFacts& out_facts : kEncapsulations) {
    const Encapsulation out = out_facts.encapsulation;
    for (const Side socket : {Side::Pod, Side::Node}) {
      path_of(socket, Side::Nic, out, out) =
          way().leave_socket().between(socket).make_room(socket, out).encap(out).leave(out).cost();
      path_of(Side::Nic, socket, out, out) =
          way().arrive(out).decap(out).between(socket).reach_socket().cost();
    }
    for (const EncapsulationFacts& in_facts : kEncapsulations) {
      const Encapsulation in = in_facts.encapsulation;
      Way transit = way();
      transit.arrive(in).decap(in).pass({Stage::Netfilter, Stage::Fib});
      path_of(Side::Nic, Side::Nic, in, out) = transit.encap(out).leave(out).cost();
    }
  }
  constexpr Encapsulation kSealed = Encapsulation::Wireguard;
  for (const Side socket : {Side::Pod, Side::Node}) {
    open_[static_cast<std::size_t>(family)][socket == Side::Node ? 1 : 0] =
        way().pass_each(Stage::WireguardReceive).between(socket).reach_socket().cost();
    path_of(socket, Side::Nic, kSealed, kSealed) =
        way().leave_socket().between(socket).segment().hand_to_wireguard().cost();
    path_of(Side::Nic, socket, kSealed, kSealed) = way().arrive_each().hand_to_wireguard().cost();
  }
}

Picos PathCosts::new_connection(ServiceRouting routing, std::uint32_t rank) const {
  switch (routing) {
    case ServiceRouting::Iptables:
      return service_rule_ * (std::int64_t{rank} + 1);
    case ServiceRouting::Ipvs:
      return service_ipvs_;
    case ServiceRouting::Nftables:
      return service_nftables_;
    case ServiceRouting::Ebpf:
      return service_ebpf_;
  }
  return {};
}

}  // namespace overlane::cost

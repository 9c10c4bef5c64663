#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/reference/byte_node.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/tunnel_headers.h"

namespace overlane::reference {

using forward::IpFields;

// The longest match wins: a node address before all pod CIDRs, and of equal pod CIDRs that of the
// first member.
std::optional<std::size_t> ByteNode::allowed_peer(const node::Device& device,
                                                  IpAddress address) const {
  const bool ipv4 = address.is_ipv4();
  const auto& members = state_.cluster->members();
  const Candidates peers = candidates(*state_.cluster, members_, address);
  std::optional<std::size_t> best;
  int best_bits = -1;
  for (std::size_t n = 0; n < peers.size(); ++n) {
    const std::size_t i = peers[n];
    const auto& addresses = ipv4 ? members[i].ipv4 : members[i].ipv6;
    if (!addresses) continue;
    if (!device.allows_nodes && device.underlay != address.family()) continue;
    int bits = -1;
    if (addresses->pod_cidr.contains(address)) bits = addresses->pod_cidr.bits();
    if (device.allows_nodes && addresses->node == address) bits = 1000;
    if (bits <= best_bits) continue;
    best = i;
    best_bits = bits;
  }
  return best == std::size_t{state_.self.value} ? std::nullopt : best;
}

std::optional<IpAddress> ByteNode::far_end(const Bytes& inner, const node::Route& route,
                                           const node::Device& device) const {
  if (device.remote) return device.remote;
  if (route.tunnel_destination) return route.tunnel_destination;
  const IpAddress next_hop = route.via.value_or(header_of(inner).destination);
  if (device.kind == node::DeviceKind::Ipip) return next_hop;
  if (device.kind == node::DeviceKind::Sit) {
    const Ipv6Address hop = next_hop.is_ipv4() ? Ipv6Address{} : next_hop.ipv6();
    const bool compatible = std::all_of(hop.bytes.begin(), hop.bytes.begin() + 12,
                                        [](std::uint8_t byte) { return byte == 0; });
    const std::uint32_t bits = load_be32(hop.bytes.data() + 12);
    return compatible && bits > 1 ? std::optional<IpAddress>(Ipv4Address{bits}) : std::nullopt;
  }
  if (device.kind == node::DeviceKind::Wireguard) {
    const auto peer = allowed_peer(device, header_of(inner).destination);
    if (!peer) return std::nullopt;
    const node::Member& member = state_.cluster->members()[*peer];
    const auto& end = device.underlay == Family::Ipv4 ? member.ipv4 : member.ipv6;
    return end ? std::optional(end->node) : std::nullopt;
  }
  if (device.kind != node::DeviceKind::Vxlan) return std::nullopt;
  const Candidates peers = candidates(*state_.cluster, members_, next_hop);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const node::Member& member = state_.cluster->members()[peers[i]];
    const auto& peer = next_hop.is_ipv4() ? member.ipv4 : member.ipv6;
    if (!peer || peer->tunnel != next_hop) continue;
    const auto& underlay = device.underlay == Family::Ipv4 ? member.ipv4 : member.ipv6;
    if (underlay) return underlay->node;
    return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MacAddress> ByteNode::mac_of(const node::Route& route,
                                           const node::Device& device) const {
  if (device.kind != node::DeviceKind::Vxlan || !route.via) return std::nullopt;
  const Candidates peers = candidates(*state_.cluster, members_, *route.via);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const node::Member& member = state_.cluster->members()[peers[i]];
    const auto& peer = route.via->is_ipv4() ? member.ipv4 : member.ipv6;
    if (peer && peer->tunnel == *route.via) return peer->vtep_mac;
  }
  return std::nullopt;
}

void ByteNode::leave_by_tunnel(const Bytes& bytes, const node::Route& route,
                               const node::Device& device) {
  const IpFields inner = header_of(bytes);
  const Encapsulation encapsulation = node::encapsulation_of(device.kind);
  const bool wrong_family = (encapsulation == Encapsulation::Ipip && !inner.is_ipv4()) ||
                            (encapsulation == Encapsulation::Sit && inner.is_ipv4());
  // Tunnels in tunnels are not supported. tunnelled_ is needed because the bytes of a later
  // fragment do not show the tunnel.
  if (tunnelled_ || wrong_family) return give_up(Drop::UnsupportedProtocol);
  const bool is_wireguard = encapsulation == Encapsulation::Wireguard;
  const auto destination = far_end(bytes, route, device);
  const bool over_ipv6 = destination && !destination->is_ipv4();
  const bool by_protocol4 =
      encapsulation == Encapsulation::Ipip || encapsulation == Encapsulation::Sit;
  const bool wrong_underlay =
      (by_protocol4 && over_ipv6) || (encapsulation == Encapsulation::Ip6Tnl && !over_ipv6);
  if (!destination || wrong_underlay) {
    if (device.kind == node::DeviceKind::Vxlan || is_wireguard) report_unreachable(bytes, 1, 3);
    return give_up(is_wireguard ? Drop::AllowedIps : Drop::NoNeighbour);
  }
  const auto own = own_address(state_, !over_ipv6);
  if (!own || has_address(state_, *destination)) return give_up(Drop::UnreachableRoute);
  const std::size_t padding =
      is_wireguard ? wireguard_padding(bytes.size(), route.mtu != 0 ? route.mtu : device.mtu) : 0;
  const std::size_t overhead =
      tunnel_header_bytes(encapsulation, over_ipv6) + (is_wireguard ? padding + 16 : 0);
  if (bytes.size() + overhead > (over_ipv6 ? 65575u : 65535u)) return give_up(Drop::MtuExceeded);
  const bool has_limit = encapsulation == Encapsulation::Ip6Tnl;
  if (has_limit && (inner.source == *destination || !limit_behind(bytes))) {
    return give_up(Drop::TunnelLoop);
  }
  Bytes wrapped = wrap(encapsulation, bytes,
                       {.source = *own,
                        .destination = *destination,
                        .vni = is_wireguard ? state_.self.value + 1 : device.vni,
                        .port = device.udp_port,
                        .padding = padding,
                        .source_mac = device.mac,
                        .destination_mac = mac_of(route, device).value_or(MacAddress{})});
  const auto outer_route = leading_route(wrapped, false);
  if (!outer_route) return;
  if (outer_route->route.device == device.name) return give_up(Drop::TunnelLoop);
  const std::size_t mtu = mtu_towards(*destination, *outer_route, false);
  const bool df_binds = encapsulation == Encapsulation::Ipip && inner.dont_fragment &&
                        state_.kernel.tunnel_pmtu_honours_inner_df;
  const bool is_told = encapsulation != Encapsulation::Sit && !is_wireguard;
  if (wrapped.size() > mtu && is_told) {
    runtime_.path_mtus.learn(inner.destination, static_cast<std::uint32_t>(mtu - overhead), now_);
  }
  const bool udp_over_ipv6 = over_ipv6 && encapsulation != Encapsulation::Ip6Tnl && !is_wireguard;
  if (udp_over_ipv6 && wrapped.size() > mtu) return give_up(Drop::MtuExceeded);
  if ((df_binds || encapsulation == Encapsulation::Ip6Tnl) && wrapped.size() > mtu) {
    if (inner.is_ipv4()) tell(bytes, 3, 4, mtu - overhead);
    if (!inner.is_ipv4()) tell(bytes, 2, 0, mtu - overhead);
    return give_up(Drop::MtuExceeded);
  }
  if (!over_ipv6) {
    wrapped = with_identification(wrapped, runtime_.identification.next(*destination));
  }
  tunnelled_ = true;
  if (const auto tracked = tracked_from(wrapped, true)) leave(*tracked, *outer_route, nullptr);
  tunnelled_ = false;
}

namespace {

/// The packet that all fragments make, with the header of the first one.
Bytes joined(const Bytes& first, const std::map<std::uint32_t, Bytes>& payloads,
             bool dont_fragment) {
  Bytes data;
  for (const auto& [offset, payload] : payloads)
    data.insert(data.end(), payload.begin(), payload.end());
  Bytes whole = reassembled(first, data);
  if (dont_fragment) store_be16(whole.data() + 6, 0x4000u);
  return with_ttl(std::move(whole), header_of(first).ttl);
}

/// The reassembled packet, encoded from its descriptor, because no bytes of its fragments are held.
Bytes described(forward::Packet whole, const node::Reassembled& result) {
  IpFields& fields = whole.outermost();
  fields.fragment_offset = 0;
  fields.more_fragments = false;
  fields.total_length = fields.header_bytes() + result.payload_bytes;
  fields.ttl = result.whole->ttl;
  fields.tos = result.whole->tos;
  fields.dont_fragment = result.whole->dont_fragment;
  if (!whole.is_encapsulated()) {
    whole.source_port = result.whole->source_port;
    whole.destination_port = result.whole->destination_port;
    whole.tcp_flags = result.whole->tcp_flags;
    whole.icmp = result.whole->icmp;
  }
  return encode(whole);
}

/// The first fragment of a packet that was never complete, encoded from its descriptor, because no
/// bytes of its fragments are held.
Bytes declarative_first(const node::ReassemblyTable::Expired& lost) {
  forward::Packet fragment{.inner = {.source = lost.key.source,
                                     .destination = lost.key.destination,
                                     .identification = lost.key.identification,
                                     .option_bytes = lost.first->option_bytes,
                                     .more_fragments = true,
                                     .protocol = lost.first->protocol,
                                     .ttl = lost.first->ttl,
                                     .tos = lost.first->tos},
                           .source_port = lost.first->source_port,
                           .destination_port = lost.first->destination_port,
                           .icmp = lost.first->icmp};
  fragment.inner.total_length = fragment.inner.header_bytes() + lost.first_end;
  return encode(fragment);
}

node::ReassemblyKey key_of(const IpFields& header) {
  return {header.source, header.destination, header.identification,
          header.is_ipv4() ? header.protocol : std::uint8_t{0}};
}

/// End of an IPv6 fragment in the fragmentable part of its packet, in bytes.
std::size_t end_of(const Bytes& fragment) {
  return header_of(fragment).fragment_offset + fragment.size() - fragment_at(fragment);
}

}  // namespace

bool ByteNode::tracks() const {
  return state_.filter && state_.filter->tracking != node::Tracking::Off;
}

std::optional<Bytes> ByteNode::gathered(const Bytes& bytes, node::DeviceName device) {
  came_in_.clear();
  const IpFields header = header_of(bytes);
  if (!tracks() || !header.is_fragment()) return bytes;
  const std::size_t end = end_of(bytes);
  if (!header.is_ipv4() && header.more_fragments && end % 8 != 0 && end <= 65535) {
    runtime_.reassembly.give_up(key_of(header));
    if (fragments_ != nullptr) fragments_->erase(key_of(header));
    return bytes;
  }
  auto whole = collect(bytes, device);
  if (whole && fragments_ != nullptr)
    tunnelled_ = !unwrapped_ && decode(*whole, tunnel_ports()).is_encapsulated();
  return whole;
}

std::optional<Bytes> ByteNode::for_this_node(const Bytes& bytes, node::DeviceName device) {
  const IpFields header = header_of(bytes);
  if (!header.is_fragment()) return bytes;
  if (!header.is_ipv4() && end_of(bytes) > 65535) {
    tell(bytes, 4, 0, fragment_at(bytes) - 6);
  } else if (!header.is_ipv4() && header.more_fragments && end_of(bytes) % 8 != 0) {
    tell(bytes, 4, 0, 4);
  }
  return collect(bytes, device);
}

std::optional<Bytes> ByteNode::collect(const Bytes& fragment, node::DeviceName device) {
  const IpFields header = header_of(fragment);
  const std::size_t at = fragment_at(fragment);
  const forward::Packet seen = decode(fragment, tunnel_ports());
  const bool outer = seen.is_encapsulated();
  node::FirstFragment first{
      .protocol = header.protocol,
      .ttl = header.ttl,
      .tos = header.tos,
      .dont_fragment = header.dont_fragment,
      .option_bytes = header.option_bytes,
      .source_port = outer ? seen.outer_source_port : seen.source_port,
      .destination_port = outer ? seen.outer_destination_port : seen.destination_port};
  if (!outer) {
    first.tcp_flags = seen.tcp_flags;
    first.icmp = seen.icmp;
  }
  const node::ReassemblyKey key = key_of(header);
  auto bytes = static_cast<std::uint32_t>(fragment.size() - at);
  const int seconds_left =
      header.is_ipv4() ? state_.sysctls.ipfrag_time : state_.sysctls.ip6frag_time;
  const auto result = runtime_.reassembly.add(key,
                                              {.begin = header.fragment_offset,
                                               .end = header.fragment_offset + bytes,
                                               .last = !header.more_fragments,
                                               .header = first,
                                               .device = device},
                                              now_, seconds(seconds_left));
  if (result.drop) give_up(*result.drop);
  if (!result.drop && !result.whole) held = key;
  if (fragments_ != nullptr && result.given_up) fragments_->erase(key);
  if (fragments_ != nullptr && !result.drop) {
    if (header.more_fragments) bytes -= bytes % 8;
    Bytes kept = fragment;
    kept.resize(at + bytes);
    // The first fragment keeps its headers, which become those of the whole packet.
    (*fragments_)[key][header.fragment_offset] =
        header.fragment_offset == 0 ? kept : tail(kept, at);
  }
  if (!result.whole) return std::nullopt;
  came_in_ = result.ends;
  largest_came_ = result.largest + (header.is_ipv4() ? 20 : 48);
  if (fragments_ == nullptr) {
    forward::Packet whole = *whole_;
    if (!tunnelled_) whole.encapsulation = Encapsulation::None;
    return described(whole, result);
  }
  auto payloads = std::move(fragments_->extract(key).mapped());
  const Bytes head = payloads.at(0);
  payloads[0] = tail(head, fragment_at(head));
  return with_tos(joined(head, payloads, result.whole->dont_fragment), result.whole->tos);
}

// IPv4 fragments keep the identification. If they get new ends, they also keep DF of the whole
// packet. IPv6 fragments get a new identification.
std::vector<Bytes> ByteNode::fragments_again(const Bytes& bytes, std::size_t mtu,
                                             const std::vector<std::uint32_t>& ends,
                                             bool into_tunnel) {
  const IpFields header = header_of(bytes);
  const bool as_they_came = !into_tunnel && largest_came_ <= mtu;
  std::size_t room = std::min(mtu, largest_came_);
  if (!header.is_ipv4()) {
    if (!as_they_came && room < 1280) room = 1280;
    if (bytes.size() <= room) return {bytes};
  }
  const std::uint32_t number =
      header.is_ipv4() ? 0u : runtime_.identification.next(header.destination);
  return as_they_came ? fragments_at(without_df(bytes), ends, number)
                      : fragments_of(bytes, room, number);
}

void ByteNode::time_out(const node::ReassemblyTable::Expired& lost, HeldFragments* fragments) {
  // For other drops, collect() erased the bytes already, and newer fragments may have the same key.
  if (lost.drop != Drop::ReassemblyTimeout) return;
  std::optional<Bytes> first;
  if (lost.first)
    first = fragments == nullptr ? declarative_first(lost) : fragments->at(lost.key).at(0);
  if (fragments != nullptr) fragments->erase(lost.key);
  const node::Device* device = nullptr;
  for (const node::Device& candidate : state_.devices)
    if (candidate.name == lost.device) device = &candidate;
  const IpAddress source = lost.key.source;
  if (!first || (device == nullptr && lost.device != state_.pod_device(source))) return;
  if (source.is_ipv4() && !has_address(state_, lost.key.destination)) return;
  if (device != nullptr && !reverse_path_accepts(source, *device)) return;
  tell(*first, source.is_ipv4() ? 11 : 3, 1, 0);
}

}  // namespace overlane::reference

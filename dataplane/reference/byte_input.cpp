#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/reference/byte_node.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/open_tunnel.h"
#include "dataplane/reference/tunnel_headers.h"

namespace overlane::reference {

using forward::Egress;
using forward::IpFields;

namespace {

Bytes tail(const Bytes& bytes, std::size_t from) {
  return Bytes(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(from, bytes.size())),
               bytes.end());
}

std::uint8_t tos_of(const Bytes& packet) {
  const bool ipv4 = packet[0] >> 4 == 4;
  return static_cast<std::uint8_t>(ipv4 ? packet[1] : packet[0] << 4 | packet[1] >> 4);
}

/// The packet that all pieces make, under the header of the first.
Bytes joined(const Bytes& first, const std::map<std::uint32_t, Bytes>& payloads) {
  const bool ipv4 = header_of(first).is_ipv4();
  Bytes whole(first.begin(), first.begin() + (ipv4 ? 20 : 40));
  for (const auto& [offset, payload] : payloads)
    whole.insert(whole.end(), payload.begin(), payload.end());
  if (ipv4) {
    store_be16(whole.data() + 2, static_cast<std::uint32_t>(whole.size()));
    store_be16(whole.data() + 6, load_be16(whole.data() + 6) & 0x4000u);
  } else {
    store_be16(whole.data() + 4, static_cast<std::uint32_t>(whole.size() - 40));
    whole[6] = first[40];
  }
  return with_ttl(std::move(whole), header_of(first).ttl);
}

/// The same when only the descriptor of the whole is known.
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
  }
  return encode(whole);
}

}  // namespace

void ByteNode::local(const Bytes& arrived) {
  const auto whole = collect(arrived);
  if (!whole) return;
  if (!passes_input(*whole)) return give_up(Drop::TunnelSource);
  if (!remembered(*whole)) return;
  const forward::Packet seen = decode(*whole, tunnel_ports());
  if (seen.is_encapsulated() && unwrapped_) return give_up(Drop::UnsupportedProtocol);
  if (seen.is_encapsulated()) return unwrap(*whole, seen.encapsulation);
  if (seen.inner.protocol == 17 && whole->size() < payload_at(*whole) + 8) {
    return give_up(Drop::Malformed);
  }
  if (seen.icmp && is_packet_too_big(*seen.icmp, seen.inner.family()) &&
      has_address(state_, seen.icmp->quoted_source)) {
    runtime_.path_mtus.learn(seen.icmp->quoted_destination, seen.icmp->next_hop_mtu, now_);
  }
  sent.push_back({Egress::Host, *whole, header_of(*whole).destination, telling_});
}

std::optional<Bytes> ByteNode::collect(const Bytes& fragment) {
  const IpFields header = header_of(fragment);
  if (!header.is_fragment()) return fragment;
  const std::size_t at = payload_at(fragment);
  const forward::Packet seen = decode(fragment, tunnel_ports());
  const bool outer = seen.is_encapsulated();
  const node::FirstFragment first{
      .ttl = header.ttl,
      .tos = header.tos,
      .dont_fragment = header.dont_fragment,
      .source_port = outer ? seen.outer_source_port : seen.source_port,
      .destination_port = outer ? seen.outer_destination_port : seen.destination_port,
      .tcp_flags = outer ? std::uint8_t{0} : seen.tcp_flags};
  const node::ReassemblyKey key{header.source, header.destination, header.identification,
                                header.is_ipv4() ? header.protocol : std::uint8_t{0}};
  auto bytes = static_cast<std::uint32_t>(fragment.size() - at);
  const auto result = runtime_.reassembly.add(key,
                                              {.begin = header.fragment_offset,
                                               .end = header.fragment_offset + bytes,
                                               .last = !header.more_fragments,
                                               .header = first},
                                              now_);
  if (result.drop) give_up(*result.drop);
  held = !result.drop && !result.whole;
  if (pieces_ != nullptr && result.given_up) pieces_->erase(key);
  if (pieces_ != nullptr && !result.drop) {
    if (header.more_fragments) bytes -= bytes % 8;
    Bytes kept = fragment;
    kept.resize(at + bytes);
    // The first piece keeps its header: what stands in front of its payload.
    (*pieces_)[key][header.fragment_offset] = header.fragment_offset == 0 ? kept : tail(kept, at);
  }
  if (!result.whole) return std::nullopt;
  if (pieces_ == nullptr) {
    forward::Packet whole = *whole_;
    if (!tunnelled_) whole.encapsulation = Encapsulation::None;
    return described(whole, result);
  }
  auto payloads = std::move(pieces_->extract(key).mapped());
  const Bytes head = payloads.at(0);
  payloads[0] = tail(head, payload_at(head));
  return with_tos(joined(head, payloads), result.whole->tos);
}

bool ByteNode::passes_input(const Bytes& bytes) const {
  const IpFields header = header_of(bytes);
  const std::size_t at = payload_at(bytes);
  const bool has_port = header.protocol == 17 && bytes.size() >= at + 4;
  const std::uint16_t port = has_port ? load_be16(bytes.data() + at + 2) : std::uint16_t{0};
  if (!state_.filter) return true;
  for (const node::TunnelGuard& guard : state_.filter->tunnel_guards) {
    if (guard.protocol != header.protocol) continue;
    if (guard.protocol == 17 && guard.udp_port != port) continue;
    for (const IpPrefix& network : guard.networks)
      if (network.contains(header.source)) return true;
    for (const node::Member& member : state_.cluster->members()) {
      const auto& addresses = header.is_ipv4() ? member.ipv4 : member.ipv6;
      if (guard.members && addresses && addresses->node == header.source) return true;
    }
    return false;
  }
  return true;
}

void ByteNode::unwrap(const Bytes& bytes, Encapsulation encapsulation) {
  const IpFields outer = header_of(bytes);
  const bool over_ipv6 = !outer.is_ipv4();
  const bool is_udp =
      encapsulation == Encapsulation::Vxlan || encapsulation == Encapsulation::Geneve;
  const Result<Bytes, Drop> payload = is_udp ? udp_datagram(bytes) : tail(bytes, payload_at(bytes));
  if (!payload) return give_up(payload.error());
  const std::uint16_t port = is_udp ? load_be16(payload->data() + 2) : std::uint16_t{0};
  const std::uint32_t vni = is_udp && payload->size() >= 15 ? load_be24(payload->data() + 12) : 0;
  const node::Device* device = nullptr;
  bool listens = false;
  for (const node::Device& candidate : state_.devices) {
    if (node::encapsulation_of(candidate.kind) != encapsulation || candidate.udp_port != port)
      continue;
    if ((candidate.underlay == Family::Ipv6) != over_ipv6) continue;
    const bool is_stranger = candidate.remote && *candidate.remote != outer.source;
    if (candidate.up && (is_udp || !is_stranger)) listens = true;
    if (is_stranger || (!candidate.external && candidate.vni != vni)) continue;
    if (device == nullptr || (candidate.remote && !device->remote)) device = &candidate;
  }
  if (!listens) {
    tell_unreachable(bytes, 3, 4);
    return give_up(Drop::TunnelUnknown);
  }
  const auto opened =
      open_tunnel(encapsulation, outer.protocol, *payload, device != nullptr && device->external);
  if (!opened) return give_up(opened.error());
  if (device == nullptr || !device->up) return give_up(Drop::TunnelUnknown);
  // Without bytes of its own the packet has no Ethernet addresses inside.
  if (is_udp && pieces_ != nullptr) {
    if (opened->source_mac == device->mac) return give_up(Drop::TunnelLoop);
    if (opened->destination_mac != device->mac) return give_up(Drop::NotLocal);
  }
  const auto tos = tos_after_unwrapping(tos_of(opened->inner), outer.tos);
  if (!tos) return give_up(Drop::EcnCorrupted);
  if (const auto fault = fault_of(opened->inner)) return give_up(*fault);
  tunnelled_ = false;
  unwrapped_ = true;
  come_in(with_tos(trimmed(opened->inner), *tos), device);
}

}  // namespace overlane::reference

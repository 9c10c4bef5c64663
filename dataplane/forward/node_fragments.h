#pragma once

#include "dataplane/forward/node_decision.h"

namespace overlane::forward {

/// What connection tracking does first, at PREROUTING and OUTPUT (ipv4_conntrack_defrag,
/// ipv6_defrag): makes `packet` the whole of which it is the last missing fragment; else holds or
/// drops it, and is false. An IPv6 fragment of uneven length ends its packet and goes on alone
/// (nf_ct_frag6_queue).
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::gather(Packet& packet, const node::Device* device,
                                            Origin origin) {
  came_as_fragments_.reset();
  if (!must_gather(packet)) return true;
  node::Fragment fragment = fragment_of(packet);
  const Family family = packet.outermost().family();
  if (node::is_uneven(family, fragment) && !node::ends_too_late(family, fragment)) {
    runtime_.reassembly.give_up(key_of(packet.outermost()));
    observer_.given_up(key_of(packet.outermost()));
    return true;
  }
  if (origin == Origin::Forwarded) fragment.device = device_name(packet, device);
  return put_together(packet, fragment);
}

/// ip_local_deliver and ipv6_frag_rcv, of what is for the node itself.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::reassemble(Packet& packet, const node::Device* device) {
  node::Fragment fragment = fragment_of(packet);
  fragment.device = device_name(packet, device);
  answer_wrong_fragment(packet, fragment);
  return put_together(packet, fragment);
}

template <typename Lookup, typename Observer>
node::Fragment NodeDecision<Lookup, Observer>::fragment_of(const Packet& packet) {
  const IpFields& header = packet.outermost();
  const bool outer = packet.is_encapsulated();
  node::Fragment fragment{
      .begin = header.fragment_offset,
      .end = header.fragment_offset + header.payload_bytes(),
      .last = !header.more_fragments,
      .header = {
          .protocol = header.protocol,
          .ttl = header.ttl,
          .tos = header.tos,
          .dont_fragment = header.dont_fragment,
          .option_bytes = header.option_bytes,
          .source_port = outer ? packet.outer_source_port : packet.source_port,
          .destination_port = outer ? packet.outer_destination_port : packet.destination_port}};
  if (outer) return fragment;
  fragment.header.tcp_flags = packet.tcp_flags;
  fragment.header.icmp = packet.icmp;
  return fragment;
}

template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::put_together(Packet& packet, const node::Fragment& fragment) {
  IpFields& header = packet.outermost();
  const node::Sysctls& sysctls = lookup_.state().sysctls;
  const node::ReassemblyKey key = key_of(header);
  auto result =
      runtime_.reassembly.add(key, fragment, now_, sysctls.reassembly_timeout(header.family()));
  if (result.given_up) observer_.given_up(key);
  if (result.drop) {
    drop(*result.drop, packet);
    return false;
  }
  if (!result.whole) {
    outcome_.held = key;
    observer_.held(packet, key);
    return false;
  }
  outcome_.completed.push_back(key);
  header.fragment_offset = 0;
  header.more_fragments = false;
  header.option_bytes = result.whole->option_bytes;
  header.total_length = header.header_bytes() + result.payload_bytes;
  header.ttl = result.whole->ttl;
  header.tos = result.whole->tos;
  header.dont_fragment = result.whole->dont_fragment;
  if (!header.is_ipv4()) header.identification = 0;
  if (!packet.is_encapsulated()) {
    packet.source_port = result.whole->source_port;
    packet.destination_port = result.whole->destination_port;
    packet.tcp_flags = result.whole->tcp_flags;
    packet.icmp = result.whole->icmp;
  }
  const std::uint32_t header_bytes =
      header.is_ipv4() ? kIpv4HeaderBytes : kIpv6HeaderBytes + kIpv6FragmentHeaderBytes;
  came_as_fragments_ =
      CameAsFragments{.ends = std::move(result.ends), .largest = header_bytes + result.largest};
  observer_.reassembled(packet, key);
  return true;
}

/// ip6_frag_queue: the pointer shows the payload length, or the offset in the fragment header.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::answer_wrong_fragment(const Packet& packet,
                                                           const node::Fragment& fragment) {
  constexpr std::uint32_t kPayloadLength = 4;
  constexpr std::uint32_t kFragmentOffset = kIpv6HeaderBytes + 2;
  const Family family = packet.outermost().family();
  if (node::ends_too_late(family, fragment)) {
    answer(IcmpReason::WrongField, packet, kFragmentOffset);
  } else if (node::is_uneven(family, fragment)) {
    answer(IcmpReason::WrongField, packet, kPayloadLength);
  }
}

/// ip_expire and ip6frag_expire_frag_queue: only with the first fragment, and while the device that
/// the last one came through is there. In IPv4 fragments in transit end silently.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::tell_of_timeout(const node::ReassemblyTable::Expired& lost) {
  if (!lost.first || lost.device.empty()) return;
  const node::FirstFragment& first = *lost.first;
  Packet cause{.inner = {.source = lost.key.source,
                         .destination = lost.key.destination,
                         .identification = lost.key.identification,
                         .option_bytes = first.option_bytes,
                         .more_fragments = true,
                         .protocol = first.protocol,
                         .ttl = first.ttl,
                         .tos = first.tos},
               .source_port = first.source_port,
               .destination_port = first.destination_port,
               .icmp = first.icmp};
  cause.inner.total_length = cause.inner.header_bytes() + lost.first_end;
  const node::Device* device = lookup_.device(lost.device);
  const bool from_pod =
      device == nullptr && lost.device == lookup_.state().pod_device(lost.key.source);
  if (device == nullptr && !from_pod) return;
  if (cause.inner.is_ipv4()) {
    if (!lookup_.is_local(lost.key.destination)) return;
    if (device != nullptr && !source_is_valid(cause, *device)) return;
  }
  answer(IcmpReason::ReassemblyTimeout, cause);
}

}  // namespace overlane::forward

#pragma once

#include <utility>

#include "dataplane/forward/decision_context.h"
#include "dataplane/forward/packet_transform.h"

namespace overlane::forward {

// Reassembly of fragments on a node, at two places: before connection tracking, also for packets in
// transit (ipv4_conntrack_defrag, ipv6_defrag), and for packets to the node itself
// (ip_local_deliver, ipv6_frag_rcv). The fragments wait in node::ReassemblyTable. With the last
// missing fragment the current packet becomes the whole packet. In transit a reassembled packet
// leaves as fragments again (node_output.h), which depend on the sizes of the received ones.

/// Reassembly for one packet. `context` is always the packet's DecisionContext.
class Defragmentation {
 public:
  /// Returns whether connection tracking has to reassemble the packet first.
  template <typename Context>
  static bool must_gather(const Context& context, const Packet& packet) {
    return packet.outermost().is_fragment() && context.tracks();
  }

  /// Defragmentation in front of connection tracking, at PREROUTING and OUTPUT. If `packet` is the
  /// last missing fragment, makes it the whole packet and returns true. Else holds or drops the
  /// fragment and returns false. An IPv6 fragment of uneven length ends the reassembly of its
  /// packet and continues alone (nf_ct_frag6_queue).
  template <typename Context>
  bool gather(Context& context, Packet& packet, const node::Device* device, Origin origin) {
    received_fragments_.reset();
    if (!must_gather(context, packet)) return true;
    node::Fragment fragment = fragment_of(packet);
    const Family family = packet.outermost().family();
    if (node::is_uneven(family, fragment) && !node::ends_too_late(family, fragment)) {
      const node::ReassemblyKey key = reassembly_key(packet.outermost());
      context.runtime.reassembly.give_up(key);
      context.observer.given_up(key);
      return true;
    }
    if (origin == Origin::Forwarded) fragment.device = device_name(context, packet, device);
    return put_together(context, packet, fragment);
  }

  /// Reassembles a packet for the node itself. Calls `answer` with the offset of the wrong field if
  /// an IPv6 fragment is invalid, so that its sender gets an ICMP error.
  template <typename Context, typename Answer>
  bool reassemble(Context& context, Packet& packet, const node::Device* device, Answer answer) {
    node::Fragment fragment = fragment_of(packet);
    fragment.device = device_name(context, packet, device);
    if (const auto field = wrong_field(packet.outermost().family(), fragment)) answer(*field);
    return put_together(context, packet, fragment);
  }

  /// Removes and returns the sizes of the received fragments of the current packet. Returns nothing
  /// if the node did not reassemble it in transit.
  std::optional<ReceivedFragments> take() {
    return std::exchange(received_fragments_, std::nullopt);
  }
  /// Forgets the fragments of the previous packet.
  void forget() { received_fragments_.reset(); }

 private:
  template <typename Context>
  static node::DeviceName device_name(const Context& context, const Packet& packet,
                                      const node::Device* device) {
    return device == nullptr ? context.state().pod_device(packet.outermost().source) : device->name;
  }

  static node::Fragment fragment_of(const Packet& packet) {
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

  /// Returns the offset of the wrong field in an IPv6 fragment: the payload length, or the offset
  /// in the fragment header (ip6_frag_queue).
  static std::optional<std::uint32_t> wrong_field(Family family, const node::Fragment& fragment) {
    constexpr std::uint32_t kPayloadLength = 4;
    constexpr std::uint32_t kFragmentOffset = kIpv6HeaderBytes + 2;
    if (node::ends_too_late(family, fragment)) return kFragmentOffset;
    if (node::is_uneven(family, fragment)) return kPayloadLength;
    return std::nullopt;
  }

  template <typename Context>
  bool put_together(Context& context, Packet& packet, const node::Fragment& fragment) {
    IpFields& header = packet.outermost();
    const node::ReassemblyKey key = reassembly_key(header);
    auto result = context.runtime.reassembly.add(
        key, fragment, context.now, context.state().sysctls.reassembly_timeout(header.family()));
    if (result.given_up) context.observer.given_up(key);
    if (result.drop) {
      context.drop(*result.drop, packet);
      return false;
    }
    if (!result.whole) {
      context.outcome.held = key;
      context.observer.held(packet, key);
      return false;
    }
    context.outcome.completed.push_back(key);
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
    received_fragments_ =
        ReceivedFragments{.ends = std::move(result.ends), .largest = header_bytes + result.largest};
    context.observer.reassembled(packet, key);
    return true;
  }

  std::optional<ReceivedFragments> received_fragments_;
};

}  // namespace overlane::forward

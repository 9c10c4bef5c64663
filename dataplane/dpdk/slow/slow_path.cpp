#include "dataplane/dpdk/slow/slow_path.h"

#include <rte_mbuf.h>
#include <vector>

#include "dataplane/byte_rewrite/rewrite_steps.h"
#include "dataplane/dpdk/tables/lpm_find.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/neighbour/address_kind.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::dpdk {

using forward::Egress;
using forward::Ingress;

namespace {

/// IPv4 default gateway of pods, set by Calico's CNI plugin. The host's end of their veth answers
/// for it (projectcalico/calico, cni-plugin/pkg/dataplane/linux).
constexpr Ipv4Address kPodGateway{0xa9fe0101};
/// IPv6 default gateway of pods: the link-local address of ee:ee:ee:ee:ee:ee, which the host's end
/// of a veth always has.
constexpr Ipv6Address kPodGateway6{
    {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xec, 0xee, 0xee, 0xff, 0xfe, 0xee, 0xee, 0xee}};

using PacketBytes = std::span<const std::uint8_t>;

/// Header fields of a packet to fragment; no IPv6 extension header precedes its Fragment header.
forward::IpFields fields_of(PacketBytes packet, const byte_rewrite::Layout& layout,
                            std::uint32_t identification) {
  forward::IpFields fields;
  fields.total_length = static_cast<std::uint32_t>(packet.size());
  if (layout.ipv4) {
    const wire::Ipv4Header header = wire::parse_quoted_ipv4(packet).value();
    fields.source = header.source;
    fields.destination = header.destination;
    fields.identification = header.identification;
    fields.option_bytes = static_cast<std::uint16_t>(layout.shared - forward::kIpv4HeaderBytes);
    fields.ttl = header.ttl;
  } else {
    const auto header = wire::parse_ipv6(packet).value();
    fields.source = header.source;
    fields.destination = header.destination;
    fields.identification = identification;
    fields.ttl = header.hop_limit;
  }
  return fields;
}

/// The link of packets that arrive from `ingress`.
Egress link_of(Ingress ingress) {
  return ingress == Ingress::Pod      ? Egress::Pod
         : ingress == Ingress::Uplink ? Egress::Uplink
                                      : Egress::Host;
}

}  // namespace

neighbour::Answers gateway_answers() {
  return {.own = {kPodGateway, kPodGateway6}, .proxy_arp = true};
}

neighbour::Answers uplink_answers(const node::NodeState& state) {
  neighbour::Answers answers;
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    if (const auto own = state.address(family)) answers.own.push_back(*own);
  }
  return answers;
}

void as_fragments(PacketBytes packet, std::uint32_t mtu, std::uint32_t identification,
                  const std::function<void(PacketBytes)>& take) {
  const byte_rewrite::Layout layout = byte_rewrite::layout_of(packet);
  if (packet.size() <= mtu || layout.is_fragment()) return take(packet);
  std::vector<std::uint8_t> whole(packet.begin(), packet.end());
  byte_rewrite::PacketBuffer buffer;
  const forward::Packet described{.inner = fields_of(packet, layout, identification)};
  forward::fragment(described, mtu, [&](const forward::Packet& fragment) {
    take(byte_rewrite::fragment(whole, fragment.inner, buffer));
  });
}

/// Receives the output of the full path.
class SlowPath::OnFullPath {
 public:
  OnFullPath(SlowPath& path, Picos now) : path_(path), now_(now) {}

  void sent(const byte_rewrite::Sent& sent) {
    path_.counters_.errors_made += sent.is_reply;
    sent_ += !sent.is_reply;
    const Port* port = path_.links_.port(sent.egress);
    if (port == nullptr) {
      ++path_.counters_.to_host;
      return;
    }
    std::size_t fragments = 0;
    const auto send = [&](std::span<const std::uint8_t> packet) {
      ++fragments;
      path_.links_.send(sent.egress, sent.next_hop, packet, sent.is_reply, now_);
    };
    if (sent.egress == Egress::Host) {
      as_fragments(sent.bytes, port->mtu(), ++path_.host_identification_, send);
      path_.counters_.fragments_made += fragments - 1;
    } else {
      send(sent.bytes);
    }
  }
  void lost(const node::ReassemblyTable::Expired& lost) {
    path_.counters_.drops[lost.drop] += static_cast<std::int64_t>(lost.fragments);
  }
  /// Packets that left, without ICMP errors.
  std::size_t sent() const { return sent_; }

 private:
  SlowPath& path_;
  Picos now_;
  std::size_t sent_ = 0;
};

SlowPath::SlowPath(const PacketPool& pool, SendQueue& to_pods, SendQueue& to_uplink,
                   SendQueue* to_host, unsigned readers)
    : links_(pool, to_pods, to_uplink, to_host), tables_(readers) {}

void SlowPath::replace(std::shared_ptr<const Generation> generation, Picos now) {
  if (generation_) disposal_.take(std::move(generation_));
  generation_ = std::move(generation);
  node::forget_lost_devices(runtime_, generation_->state());
  links_.replace(*generation_, now);
  publish();
}

void SlowPath::publish() {
  tables_.publish({generation_, exceptions_.current()});
}

void SlowPath::take(std::span<rte_mbuf* const> packets, Ingress ingress, Picos now) {
  for (rte_mbuf* packet : packets) {
    if (rte_pktmbuf_linearize(packet) == 0) {
      take_frame({rte_pktmbuf_mtod(packet, const std::uint8_t*), packet->data_len}, ingress, now);
    } else {
      refuse(Drop::Malformed);
    }
  }
  rte_pktmbuf_free_bulk(const_cast<rte_mbuf**>(packets.data()),
                        static_cast<unsigned>(packets.size()));
}

void SlowPath::take_frame(std::span<const std::uint8_t> frame, Ingress ingress, Picos now) {
  const auto header = wire::parse_ethernet(frame);
  if (!header) return refuse(header.error());
  const Egress link = link_of(ingress);
  if (links_.receive(link, frame, now)) {
    ++counters_.neighbours;
    if (ingress == Ingress::Pod) admit_unresolved(now);
    return;
  }
  // Linux does not forward packets that arrived as link-layer broadcast or multicast (ip_forward,
  // ip6_forward).
  if (header->destination != links_.port(link)->mac()) return refuse(Drop::NotLocal);
  if (header->ether_type != wire::kEtherTypeIpv4 && header->ether_type != wire::kEtherTypeIpv6) {
    return refuse(Drop::UnsupportedProtocol);
  }
  ++counters_.full;
  if (ingress == Ingress::Pod) return take_from_pod(frame, now);
  take_packet(frame.subspan(wire::kEthernetBytes), ingress, now);
}

void SlowPath::take_from_pod(std::span<const std::uint8_t> frame, Picos now) {
  const auto packet = frame.subspan(wire::kEthernetBytes);
  const auto source = neighbour::source_of(packet);
  // The full path decides on packets whose source is not a local pod.
  if (!source || !links_.is_pod(*source)) return take_packet(packet, Ingress::Pod, now);
  const auto known = links_.pod(*source);
  if (known == wire::parse_ethernet(frame)->source) return take_packet(packet, Ingress::Pod, now);
  if (known) {
    links_.doubt_pod(*source, now);
    ++counters_.drops[Drop::SourceSpoofed];
    return;
  }
  links_.ask_pod(*source, now);
  if (!unresolved_.keep(*source, frame)) ++counters_.drops[Drop::CpuBacklogFull];
}

void SlowPath::admit_unresolved(Picos now) {
  const auto is_decided = [&](IpAddress source) {
    return links_.pod(source) || !links_.has_pod(source);
  };
  unresolved_.release(is_decided, [&](IpAddress source, std::span<const std::uint8_t> frame) {
    if (links_.has_pod(source)) return take_from_pod(frame, now);
    // No neighbour claims the address.
    ++counters_.drops[Drop::SourceSpoofed];
  });
}

void SlowPath::take_packet(std::span<const std::uint8_t> packet, Ingress ingress, Picos now) {
  decide([&](const auto& lookup) {
    OnFullPath handler(*this, now);
    const auto fate = full_path_.run(lookup, runtime_, packet, ingress, now, handler);
    if (fate.drop) ++counters_.drops[*fate.drop];
    const std::size_t became = handler.sent() + (fate.drop ? 1 : 0);
    if (became > 1) counters_.fragments_made += became - 1;
    counters_.fragments_joined += fate.joined;
    // Also counts the fragments that became useless with the packet.
    full_path_.time_out(lookup, runtime_, now, handler);
  });
}

template <typename Do>
void SlowPath::decide(Do action) {
  const AnyFinder finder(*generation_);
  const adjacency::ClassLookup lookup(generation_->state(), generation_->compiled.classes, finder);
  runtime_.connections.checkpoint();
  action(lookup);
  exceptions_.learn(runtime_);
}

void SlowPath::tick(Picos now) {
  links_.tick(now);
  admit_unresolved(now);
  report_unreachable(now);
  decide([&](const auto& lookup) {
    OnFullPath handler(*this, now);
    full_path_.time_out(lookup, runtime_, now, handler);
  });
  if (exceptions_.renew(runtime_, now)) publish();
  tables_.reclaim();
  disposal_.tick();
}

void SlowPath::report_unreachable(Picos now) {
  for (const auto& packet : links_.take_unanswered()) {
    decide([&](const auto& lookup) {
      OnFullPath handler(*this, now);
      full_path_.report_unreachable(lookup, runtime_, packet, now, handler);
    });
  }
}

void SlowPath::give_up_waiting() {
  links_.give_up();
  unresolved_.release(
      [](IpAddress) { return true; },
      [&](IpAddress, std::span<const std::uint8_t>) { ++counters_.drops[Drop::NoNeighbour]; });
}

void SlowPath::free_old() {
  tables_.reclaim();
  disposal_.finish();
}

void SlowPath::refuse(Drop reason) {
  ++counters_.refused;
  ++counters_.drops[reason];
}

}  // namespace overlane::dpdk

#include "dataplane/dpdk/slow_path.h"

#include <algorithm>
#include <rte_mbuf.h>

#include "dataplane/dpdk/answers.h"
#include "dataplane/dpdk/host_pieces.h"
#include "dataplane/dpdk/lpm_find.h"
#include "dataplane/neighbour/packet_source.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::dpdk {
namespace {

using forward::Egress;
using forward::Ingress;

/// More neighbours than a cluster of 5,000 nodes in one subnet has, of both families: Linux's
/// gc_thresh3 of 1,024 is what operators raise for it.
constexpr std::size_t kMostNeighbours = 16'384;

/// How often next hops are said to be in use, since packets that take adjacencies do not: well
/// within neighbour::kStale. And how many at once: 5,000 take less than a second of ticks, and no
/// port's queue overflows with what is asked.
constexpr Picos kWant = seconds(20);
constexpr std::size_t kWantAtOnce = 64;

/// Of how many packets that nobody answered for senders are told in one tick: no more errors leave
/// in a second (icmp_msgs_per_sec, net/ipv4/icmp.c).
constexpr std::size_t kMostTold = 1000;

/// What is sent with a mark: an ICMP error of the node.
constexpr neighbour::Mark kError = 1;

}  // namespace

/// What the node's part in a link's conversations comes to.
class SlowPath::OnLink {
 public:
  OnLink(SlowPath& path, Side& side) : path_(path), side_(side) {}

  void transmit(std::span<const std::uint8_t> frame, neighbour::Mark mark) {
    rte_mbuf* packet = buffer_with(frame);
    if (packet == nullptr) {
      ++path_.counters_.drops[Drop::CpuBacklogFull];
    } else if (mark == kError) {
      path_.counters_.errors_sent += side_.queue.send(packet);
    } else {
      side_.queue.add(packet);
    }
  }
  void say(std::span<const std::uint8_t> frame) {
    rte_mbuf* message = buffer_with(frame);
    const bool sent = message != nullptr && side_.queue.send_uncounted(message);
    ++(sent ? path_.counters_.messages_sent : path_.counters_.messages_lost);
  }
  void learnt(IpAddress address, const MacAddress& mac) {
    if (const auto at = position(address)) {
      path_.generation_->links->set(*at, mac, side_.queue.port().mac());
    }
  }
  void lost(IpAddress address) {
    if (const auto at = position(address)) path_.generation_->links->forget(*at);
  }
  void unanswered(IpAddress next_hop, std::span<const std::uint8_t> packet, neighbour::Mark mark) {
    if (path_.unanswered_.size() < kMostTold) {
      path_.unanswered_.emplace_back(packet.begin(), packet.end());
    }
    undelivered(next_hop, packet, mark);
  }
  void undelivered(IpAddress, std::span<const std::uint8_t>, neighbour::Mark) {
    ++path_.counters_.drops[Drop::NoNeighbour];
  }

 private:
  /// Null when none is free.
  rte_mbuf* buffer_with(std::span<const std::uint8_t> frame) const {
    rte_mbuf* buffer = rte_pktmbuf_alloc(path_.pool_.get());
    if (buffer == nullptr) return nullptr;
    char* to = rte_pktmbuf_append(buffer, static_cast<std::uint16_t>(frame.size()));
    if (to == nullptr) {
      rte_pktmbuf_free(buffer);
      return nullptr;
    }
    std::memcpy(to, frame.data(), frame.size());
    return buffer;
  }
  std::optional<std::size_t> position(IpAddress address) const {
    const auto found = path_.next_hops_.find({side_.egress, address});
    return found == path_.next_hops_.end() ? std::nullopt : std::optional(found->second);
  }

  SlowPath& path_;
  Side& side_;
};

/// Takes what comes out of the full path.
class SlowPath::OnFullPath {
 public:
  OnFullPath(SlowPath& path, Picos now) : path_(path), now_(now) {}

  void sent(const rebuild::Sent& sent) {
    path_.counters_.errors_made += sent.is_reply;
    sent_ += !sent.is_reply;
    Side* side = path_.side(sent.egress);
    if (side == nullptr) {
      ++path_.counters_.to_host;
      return;
    }
    OnLink on_link(path_, *side);
    std::size_t pieces = 0;
    const auto send = [&](std::span<const std::uint8_t> packet) {
      ++pieces;
      side->link.send(sent.next_hop, packet, now_, on_link, sent.is_reply ? kError : 0);
    };
    if (sent.egress == Egress::Host) {
      in_pieces(sent.bytes, side->queue.port().mtu(), ++path_.host_identification_, send);
      path_.counters_.pieces_made += pieces - 1;
    } else {
      send(sent.bytes);
    }
  }
  void lost(const node::ReassemblyTable::Expired& lost) {
    path_.counters_.drops[lost.drop] += static_cast<std::int64_t>(lost.pieces);
  }
  /// Packets that left, beside ICMP errors.
  std::size_t sent() const { return sent_; }

 private:
  SlowPath& path_;
  Picos now_;
  std::size_t sent_ = 0;
};

SlowPath::Side::Side(Egress leads_to, SendQueue& to)
    : egress(leads_to),
      queue(to),
      link({.mac = to.port().mac(),
            .most_neighbours = kMostNeighbours,
            .holds_on = leads_to == Egress::Pod}) {}

SlowPath::SlowPath(const PacketPool& pool, SendQueue& to_pods, SendQueue& to_uplink,
                   SendQueue* to_host, unsigned readers)
    : pool_(pool),
      pods_(Egress::Pod, to_pods),
      uplink_(Egress::Uplink, to_uplink),
      tables_(readers) {
  pods_.link.set_answers(gateway_answers());
  if (to_host != nullptr) host_.emplace(Egress::Host, *to_host).link.set_answers(gateway_answers());
}

SlowPath::Side* SlowPath::side(Egress egress) {
  switch (egress) {
    case Egress::Pod:
      return &pods_;
    case Egress::Uplink:
      return &uplink_;
    case Egress::Host:
      return host_ ? &*host_ : nullptr;
  }
  return nullptr;
}

void SlowPath::replace(std::shared_ptr<const Generation> generation, Picos now) {
  if (generation_) disposal_.take(std::move(generation_));
  generation_ = std::move(generation);
  node::forget_lost_devices(runtime_, generation_->state());
  uplink_.link.set_answers(uplink_answers(generation_->state()));
  next_hops_.clear();
  const auto& next_hops = generation_->compiled.next_hops;
  for (std::size_t i = 0; i < next_hops.size(); ++i) {
    next_hops_.emplace(next_hops[i], i);
    Side& to = side_of(next_hops[i]);
    OnLink on_link(*this, to);
    if (const auto known = to.link.find(next_hops[i].address)) {
      on_link.learnt(next_hops[i].address, *known);
    } else {
      on_link.lost(next_hops[i].address);
    }
  }
  left_to_want_ = 0;
  next_want_ = now;
  want_next_hops(now);
  publish();
}

void SlowPath::publish() {
  tables_.publish({generation_, exceptions_.current()});
}

SlowPath::Side& SlowPath::side_of(const adjacency::NextHop& next_hop) {
  // No adjacency leads to the host.
  return next_hop.egress == Egress::Pod ? pods_ : uplink_;
}

void SlowPath::want_next_hops(Picos now) {
  const auto& next_hops = generation_->compiled.next_hops;
  if (left_to_want_ == 0 && now >= next_want_) {
    left_to_want_ = next_hops.size();
    next_want_ = now + kWant;
  }
  for (std::size_t n = std::min(left_to_want_, kWantAtOnce); n > 0; --n, --left_to_want_) {
    const adjacency::NextHop& next_hop = next_hops[want_at_++ % next_hops.size()];
    Side& to = side_of(next_hop);
    OnLink on_link(*this, to);
    to.link.want(next_hop.address, now, on_link);
  }
}

void SlowPath::take(std::span<rte_mbuf* const> packets, Ingress ingress, Picos now) {
  Side& from = ingress == Ingress::Pod      ? pods_
               : ingress == Ingress::Uplink ? uplink_
                                            : host_.value();
  for (rte_mbuf* packet : packets) {
    if (rte_pktmbuf_linearize(packet) == 0) {
      take_frame({rte_pktmbuf_mtod(packet, const std::uint8_t*), packet->data_len}, from, ingress,
                 now);
    } else {
      refuse(Drop::Malformed);
    }
  }
  rte_pktmbuf_free_bulk(const_cast<rte_mbuf**>(packets.data()),
                        static_cast<unsigned>(packets.size()));
}

void SlowPath::take_frame(std::span<const std::uint8_t> frame, Side& from, Ingress ingress,
                          Picos now) {
  const auto header = wire::parse_ethernet(frame);
  if (!header) return refuse(header.error());
  OnLink on_link(*this, from);
  if (from.link.receive(frame, now, on_link)) {
    ++counters_.neighbours;
    if (ingress == Ingress::Pod) admit_newcomers(now);
    return;
  }
  // Linux forwards nothing that came to a group on its link (ip_forward, ip6_forward).
  if (header->destination != from.queue.port().mac()) return refuse(Drop::NotLocal);
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
  // What is from no local pod is for the full path to judge.
  if (!source || !next_hops_.contains({Egress::Pod, *source})) {
    return take_packet(packet, Ingress::Pod, now);
  }
  const auto known = pods_.link.find(*source);
  if (known == wire::parse_ethernet(frame)->source) return take_packet(packet, Ingress::Pod, now);
  OnLink on_link(*this, pods_);
  if (known) {
    pods_.link.doubt(*source, now, on_link);
    ++counters_.drops[Drop::SourceSpoofed];
    return;
  }
  pods_.link.want(*source, now, on_link);
  if (!newcomers_.keep(*source, frame)) ++counters_.drops[Drop::CpuBacklogFull];
}

void SlowPath::admit_newcomers(Picos now) {
  const auto is_decided = [&](IpAddress source) {
    return pods_.link.find(source) || !pods_.link.has(source);
  };
  newcomers_.release(is_decided, [&](IpAddress source, std::span<const std::uint8_t> frame) {
    if (pods_.link.has(source)) return take_from_pod(frame, now);
    // Nobody says that the address is his.
    ++counters_.drops[Drop::SourceSpoofed];
  });
}

void SlowPath::take_packet(std::span<const std::uint8_t> packet, Ingress ingress, Picos now) {
  decide([&](const auto& lookup) {
    OnFullPath handler(*this, now);
    const auto fate = full_path_.run(lookup, runtime_, packet, ingress, now, handler);
    if (fate.drop) ++counters_.drops[*fate.drop];
    const std::size_t became = handler.sent() + (fate.drop ? 1 : 0);
    if (became > 1) counters_.pieces_made += became - 1;
    counters_.pieces_joined += fate.joined;
    // Fragments that the packet made worthless are counted with it.
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
  for (Side* one : {&pods_, &uplink_, side(Egress::Host)}) {
    if (one == nullptr) continue;
    OnLink on_link(*this, *one);
    one->link.tick(now, on_link);
  }
  admit_newcomers(now);
  tell_unreachable(now);
  decide([&](const auto& lookup) {
    OnFullPath handler(*this, now);
    full_path_.time_out(lookup, runtime_, now, handler);
  });
  want_next_hops(now);
  if (exceptions_.renew(runtime_, now)) publish();
  tables_.reclaim();
  disposal_.tick();
}

void SlowPath::tell_unreachable(Picos now) {
  for (const auto& packet : std::exchange(unanswered_, {})) {
    decide([&](const auto& lookup) {
      OnFullPath handler(*this, now);
      full_path_.tell_unreachable(lookup, runtime_, packet, now, handler);
    });
  }
}

void SlowPath::give_up_waiting() {
  for (Side* one : {&pods_, &uplink_, side(Egress::Host)}) {
    if (one == nullptr) continue;
    OnLink on_link(*this, *one);
    one->link.give_up(on_link);
  }
  newcomers_.release(
      [](IpAddress) { return true; },
      [&](IpAddress, std::span<const std::uint8_t>) { ++counters_.drops[Drop::NoNeighbour]; });
}

std::size_t SlowPath::waiting() const {
  const std::size_t to_host = host_ ? host_->link.kept() : 0;
  return newcomers_.size() + pods_.link.kept() + uplink_.link.kept() + to_host;
}

std::uint64_t SlowPath::malformed_messages() const {
  const std::uint64_t of_host = host_ ? host_->link.malformed() : 0;
  return pods_.link.malformed() + uplink_.link.malformed() + of_host;
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

#include "dataplane/dpdk/slow/node_links.h"

#include <algorithm>
#include <rte_mbuf.h>
#include <utility>

#include "dataplane/dpdk/slow/slow_path.h"

namespace overlane::dpdk {

bool UnresolvedSources::keep(IpAddress source, std::span<const std::uint8_t> frame) {
  Frames& waiting = frames_[source];
  if (waiting.size() == kMaxOfOne) return false;
  waiting.emplace_back(frame.begin(), frame.end());
  ++size_;
  return true;
}

std::vector<IpAddress> UnresolvedSources::sources() const {
  std::vector<IpAddress> sources;
  for (const auto& [source, waiting] : frames_)
    sources.push_back(source);
  return sources;
}

UnresolvedSources::Frames UnresolvedSources::remove(IpAddress source) {
  const auto waiting = frames_.extract(source);
  size_ -= waiting.mapped().size();
  return std::move(waiting.mapped());
}

namespace {

using forward::Egress;

/// Maximum number of neighbours of a link: more than a cluster of 5,000 nodes in one subnet has in
/// both families. Operators of such clusters raise Linux's gc_thresh3 above its default of 1,024.
constexpr std::size_t kMaxNeighbours = 16'384;

/// Interval at which next hops are marked as in use, because packets forwarded by adjacencies do
/// not mark them. Well within neighbour::kStale. The number per tick is limited: 5,000 next hops
/// take less than a second of ticks, and the requests do not overflow a port's queue.
constexpr Picos kWant = seconds(20);
constexpr std::size_t kWantAtOnce = 64;

/// Maximum number of unanswered packets per tick whose senders get an ICMP error, since no more
/// errors leave in one second (icmp_msgs_per_sec, net/ipv4/icmp.c).
constexpr std::size_t kMaxTold = 1000;

/// Mark of ICMP errors of the node.
constexpr neighbour::Mark kError = 1;

}  // namespace

/// Handles the actions of a neighbour::Link: sends its frames and counts its drops.
class NodeLinks::OnLink {
 public:
  OnLink(NodeLinks& links, Side& side) : links_(links), side_(side) {}

  void transmit(std::span<const std::uint8_t> frame, neighbour::Mark mark) {
    rte_mbuf* packet = buffer_with(frame);
    if (packet == nullptr) {
      ++links_.counters_.drops[Drop::CpuBacklogFull];
    } else if (mark == kError) {
      links_.counters_.errors_sent += side_.queue.send(packet);
    } else {
      side_.queue.add(packet);
    }
  }
  void transmit_own(std::span<const std::uint8_t> frame) {
    rte_mbuf* message = buffer_with(frame);
    const bool sent = message != nullptr && side_.queue.send_uncounted(message);
    ++(sent ? links_.counters_.messages_sent : links_.counters_.messages_lost);
  }
  void learned(IpAddress address, const MacAddress& mac) {
    adjacency::LinkHeaders& headers = *links_.generation_->links;
    const MacAddress& own = side_.queue.port().mac();
    if (const auto at = position(address)) headers.set(*at, mac, own);
    if (side_.egress == Egress::Uplink) headers.neighbours().set(address, mac, own);
  }
  void lost(IpAddress address) {
    adjacency::LinkHeaders& headers = *links_.generation_->links;
    if (const auto at = position(address)) headers.forget(*at);
    if (side_.egress == Egress::Uplink) headers.neighbours().forget(address);
  }
  void unanswered(IpAddress next_hop, std::span<const std::uint8_t> packet, neighbour::Mark mark) {
    if (links_.unanswered_.size() < kMaxTold) {
      links_.unanswered_.emplace_back(packet.begin(), packet.end());
    }
    undelivered(next_hop, packet, mark);
  }
  void undelivered(IpAddress, std::span<const std::uint8_t>, neighbour::Mark) {
    ++links_.counters_.drops[Drop::NoNeighbour];
  }

 private:
  /// A buffer with the frame. Null if no buffer is free.
  rte_mbuf* buffer_with(std::span<const std::uint8_t> frame) const {
    rte_mbuf* buffer = rte_pktmbuf_alloc(links_.pool_.get());
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
    const auto found = links_.next_hops_.find({side_.egress, address});
    return found == links_.next_hops_.end() ? std::nullopt : std::optional(found->second);
  }

  NodeLinks& links_;
  Side& side_;
};

NodeLinks::Side::Side(Egress leads_to, SendQueue& to)
    : egress(leads_to),
      queue(to),
      link({.mac = to.port().mac(),
            .max_neighbours = kMaxNeighbours,
            .keeps_known_mac = leads_to == Egress::Pod}) {}

NodeLinks::NodeLinks(const PacketPool& pool, SendQueue& to_pods, SendQueue& to_uplink,
                     SendQueue* to_host)
    : pool_(pool), pods_(Egress::Pod, to_pods), uplink_(Egress::Uplink, to_uplink) {
  pods_.link.set_answers(gateway_answers());
  if (to_host != nullptr) host_.emplace(Egress::Host, *to_host).link.set_answers(gateway_answers());
}

NodeLinks::Side* NodeLinks::side(Egress link) {
  return const_cast<Side*>(std::as_const(*this).side(link));
}

const NodeLinks::Side* NodeLinks::side(Egress link) const {
  switch (link) {
    case Egress::Pod:
      return &pods_;
    case Egress::Uplink:
      return &uplink_;
    case Egress::Host:
      return host_ ? &*host_ : nullptr;
  }
  return nullptr;
}

const Port* NodeLinks::port(Egress link) const {
  const Side* here = side(link);
  return here == nullptr ? nullptr : &here->queue.port();
}

template <typename Each>
void NodeLinks::for_all(Each each) {
  for (const Egress link : {Egress::Pod, Egress::Uplink, Egress::Host}) {
    Side* here = side(link);
    if (here == nullptr) continue;
    OnLink on_link(*this, *here);
    each(here->link, on_link);
  }
}

void NodeLinks::replace(const Generation& generation, Picos now) {
  generation_ = &generation;
  uplink_.link.set_answers(uplink_answers(generation.state()));
  next_hops_.clear();
  const auto& next_hops = generation.compiled.next_hops;
  for (std::size_t i = 0; i < next_hops.size(); ++i)
    next_hops_.emplace(next_hops[i], i);
  generation.links->forget_all();
  for_all([](neighbour::Link& link, OnLink& on_link) {
    link.for_each_known(
        [&](const IpAddress& address, const MacAddress& mac) { on_link.learned(address, mac); });
  });
  left_to_want_ = 0;
  next_want_ = now;
  want_next_hops(now);
}

bool NodeLinks::receive(Egress link, std::span<const std::uint8_t> frame, Picos now) {
  Side& from = *side(link);
  OnLink on_link(*this, from);
  return from.link.receive(frame, now, on_link);
}

void NodeLinks::send(Egress link, const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                     bool is_error, Picos now) {
  Side& to = *side(link);
  OnLink on_link(*this, to);
  to.link.send(next_hop, packet, now, on_link, is_error ? kError : 0);
}

bool NodeLinks::is_pod(const IpAddress& address) const {
  return next_hops_.contains({Egress::Pod, address});
}

void NodeLinks::ask_pod(const IpAddress& address, Picos now) {
  OnLink on_link(*this, pods_);
  pods_.link.resolve(address, now, on_link);
}

void NodeLinks::doubt_pod(const IpAddress& address, Picos now) {
  OnLink on_link(*this, pods_);
  pods_.link.doubt(address, now, on_link);
}

void NodeLinks::tick(Picos now) {
  for_all([&](neighbour::Link& link, OnLink& on_link) { link.tick(now, on_link); });
  want_next_hops(now);
}

void NodeLinks::want_next_hops(Picos now) {
  const auto& next_hops = generation_->compiled.next_hops;
  if (left_to_want_ == 0 && now >= next_want_) {
    left_to_want_ = next_hops.size();
    next_want_ = now + kWant;
  }
  for (std::size_t n = std::min(left_to_want_, kWantAtOnce); n > 0; --n, --left_to_want_) {
    const adjacency::NextHop& next_hop = next_hops[want_at_++ % next_hops.size()];
    Side& to = *side(next_hop.egress);
    OnLink on_link(*this, to);
    to.link.resolve(next_hop.address, now, on_link);
  }
}

void NodeLinks::give_up() {
  for_all([](neighbour::Link& link, OnLink& on_link) { link.give_up(on_link); });
}

std::vector<std::vector<std::uint8_t>> NodeLinks::take_unanswered() {
  return std::exchange(unanswered_, {});
}

std::size_t NodeLinks::kept() const {
  return pods_.link.kept() + uplink_.link.kept() + (host_ ? host_->link.kept() : 0);
}

LinkCounters NodeLinks::counters() const {
  LinkCounters counters = counters_;
  for (const Egress link : {Egress::Pod, Egress::Uplink, Egress::Host})
    if (const Side* here = side(link)) counters.messages_malformed += here->link.malformed();
  return counters;
}

}  // namespace overlane::dpdk

#include <utility>

#include "sim/run/path/carrier.h"

namespace overlane::run {

// What becomes of packets that forward() did not simply pass on: fragments, answers, and those that
// wait for the rest of their packet.

using forward::Egress;
using forward::Ingress;

/// Sends on what forward() made of a packet. The packet itself, or its first fragment, keeps its
/// flight; further fragments and an ICMP error get their own.
void Carrier::emit_all(PacketId id, Ingress ingress, Encapsulation in) {
  const forward::Outcome& outcome = decisions_.outcome();
  ready_.clear();
  bool goes_on = false;
  for (const forward::Emission& emission : outcome.emissions) {
    PacketId next = id;
    if (emission.is_reply) {
      next = reply_to(id);
    } else if (std::exchange(goes_on, true)) {
      next = another_fragment_of(id);
    }
    flights_[next].local = ingress != Ingress::Uplink && emission.egress != Egress::Uplink;
    carry(next, emission);
    ready_.push_back(next);
  }
  if (outcome.drop) {
    const PacketInFlight& flight = flights_[id];
    if (const cost::PathCost* cost = cost_of(flight, ingress, in))
      core_of(flight).occupy(scheduler_.now(), cost->of(flight.length, flight.shares_buffer));
    finish(goes_on ? another_fragment_of(id) : id, outcome.drop);
  } else if (!goes_on) {
    finish(id, std::nullopt);  // The node itself has taken it.
  }
  for (const PacketId next : ready_)
    work(next, cost_of(flights_[next], ingress, in));
}

void Carrier::carry(PacketId id, const forward::Emission& emission) {
  PacketInFlight& flight = flights_[id];
  if (emission.packet.outermost().is_fragment()) flight.shares_buffer = false;
  flight.egress = emission.egress;
  decisions_.give_header(flight, emission.packet, emission.next_hop);
}

PacketId Carrier::reply_to(PacketId cause) {
  const PacketInFlight& flight = flights_[cause];
  accounts_.sent(flight.group);
  return flights_.add(PacketInFlight{.sender = flight.sender,
                                     .node = flight.node,
                                     .group = flight.group,
                                     .core = flight.core,
                                     .kind = PacketInFlight::Kind::Packet,
                                     .is_icmp = true,
                                     .sampled = flight.sampled});
}

PacketId Carrier::another_fragment_of(PacketId id) {
  PacketInFlight fragment = flights_[id];
  fragment.host_bytes = 0;
  fragment.cache_entry = kNone;
  fragment.header = kNone;
  accounts_.sent(fragment.group);
  const transport::Segment segment = flights_.segment(id);
  const PacketId next = flights_.add(fragment);
  flights_.segment(next) = segment;
  return next;
}

/// A fragment that waits for the others: for this node, or because connections are tracked.
void Carrier::hold(PacketId id) {
  PacketInFlight& flight = flights_[id];
  leave_host(flight);
  const node::ReassemblyKey key = *decisions_.outcome().held;
  if (held_.hold(flight.node, key, flight)) {
    const node::Sysctls& sysctls = decisions_.nodes()[flight.node].sysctls;
    scheduler_.schedule(scheduler_.now() + sysctls.reassembly_timeout(key.destination.family()),
                        What{EventKind::NodeExpiry, flight.node}.packed());
  }
  let_go(id, TracePoint::Held);
}

void Carrier::node_expiry(std::uint32_t node) {
  const auto expired = decisions_.expire_fragments(node, scheduler_.now());
  for (const node::ReassemblyTable::Expired& lost : expired) {
    const auto error = held_.error_about(node, lost.key);
    if (lost.first && error) answer_timeout(*error, lost);
  }
  held_.expire(node, expired, accounts_);
}

void Carrier::answer_timeout(const PacketInFlight& error,
                             const node::ReassemblyTable::Expired& lost) {
  decisions_.ask_about_lost(error.node, lost, error.sampled, scheduler_.now());
  ready_.clear();
  for (const forward::Emission& emission : decisions_.outcome().emissions) {
    ready_.push_back(flights_.add(error));
    accounts_.sent(error.group);
    carry(ready_.back(), emission);
  }
  for (const PacketId id : ready_)
    work(id, cost_of(flights_[id], Ingress::Uplink, Encapsulation::None));
  run_cpu_jobs(error.node, error.core);
}

/// Null where CPU time is free.
const cost::PathCost* Carrier::cost_of(const PacketInFlight& flight, Ingress ingress,
                                       Encapsulation in) const {
  if (!has_costs_) return nullptr;
  const bool has_header = flight.header != kNone || flight.cache_entry != kNone;
  const Encapsulation out = has_header ? decisions_.header_shape(flight).encapsulation : in;
  const Family family = has_header ? decisions_.header_shape(flight).inner.family() : Family::Ipv4;
  // An ICMP error is the node's work, wherever it begins, and where no pod gets it.
  const bool ends_here = flight.is_icmp && flight.egress == Egress::Host;
  const cost::Side from = flight.is_icmp ? cost::Side::Nic : side(ingress);
  const cost::Side to = ends_here ? cost::Side::Nic : side(flight.egress);
  return path_cost(flight, cost::PathCosts::path(from, to, in, out, family));
}

void Carrier::hold_in_pod(PacketId id, EndId pod) {
  PacketInFlight& flight = flights_[id];
  const node::ReassemblyKey key = reassembly_key(decisions_.header(flight).inner);
  if (held_.hold(pod_place(pod), key, flight)) {
    scheduler_.schedule(scheduler_.now() + node::reassembly_timeout(key.destination.family()),
                        What{EventKind::EndExpiry, pod}.packed());
  }
  let_go(id, TracePoint::Held);
}

void Carrier::complete_in_pod(const node::ReassemblyKey& key, EndId pod) {
  held_.complete(pod_place(pod), key, accounts_);
}

void Carrier::expire_in_pod(const std::vector<node::ReassemblyTable::Expired>& expired, EndId pod) {
  held_.expire(pod_place(pod), expired, accounts_);
}

}  // namespace overlane::run

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/byte_rewrite/byte_rewriter.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/read_packet.h"

namespace overlane::byte_rewrite {

/// What became of a packet that arrived: lost, held until the rest of it comes, or, when neither is
/// said, sent on.
struct Fate {
  std::optional<Drop> drop;
  bool held = false;
  std::size_t joined = 0;  ///< Fragments that were held, and became whole with it.
};

/// The full path of one node on real bytes: reads a packet, lets forward::NodeDecision decide with
/// any Lookup, and makes the bytes of what comes out. Options, extension headers, payload and
/// quotes are those that arrived; link padding behind the packet is cut off. What IPv4 options ask
/// routers to do (record route, timestamp, source route: RFC 791 3.1) is not done.
///
/// Belongs to one NodeRuntime: it holds the bytes of the fragments in its reassembly table, out of
/// which nobody else may take. Keeps its memory from packet to packet.
///
/// A Handler takes what happens, in order: `sent(const Sent&)` a packet that leaves, and
/// `lost(const node::ReassemblyTable::Expired&)` fragments that were given up, which count as so
/// many packets lost for its reason. Neither may call back into the path.
class FullPath {
 public:
  /// `packet` begins with its outermost IP header, at `now`, which is no earlier than that of the
  /// last call. Fragments that are too old go first.
  template <typename Lookup, typename Handler>
  Fate run(const Lookup& lookup, node::NodeRuntime& runtime, std::span<const std::uint8_t> packet,
           forward::Ingress ingress, Picos now, Handler& handler) {
    time_out(lookup, runtime, now, handler);
    const auto read = forward::read_packet(lookup.state(), packet);
    if (!read) return {.drop = read.error()};
    ByteRewriter rewriter(lookup.state(), buffers_, held_, Receiver(handler));
    rewriter.begin(packet.first(read->outermost().total_length));
    outcome_.clear();
    forward::NodeDecision(lookup, rewriter, runtime, now, outcome_).run(*read, ingress);
    Fate fate{
        .drop = outcome_.drop, .held = outcome_.held.has_value(), .joined = rewriter.joined()};
    if (rewriter.fault()) fate = {.drop = rewriter.fault(), .joined = fate.joined};
    return fate;
  }

  /// Tells the sender of a packet that left, as it left, that its next hop does not answer.
  template <typename Lookup, typename Handler>
  void tell_unreachable(const Lookup& lookup, node::NodeRuntime& runtime,
                        std::span<const std::uint8_t> packet, Picos now, Handler& handler) {
    const auto read = forward::read_packet(lookup.state(), packet);
    if (!read) return;
    ByteRewriter rewriter(lookup.state(), buffers_, held_, Receiver(handler));
    rewriter.begin(packet.first(read->outermost().total_length));
    outcome_.clear();
    forward::NodeDecision(lookup, rewriter, runtime, now, outcome_).tell_unreachable(*read);
  }

  /// Gives up what waited too long, and tells the senders; to be called now and then when no packet
  /// arrives (node::ReassemblyTable::next_expiry).
  template <typename Lookup, typename Handler>
  void time_out(const Lookup& lookup, node::NodeRuntime& runtime, Picos now, Handler& handler) {
    for (const node::ReassemblyTable::Expired& lost : runtime.reassembly.expire(now)) {
      handler.lost(lost);
      // Else its bytes went when it was given up.
      if (lost.drop != Drop::ReassemblyTimeout) continue;
      const auto first = held_.first(lost.key);
      if (!first.empty()) {
        ByteRewriter rewriter(lookup.state(), buffers_, held_, Receiver(handler));
        rewriter.begin_lost(first);
        outcome_.clear();
        forward::NodeDecision(lookup, rewriter, runtime, now, outcome_).tell_of_timeout(lost);
      }
      held_.forget(lost.key);
    }
  }

  /// How many fragments' bytes are held.
  std::size_t held() const { return held_.fragments(); }

 private:
  Buffers buffers_;
  HeldBytes held_;
  forward::Outcome outcome_;
};

}  // namespace overlane::byte_rewrite

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "dataplane/byte_rewrite/byte_rewriter.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/read_packet.h"

namespace overlane::byte_rewrite {

/// The result for a received packet: dropped, held until its other fragments come, or else sent on.
struct Fate {
  std::optional<Drop> drop;
  bool held = false;
  std::size_t joined = 0;  ///< Number of held fragments that were reassembled with this one.
};

/// The full path of one node on real bytes. It parses a packet, lets forward::NodeDecision decide
/// with any Lookup, and makes the bytes of the emissions. Options, extension headers, payload and
/// quotes are those that arrived; link padding behind the packet is removed. IPv4 options that ask
/// routers to act (record route, timestamp, source route: RFC 791 3.1) are ignored.
///
/// A FullPath belongs to one NodeRuntime and holds the bytes of the fragments in its reassembly
/// table. No other code may take fragments out of that table. Reuses its memory from packet to
/// packet.
///
/// A Handler receives the events in order: `sent(const Sent&)` for each packet that leaves, and
/// `lost(const node::ReassemblyTable::Expired&)` for fragments that were given up. Each of these
/// fragments counts as one lost packet with that drop reason. A handler must not call the path.
class FullPath {
 public:
  /// Processes a packet, which begins with its outermost IP header. `now` must not decrease between
  /// calls. First gives up the fragments whose time has run out.
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

  /// Sends the ICMP error about a packet that left and whose next hop does not answer. `packet` is
  /// the packet as it left.
  template <typename Lookup, typename Handler>
  void report_unreachable(const Lookup& lookup, node::NodeRuntime& runtime,
                          std::span<const std::uint8_t> packet, Picos now, Handler& handler) {
    const auto read = forward::read_packet(lookup.state(), packet);
    if (!read) return;
    ByteRewriter rewriter(lookup.state(), buffers_, held_, Receiver(handler));
    rewriter.begin(packet.first(read->outermost().total_length));
    outcome_.clear();
    forward::NodeDecision(lookup, rewriter, runtime, now, outcome_).report_unreachable(*read);
  }

  /// Gives up the fragments whose time has run out, and sends the ICMP errors. Call it at
  /// node::ReassemblyTable::next_expiry() when no packet arrives.
  template <typename Lookup, typename Handler>
  void time_out(const Lookup& lookup, node::NodeRuntime& runtime, Picos now, Handler& handler) {
    for (const node::ReassemblyTable::Expired& lost : runtime.reassembly.expire(now)) {
      handler.lost(lost);
      // If the reason is another one, the bytes were released when the packet was given up.
      if (lost.drop != Drop::ReassemblyTimeout) continue;
      const auto first = held_.first(lost.key);
      if (!first.empty()) {
        ByteRewriter rewriter(lookup.state(), buffers_, held_, Receiver(handler));
        rewriter.begin_lost(first);
        outcome_.clear();
        forward::NodeDecision(lookup, rewriter, runtime, now, outcome_).report_timeout(lost);
      }
      held_.forget(lost.key);
    }
  }

  /// Returns the number of held fragments.
  std::size_t held() const { return held_.fragments(); }

 private:
  Buffers buffers_;
  HeldBytes held_;
  forward::Outcome outcome_;
};

}  // namespace overlane::byte_rewrite

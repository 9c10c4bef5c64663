#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dataplane/conformance/testing/tunnels.h"
#include "dataplane/forward/packet_transform.h"

namespace overlane::conformance::testing {
namespace {

using Fragments = std::vector<Packet>;

/// The outer fragment with the payload bytes [begin, end) of a tunnel packet.
Packet fragment_between(Packet whole, std::uint32_t begin, std::uint32_t end) {
  forward::IpFields& header = whole.outer;
  const std::uint32_t payload = header.payload_bytes();
  header.identification = 77;
  header.fragment_offset = static_cast<std::uint16_t>(begin);
  header.more_fragments = end < payload;
  header.total_length = header.header_bytes() + end - begin;
  return whole;
}

/// Fragments in their order of arrival, and the outcome of each.
struct Order {
  const char* sentence;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      fragments;  ///< Begin and end. kEnd is the end of the packet.
  /// "delivered" is the whole packet; a "duplicate" is malformed, and no kernel counts it.
  std::vector<const char*> outcomes;
};
constexpr std::uint32_t kEnd = 0xffff;

const Order kOrders[] = {
    {"outer fragments in order are put together",
     {{0, 400}, {400, 800}, {800, kEnd}},
     {"held", "held", "delivered"}},
    {"outer fragments in any order are put together",
     {{800, kEnd}, {0, 400}, {400, 800}},
     {"held", "held", "delivered"}},
    {"a missing outer fragment keeps the others waiting",
     {{0, 400}, {800, kEnd}},
     {"held", "held"}},
    {"an outer fragment that comes twice is taken once",
     {{0, 400}, {0, 400}, {400, kEnd}},
     {"held", "duplicate", "delivered"}},
    {"an outer fragment of what came in one run is a duplicate",
     {{0, 400}, {400, 800}, {200, 600}, {800, kEnd}},
     {"held", "held", "duplicate", "delivered"}},
    {"outer fragments that overlap end the packet",
     {{0, 400}, {392, 800}, {400, 800}, {800, kEnd}},
     {"held", "malformed", "held", "held"}},
    {"an outer fragment that covers an earlier one ends the packet",
     {{400, 800}, {0, 800}, {0, 400}, {800, kEnd}},
     {"held", "malformed", "held", "held"}},
    {"after an overlap the packet may begin anew",
     {{0, 400}, {392, 800}, {0, 400}, {400, kEnd}},
     {"held", "malformed", "held", "delivered"}},
};

Case ordered(const Tunnel& tunnel, const Order& order) {
  const Packet whole = tunnelled(tunnel.shape, udp(tunnel.far_pod(), tunnel.own_pod(), 1000));
  Case row{fmt::format("{}: {}", tunnel.name, order.sentence), tunnel.shape, unchanged, {}, {}, ""};
  for (std::size_t i = 0; i < order.fragments.size(); ++i) {
    const auto [begin, end] = order.fragments[i];
    row.arrivals.push_back(
        from_uplink(fragment_between(whole, begin, std::min(end, whole.outer.payload_bytes()))));
    const std::string outcome = order.outcomes[i];
    row.expected.push_back(outcome == "delivered"   ? tunnel.delivered(1000)
                           : outcome == "duplicate" ? "malformed"
                                                    : outcome);
    row.arrivals.back().counted = outcome != "duplicate";
  }
  return row;
}

/// ECN fields of two fragments and of the reassembled packet (ip_frag_ecn_table,
/// net/ipv4/inet_fragment.c).
struct Marks {
  const char* sentence;
  std::uint8_t first;
  std::uint8_t second;
  int inside;  ///< The ECN field of an inner ECT(0) packet after decapsulation; -1: dropped.
};
constexpr Marks kMarks[] = {
    {"CE on one outer fragment marks the packet", 2, 3, 3},
    {"ECT(0) and ECT(1) on outer fragments leave the first's", 2, 1, 2},
    {"Not-ECT and ECT(0) on outer fragments make no packet", 0, 2, -1},
    {"Not-ECT and CE on outer fragments make no packet", 3, 0, -1},
};

Case marked(const Tunnel& tunnel, const Marks& marks) {
  const Packet whole =
      tunnelled(tunnel.shape, tos(2, udp(tunnel.far_pod(), tunnel.own_pod(), 1000)));
  std::array fragments{fragment_between(whole, 0, 400),
                       fragment_between(whole, 400, whole.outer.payload_bytes())};
  fragments[0].outer.tos = marks.first;
  fragments[1].outer.tos = marks.second;
  const std::string outcome =
      marks.inside < 0 ? "ecn-corrupted"
                       : fmt::format("{} tos {:02x}", tunnel.delivered(1000), marks.inside);
  return {fmt::format("{}: {}", tunnel.name, marks.sentence),     tunnel.shape,      unchanged,
          {from_uplink(fragments[0]), from_uplink(fragments[1])}, {"held", outcome}, ""};
}

/// A fragment of a packet for the node itself.
Packet host_fragment(std::uint16_t begin, std::uint32_t bytes, bool more) {
  Packet packet = udp(node::testing::ip("10.250.0.5"), node::testing::ip("10.250.0.4"), bytes + 20);
  packet.inner.identification = 78;
  packet.inner.fragment_offset = begin;
  packet.inner.more_fragments = more;
  if (begin != 0) packet.source_port = packet.destination_port = 0;
  return packet;
}

std::vector<Case> host_cases() {
  const std::string whole = "host 10.250.0.5 > 10.250.0.4 udp 1052 ttl 64";
  return {
      {"a fragment that ends between multiples of 8 is cut to one",
       kRouted,
       unchanged,
       {from_uplink(host_fragment(0, 401, true)), from_uplink(host_fragment(400, 400, true)),
        from_uplink(host_fragment(800, 232, false))},
       {"held", "held", whole},
       ""},
      {"two different ends end the packet",
       kRouted,
       unchanged,
       {from_uplink(host_fragment(400, 400, false)), from_uplink(host_fragment(400, 408, false)),
        from_uplink(host_fragment(0, 400, true))},
       {"held", "malformed", "held"},
       ""},
      {"a fragment beyond the end ends the packet",
       kRouted,
       unchanged,
       {from_uplink(host_fragment(400, 400, false)), from_uplink(host_fragment(800, 80, true)),
        from_uplink(host_fragment(0, 400, true))},
       {"held", "malformed", "held"},
       ""},
  };
}

}  // namespace

std::vector<Case> fragment_cases() {
  std::vector<Case> rows = host_cases();
  for (const Tunnel& tunnel : tunnels()) {
    // The other tunnels use the same two functions for reassembly, ip_defrag and ipv6_frag_rcv.
    const bool is_asked = tunnel.shape.encapsulation == Encapsulation::Vxlan ||
                          tunnel.shape.encapsulation == Encapsulation::Ipip;
    if (!is_asked) continue;
    for (const Order& order : kOrders)
      rows.push_back(ordered(tunnel, order));
    for (const Marks& marks : kMarks)
      rows.push_back(marked(tunnel, marks));
  }
  return rows;
}

}  // namespace overlane::conformance::testing

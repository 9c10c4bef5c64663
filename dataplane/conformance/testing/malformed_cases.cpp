#include <fmt/format.h>

#include "dataplane/conformance/testing/corrupt_headers.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::conformance::testing {
namespace {

Bytes good_bytes(const Tunnel& tunnel) {
  const auto cluster = make_cluster(tunnel.shape);
  return kernel::wire_bytes(cluster.nodes[0], tunnel.arriving());
}

/// Adds a corrupt packet to a row. A kernel counts errors of the outer IPv4 header, but most errors
/// of tunnel headers and inner packets have no counter.
void add(Case& row, const Tunnel& tunnel, CorruptPacket lie) {
  Arrival arrival = from_uplink(tunnel.arriving());
  arrival.counted =
      tunnel.underlay() == Family::Ipv4 && reference::header_fault(lie.packet).has_value();
  arrival.bytes = std::move(lie.packet);
  arrival.lie = std::move(lie.what);
  row.arrivals.push_back(std::move(arrival));
  row.expected.push_back(std::move(lie.outcome));
}

Case row_of(const Tunnel& tunnel, const char* sentence) {
  return {fmt::format("{}: {}", tunnel.name, sentence), tunnel.shape, unchanged, {}, {}, ""};
}

Case lying(const Tunnel& tunnel) {
  Case row = row_of(tunnel, "any field that lies loses one packet and no more");
  const Bytes good = good_bytes(tunnel);
  for (CorruptPacket& lie : corrupt_packets(tunnel, good))
    add(row, tunnel, std::move(lie));
  add(row, tunnel, {"nothing, after all that", good, tunnel.delivered()});
  return row;
}

/// Packets cut at every byte up to the end of the inner headers. Cuts behind them are all alike.
Case cut_by_sender(const Tunnel& tunnel) {
  Case row = row_of(tunnel, "sent cut off behind any byte of its headers");
  const Bytes good = good_bytes(tunnel);
  const Layout layout = layout_of(tunnel);
  const std::size_t outer = layout.outer_ipv4 ? 20 : 40;
  const std::size_t end = layout.inner + (layout.inner_ipv4 ? 20 : 40) + 8;
  for (std::size_t size = outer; size < end; ++size)
    add(row, tunnel,
        {fmt::format("{} bytes", size), cut_by_sender(layout, good, size), "malformed"});
  return row;
}

/// Packets cut without a change of their lengths: the outer IP header alone shows that bytes are
/// missing.
Case cut_on_the_wire(const Tunnel& tunnel) {
  Case row = row_of(tunnel, "cut off on the wire");
  const Bytes good = good_bytes(tunnel);
  for (std::size_t size = 1; size < good.size(); size += size < 48 ? 3 : 16)
    add(row, tunnel,
        {fmt::format("{} bytes", size),
         Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)), "malformed"});
  return row;
}

}  // namespace

std::vector<Case> malformed_cases() {
  std::vector<Case> rows;
  for (const Tunnel& tunnel : tunnels()) {
    rows.push_back(lying(tunnel));
    rows.push_back(cut_by_sender(tunnel));
    rows.push_back(cut_on_the_wire(tunnel));
  }
  return rows;
}

}  // namespace overlane::conformance::testing

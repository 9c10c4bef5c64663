#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/dpdk/bench/bench_traffic.h"
#include "dataplane/dpdk/bench/load_tester.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/worker/worker.h"

namespace overlane::dpdk {

// Measures forwarding without a network: each core writes generated frames into packet buffers,
// forwards them and counts them. Also declares the cases of a report and their table.

/// Packets of one core.
struct BenchShare {
  std::uint64_t offered = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t refused = 0;  ///< Packets that a port did not accept.
};

/// Result of a measurement.
struct BenchResult {
  std::vector<BenchShare> cores;
  double nanoseconds = 0;  ///< Core time per packet.
  double tsc_cycles = 0;   ///< TSC cycles of a core per packet.
  double mpps = 0;         ///< Million packets per second, sum of all cores.

  std::uint64_t offered() const;
  std::uint64_t forwarded() const;
  std::uint64_t refused() const;
  /// Whether every core forwarded all packets that it was offered.
  bool is_complete() const;
};

/// A direction through the node: frames of `traffic` arrive at port `in` and leave through port
/// `out`.
struct BenchPath {
  forward::Ingress ingress = forward::Ingress::Pod;
  const BenchTraffic* traffic = nullptr;
  const Port* in = nullptr;
  const Port* out = nullptr;
};

/// Sends `packets` packets along the paths, one burst per path in turn: receives from the port,
/// writes the next frames into the buffers, forwards them and sends them. The calling core uses
/// queue 0 of each port; EAL's cores `others` do the same at the same time with queues 1, 2, … Each
/// core sends an equal share. Fails if one of those cores is busy with another function.
Parsed<BenchResult> measure(const Generation& generation, std::span<const BenchPath> paths,
                            std::uint32_t burst, std::uint64_t packets,
                            std::span<const unsigned> others = {});

/// A measured combination of mode, direction and frame size.
struct BenchCase {
  std::string mode;              ///< "routed", "ipip", "vxlan", "geneve".
  Family family = Family::Ipv4;  ///< Family of the pods' packets.
  std::string direction;         ///< "encap", "decap", "both".
  std::uint32_t size_bytes = 0;  ///< Inner Ethernet frame without FCS; 0 for IMIX.
  std::uint32_t flows = 0;
  std::uint32_t routes = 0;
  std::uint32_t burst = 0;
  BenchResult result;
  std::optional<LoadFigures> load;  ///< Only if requested.

  std::string name() const;  ///< "vxlan/encap/64", "routed-ipv6/encap/imix".
};

/// What a case sends: the first fields of `cases[]` in a FastpathReport and a FastpathLoadReport.
nlohmann::ordered_json encode_traffic(const BenchCase& one);

/// An entry of `cases[]` in a FastpathReport.
nlohmann::ordered_json encode(const BenchCase& one);

/// The cases as a table with one line each, followed by their loads if they were measured.
std::string to_table(const std::vector<BenchCase>& cases);

}  // namespace overlane::dpdk

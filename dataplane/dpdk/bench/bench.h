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

// Measures forwarding without a network: frames are generated into buffers, forwarded and
// counted, per core. The cases of a report and their table stand here too.

/// What went through one core.
struct BenchShare {
  std::uint64_t offered = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t refused = 0;  ///< By a port that took no more.
};

/// What a measurement came to.
struct BenchResult {
  std::vector<BenchShare> cores;
  double nanoseconds = 0;  ///< Time of a core per packet.
  double tsc_cycles = 0;   ///< TSC cycles of a core per packet.
  double mpps = 0;         ///< All cores together.

  std::uint64_t offered() const;
  std::uint64_t forwarded() const;
  std::uint64_t refused() const;
  /// Whether every core forwarded all that it was offered.
  bool is_complete() const;
};

/// One way through the node: frames come in from `in` as if they were `traffic`, and leave through
/// `out`.
struct BenchPath {
  forward::Ingress ingress = forward::Ingress::Pod;
  const BenchTraffic* traffic = nullptr;
  const Port* in = nullptr;
  const Port* out = nullptr;
};

/// Sends `packets` along the paths in turns, a burst each: receives from a port, writes the next
/// frames into the buffers, forwards, and sends. On the calling core by queue 0 of each port, and
/// at the same time on EAL's cores `others` by queues 1, 2, …, an equal share each. Fails when one
/// of those is busy with something else.
Parsed<BenchResult> measure(const Generation& generation, std::span<const BenchPath> paths,
                            std::uint32_t burst, std::uint64_t packets,
                            std::span<const unsigned> others = {});

/// A way through a node that was measured.
struct BenchCase {
  std::string mode;              ///< "routed", "ipip", "vxlan", "geneve".
  Family family = Family::Ipv4;  ///< Family of the pods' packets.
  std::string direction;         ///< "encap", "decap", "both".
  std::uint32_t size_bytes = 0;  ///< Inner Ethernet frame without FCS; 0 for IMIX.
  std::uint32_t flows = 0;
  std::uint32_t routes = 0;
  std::uint32_t burst = 0;
  BenchResult result;
  std::optional<LoadFigures> load;  ///< If asked for.

  std::string name() const;  ///< "vxlan/encap/64", "routed-ipv6/encap/imix".
};

/// `cases[]` of a FastpathReport.
nlohmann::ordered_json encode(const BenchCase& one);

/// The cases as a table, a line each, followed by their loads, if there are any.
std::string to_table(const std::vector<BenchCase>& cases);

}  // namespace overlane::dpdk

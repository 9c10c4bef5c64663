#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/dpdk/bench/bench_traffic.h"
#include "dataplane/dpdk/io/port.h"
#include "dataplane/dpdk/worker/take.h"

namespace overlane::dpdk {

/// What went through one core.
struct BenchShare {
  std::uint64_t offered = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t refused = 0;  ///< By a port that took no more.
};

/// What a measurement came to.
struct BenchResult {
  std::vector<BenchShare> cores;
  double nanoseconds = 0;  ///< Of a core's time, per packet.
  double tsc_cycles = 0;   ///< Of a core's, per packet.
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

}  // namespace overlane::dpdk

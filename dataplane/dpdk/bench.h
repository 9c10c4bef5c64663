#pragma once

#include <cstdint>
#include <string>

#include "dataplane/dpdk/bench_traffic.h"
#include "dataplane/dpdk/port.h"
#include "dataplane/dpdk/take.h"

namespace overlane::dpdk {

/// What a measurement came to.
struct BenchResult {
  std::uint64_t offered = 0;
  std::uint64_t forwarded = 0;
  double nanoseconds = 0;  ///< Per packet.
  double tsc_cycles = 0;   ///< Per packet.

  double mpps() const { return nanoseconds == 0 ? 0 : 1e3 / nanoseconds; }
};

/// One way through the node: frames come in from `in` as if they were `traffic`, and leave through
/// `out`.
struct BenchPath {
  forward::Ingress ingress = forward::Ingress::Pod;
  const BenchTraffic* traffic = nullptr;
  const Port* in = nullptr;
  const Port* out = nullptr;
};

/// Sends `packets` along the paths in turns, a burst each, on the calling core: receives from a
/// port, writes the next frames into the buffers, forwards, and sends.
BenchResult measure(const Generation& generation, std::span<const BenchPath> paths,
                    std::uint32_t burst, std::uint64_t packets);

}  // namespace overlane::dpdk

#pragma once

#include <cstring>
#include <rte_mbuf.h>

#include "dataplane/dpdk/bench/bench_traffic.h"

namespace overlane::dpdk {

/// Writes a frame into a buffer in whole cache lines. The buffer must have room for the length
/// rounded up to kStride.
inline void write_frame(rte_mbuf* packet, const BenchTraffic::View& frame) {
  auto* to = rte_pktmbuf_mtod(packet, std::uint8_t*);
  for (std::uint32_t i = 0; i < frame.bytes; i += BenchTraffic::kStride)
    std::memcpy(to + i, frame.at + i, BenchTraffic::kStride);
  packet->data_len = static_cast<std::uint16_t>(frame.bytes);
  packet->pkt_len = frame.bytes;
}

}  // namespace overlane::dpdk

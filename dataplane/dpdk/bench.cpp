#include "dataplane/dpdk/bench.h"

#include <chrono>
#include <cstring>
#include <deque>
#include <rte_cycles.h>
#include <rte_ethdev.h>

namespace overlane::dpdk {
namespace {

/// Writes a frame into a buffer that a port handed out, whole cache lines.
void write_frame(rte_mbuf* packet, const BenchTraffic::View& frame) {
  auto* to = rte_pktmbuf_mtod(packet, std::uint8_t*);
  for (std::uint32_t i = 0; i < frame.bytes; i += BenchTraffic::kStride)
    std::memcpy(to + i, frame.at + i, BenchTraffic::kStride);
  packet->data_len = static_cast<std::uint16_t>(frame.bytes);
  packet->pkt_len = frame.bytes;
}

/// A path and where its traffic stands.
struct Running {
  explicit Running(const BenchPath& its)
      : path(its), mac(its.in->mac()), out(*its.out), back(*its.in) {}

  const BenchPath& path;
  MacAddress mac;
  SendQueue out;
  SendQueue back;  ///< What turns round; nothing should.
  std::size_t next = 0;
};

}  // namespace

BenchResult measure(const Generation& generation, std::span<const BenchPath> paths,
                    std::uint32_t burst, std::uint64_t packets) {
  const adjacency::Exceptions exceptions;
  node::IdentificationCounters identification;
  std::deque<Running> running;
  for (const BenchPath& path : paths)
    running.emplace_back(path);
  std::array<rte_mbuf*, adjacency::kBurst> received;
  Left left;
  BenchResult result;
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t first_cycle = rte_rdtsc();
  while (result.offered < packets) {
    for (Running& run : running) {
      const BenchPath& path = run.path;
      const std::uint16_t count =
          rte_eth_rx_burst(path.in->id(), 0, received.data(), static_cast<std::uint16_t>(burst));
      for (std::uint16_t i = 0; i < count; ++i) {
        write_frame(received[i], path.traffic->frame(run.next));
        run.next = run.next + 1 == path.traffic->size() ? 0 : run.next + 1;
      }
      const bool from_pods = path.ingress == forward::Ingress::Pod;
      take(generation, exceptions, identification, path.ingress, run.mac, {received.data(), count},
           from_pods ? run.back : run.out, from_pods ? run.out : run.back, left);
      run.out.flush();
      run.back.flush();
      rte_pktmbuf_free_bulk(left.packets.data(), static_cast<unsigned>(left.count));
      result.offered += count;
    }
  }
  const auto cycles = static_cast<double>(rte_rdtsc() - first_cycle);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  for (const Running& run : running)
    result.forwarded += run.out.sent();
  const auto count = static_cast<double>(result.offered);
  result.nanoseconds = time.count() / count;
  result.tsc_cycles = cycles / count;
  return result;
}

}  // namespace overlane::dpdk

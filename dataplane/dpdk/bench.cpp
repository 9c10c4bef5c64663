#include "dataplane/dpdk/bench.h"

#include <chrono>
#include <cstring>
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

/// Sends what it can, and frees the rest.
std::uint64_t send(const Port& port, Departures& departures) {
  if (departures.count == 0) return 0;
  const auto sent = rte_eth_tx_burst(port.id(), 0, departures.packets.data(),
                                     static_cast<std::uint16_t>(departures.count));
  if (sent < departures.count) {
    rte_pktmbuf_free_bulk(departures.packets.data() + sent, departures.count - sent);
  }
  return sent;
}

/// A path and where its traffic stands.
struct Running {
  const BenchPath& path;
  MacAddress mac;
  std::size_t next = 0;
};

}  // namespace

BenchResult measure(const Generation& generation, std::span<const BenchPath> paths,
                    std::uint32_t burst, std::uint64_t packets) {
  const adjacency::Exceptions exceptions;
  node::IdentificationCounters identification;
  std::vector<Running> running;
  for (const BenchPath& path : paths)
    running.push_back({path, path.in->mac()});
  std::array<rte_mbuf*, adjacency::kBurst> received;
  Sorted sorted;
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
      take(generation, exceptions, identification, path.ingress, run.mac, {received.data(), count},
           sorted);
      result.offered += count;
      Departures& out = path.ingress == forward::Ingress::Pod ? sorted.to_uplink : sorted.to_pods;
      Departures& elsewhere =
          path.ingress == forward::Ingress::Pod ? sorted.to_pods : sorted.to_uplink;
      result.forwarded += send(*path.out, out);
      if (elsewhere.count > 0) rte_pktmbuf_free_bulk(elsewhere.packets.data(), elsewhere.count);
      if (sorted.left.count > 0)
        rte_pktmbuf_free_bulk(sorted.left.packets.data(), sorted.left.count);
    }
  }
  const auto cycles = static_cast<double>(rte_rdtsc() - first_cycle);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  const auto count = static_cast<double>(result.offered);
  result.nanoseconds = time.count() / count;
  result.tsc_cycles = cycles / count;
  return result;
}

}  // namespace overlane::dpdk

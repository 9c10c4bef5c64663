#pragma once

#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>

#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/testing/naive_headers.h"
#include "dataplane/net/testing/cycles.h"

namespace overlane::encap::testing {

/// Buffers as a packet driver keeps them: 16 k of them, more than a core's own cache holds, in huge
/// pages, each with headroom in front of the IP packet of a 64-byte Ethernet frame.
class PacketPool {
 public:
  static constexpr std::size_t kPackets = 16384;
  static constexpr std::size_t kRoom = 192;
  static constexpr std::size_t kInnerBytes = 64 - 14;

  /// 1,024 UDP flows whose headers leave no outer field to the rules: no TTL but 64, no DF, no ECN.
  explicit PacketPool(Family family) {
    madvise(bytes_.get(), kBytes, MADV_HUGEPAGE);
    std::memset(bytes_.get(), 0, kBytes);
    for (std::size_t i = 0; i < kPackets; ++i)
      write_inner(inner(i).data(), family, i % 1024);
  }

  std::span<std::uint8_t> buffer(std::size_t i) {
    return {bytes_.get() + i * kStride, kRoom + kInnerBytes};
  }
  std::span<std::uint8_t> inner(std::size_t i) { return buffer(i).subspan(kRoom); }
  /// Brings the lines of a later packet into the cache.
  void fetch_ahead(std::size_t i) {
    constexpr std::size_t kAhead = 12;
    constexpr std::size_t kLine = 64;
    const std::uint8_t* at = inner((i + kAhead) % kPackets).data();
    __builtin_prefetch(at);
    __builtin_prefetch(at - kLine);
  }
  /// The packet with `headers` bytes in front.
  std::span<std::uint8_t> outer(std::size_t i, std::size_t headers) {
    return buffer(i).subspan(kRoom - headers);
  }

 private:
  // A power of two would put all packets into the same few sets of the cache.
  static constexpr std::size_t kStride = 2048 + 256;
  static constexpr std::size_t kHugePage = 2 << 20;
  static constexpr std::size_t kBytes = kPackets * kStride;
  static_assert(kBytes % kHugePage == 0);

  static void write_inner(std::uint8_t* to, Family family, std::size_t flow) {
    Bytes bytes;
    if (family == Family::Ipv4) {
      append(bytes, 0x45000000 + kInnerBytes, 4);
      append(bytes, 0, 4);
      append(bytes, 0x40110000, 4);
      append(bytes, 0x64600100 + flow % 200, 4);
      append(bytes, 0x64610000 + flow, 4);
      fix_ipv4_checksum(bytes);
    } else {
      append(bytes, 0x60000000, 4);
      append(bytes, kInnerBytes - 40, 2);
      append(bytes, 0x1140, 2);
      for (const std::uint64_t half : {std::uint64_t{0x20010db800000000}, flow % 200})
        append(bytes, half, 8);
      for (const std::uint64_t half : {std::uint64_t{0x20010db800000001}, flow})
        append(bytes, half, 8);
    }
    append(bytes, 1024 + flow, 2);
    append(bytes, 5201, 2);
    bytes.resize(kInnerBytes);
    std::memcpy(to, bytes.data(), bytes.size());
  }

  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_{
      static_cast<std::uint8_t*>(std::aligned_alloc(kHugePage, kBytes))};
};

/// How many peers the packets go to.
inline constexpr std::size_t kPeers = 64;

/// One pass over the pool per iteration, the buffers fetched ahead as a driver's loop does it:
/// `work(i)` does one packet and returns a number that depends on what it did. The numbers of a
/// pass must add up to `expected`.
template <typename Work>
void run_pool(benchmark::State& state, PacketPool& pool, std::uint64_t expected, const Work& work) {
  std::uint64_t ticks = 0;
  for (auto _ : state) {
    const std::uint64_t start = overlane::testing::tsc();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < PacketPool::kPackets; ++i) {
      pool.fetch_ahead(i);
      sum += work(i);
    }
    ticks += overlane::testing::tsc() - start;
    if (sum != expected) {
      state.SkipWithError("the work was not done");
      break;
    }
    benchmark::ClobberMemory();
  }
  const auto packets = static_cast<std::int64_t>(PacketPool::kPackets) * state.iterations();
  state.SetItemsProcessed(packets);
  state.counters["tsc_cycles"] = static_cast<double>(ticks) / static_cast<double>(packets);
}

}  // namespace overlane::encap::testing

#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <vector>

#include "dataplane/encap/inner_packet.h"
#include "dataplane/encap/testing/naive_headers.h"

namespace overlane::encap::testing {

/// Packet buffers as a poll mode driver keeps them: consecutive in huge pages, with DPDK's default
/// mbuf layout (128 bytes of metadata, 128 of headroom, 2,048 of data). Each holds the IP packet of
/// a 64-byte Ethernet frame at the place where a driver would store it.
class PacketPool {
 public:
  static constexpr std::size_t kInnerBytes = 64 - 14;

  /// A received packet with its hash, as a driver passes it on.
  struct Received {
    std::uint8_t* inner = nullptr;
    std::uint32_t length = 0;
    std::uint32_t flow_hash = 0;  ///< Hash that a NIC computes (RSS).
  };

  /// Fills `count` buffers, a power of two, with packets of 1,024 UDP flows. All have TTL 64, no DF
  /// and no ECN, so the outer headers are equal whether they are inherited or not.
  PacketPool(Family family, std::size_t count) : bytes_(allocate(count)), received_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t* inner = bytes_.get() + i * kStride + kRoom;
      const Bytes packet = inner_packet(family, i % kFlows);
      std::memcpy(inner, packet.data(), packet.size());
      received_[i] = {inner, kInnerBytes, inner_flow_hash(packet, family)};
    }
  }

  std::span<const Received> received() const { return received_; }

  /// Prefetches the cache lines of the packet that is `ahead` buffers after `now`.
  static void fetch(const Received& now, std::size_t ahead) {
    constexpr std::size_t kLine = 64;
    const std::uint8_t* at = now.inner + ahead * kStride;
    __builtin_prefetch(at);
    __builtin_prefetch(at - kLine);
  }

 private:
  static constexpr std::size_t kFlows = 1024;
  // A DPDK mempool pads its objects so that they do not all fall into the same few cache sets.
  static constexpr std::size_t kStride = 2048 + 128 + 128 + 64;
  static constexpr std::size_t kRoom = 128 + 128 + 14;
  static constexpr std::size_t kHugePage = 2 << 20;

  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  using Memory = std::unique_ptr<std::uint8_t, Free>;

  static Memory allocate(std::size_t count) {
    const std::size_t size = (count * kStride + kHugePage - 1) / kHugePage * kHugePage;
    Memory memory(static_cast<std::uint8_t*>(std::aligned_alloc(kHugePage, size)));
    madvise(memory.get(), size, MADV_HUGEPAGE);
    std::memset(memory.get(), 0, size);
    return memory;
  }

  static Bytes inner_packet(Family family, std::size_t flow) {
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
    return bytes;
  }

  Memory bytes_;
  std::vector<Received> received_;
};

}  // namespace overlane::encap::testing

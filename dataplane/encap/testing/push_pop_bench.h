#pragma once

#include <string>

#include "dataplane/encap/popped.h"
#include "dataplane/encap/testing/minimal.h"
#include "dataplane/encap/testing/packet_pool.h"

namespace overlane::encap::testing {

/// push and pop of one encapsulation beside the least that makes the same packets, on like buffers.
/// A Kind says:
///   static constexpr Family kUnderlay, kInner;
///   static constexpr std::size_t kHeaders;      // bytes in front of the inner packet
///   static constexpr bool kUdp, kChecksum;
///   static std::vector<Pusher> pushers();       // kPeers of them
///   static Result<Popped, Drop> pop(std::span<std::uint8_t>);
///   static std::uint64_t key(const std::uint8_t* inner);  // the VNI in front, or 0
template <typename Kind>
class PushPopBench {
 public:
  using Least = Minimal<Kind::kUnderlay, Kind::kInner, Kind::kHeaders, Kind::kUdp, Kind::kChecksum>;

  static void add(const std::string& name) {
    benchmark::RegisterBenchmark(("push/" + name + "/full").c_str(), push);
    benchmark::RegisterBenchmark(("push/" + name + "/minimal").c_str(), least_push);
    benchmark::RegisterBenchmark(("pop/" + name + "/full").c_str(), pop);
    benchmark::RegisterBenchmark(("pop/" + name + "/minimal").c_str(), least_pop);
  }

 private:
  static void push(benchmark::State& state) {
    PacketPool pool(Kind::kInner);
    const auto pushers = Kind::pushers();
    run_pool(state, pool, kPushed, [&](std::size_t i) {
      const auto outer = pushers[i % kPeers].push(pool.buffer(i), PacketPool::kRoom, 0);
      return outer ? outer->size() : 0;
    });
    check(state, pool);
  }

  static void least_push(benchmark::State& state) {
    PacketPool pool(Kind::kInner);
    std::vector<Least> pushers;
    for (const auto& pusher : Kind::pushers())
      pushers.emplace_back(pusher.push(pool.buffer(0), PacketPool::kRoom, 0).value());
    run_pool(state, pool, kPushed,
             [&](std::size_t i) { return pushers[i % kPeers].push(pool.inner(i)); });
    check(state, pool);
  }

  static void pop(benchmark::State& state) {
    PacketPool pool(Kind::kInner);
    run_pool(state, pool, fill(pool), [&](std::size_t i) {
      const auto popped = Kind::pop(pool.outer(i, Kind::kHeaders));
      return popped ? seen(popped->inner.data()) : 0;
    });
  }

  static void least_pop(benchmark::State& state) {
    PacketPool pool(Kind::kInner);
    run_pool(state, pool, fill(pool), [&](std::size_t i) {
      return seen(pool.outer(i, Kind::kHeaders).data() + Kind::kHeaders);
    });
  }

  static constexpr std::uint64_t kPushed =
      PacketPool::kPackets * (PacketPool::kInnerBytes + Kind::kHeaders);

  /// What whoever pops a packet reads next: where it goes, and its network.
  static std::uint64_t seen(const std::uint8_t* inner) {
    return load_be32(inner + (Kind::kInner == Family::Ipv4 ? 16 : 36)) + Kind::key(inner);
  }

  /// Pushes all packets and adds up what a pop must see.
  static std::uint64_t fill(PacketPool& pool) {
    const auto pushers = Kind::pushers();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < PacketPool::kPackets; ++i) {
      if (!pushers[i % kPeers].push(pool.buffer(i), PacketPool::kRoom, 0)) return 0;
      sum += seen(pool.inner(i).data());
    }
    return sum;
  }

  /// Every packet of the pool has just the headers it should have, but for the value of the flow's
  /// hash, and can be popped.
  static void check(benchmark::State& state, PacketPool& pool) {
    PacketPool right(Kind::kInner);
    fill(right);
    for (std::size_t i = 0; i < PacketPool::kPackets; ++i) {
      const auto sent = pool.outer(i, Kind::kHeaders);
      const bool sound = Kind::pop(sent).has_value();
      if (sound && headers(sent) == headers(right.outer(i, Kind::kHeaders))) continue;
      return state.SkipWithError("a packet was not pushed as it should be");
    }
  }
  static Bytes headers(std::span<const std::uint8_t> packet) {
    Bytes bytes(packet.begin(), packet.begin() + Kind::kHeaders);
    if (Kind::kUdp) bytes[Least::kIpBytes] = bytes[Least::kIpBytes + 1] = 0;
    if (Kind::kChecksum) bytes[Least::kIpBytes + 6] = bytes[Least::kIpBytes + 7] = 0;
    return bytes;
  }
};

/// The addresses of peer `i`.
inline IpAddress bench_address(Family family, std::size_t i) {
  if (family == Family::Ipv4) return Ipv4Address{static_cast<std::uint32_t>(0x0afa0004 + i)};
  IpAddress address;
  address.high = 0x20010db8000a0000;
  address.low = 4 + i;
  return address;
}

}  // namespace overlane::encap::testing

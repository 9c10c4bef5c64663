#pragma once

#include <string>

#include "dataplane/encap/popped.h"
#include "dataplane/encap/testing/minimal.h"
#include "dataplane/encap/testing/paired_passes.h"

namespace overlane::encap::testing {

// Benchmarks of push() and pop() of one encapsulation, compared with the least code that could do
// the work (Minimal), for pools of 1, 16,384 and 131,072 buffers: in the cache, and beyond it.

/// Number of tunnels that the packets use in turn.
inline constexpr std::size_t kTunnels = 64;

/// Benchmarks push() and pop() of one encapsulation, each in pairs with Minimal for the same
/// packets. A Kind provides:
///   static constexpr Family kUnderlay, kInner;
///   static constexpr std::size_t kHeaders;      // bytes in front of the inner packet
///   static constexpr bool kUdp, kChecksum;
///   static Pusher pusher(std::size_t tunnel);
///   static Result<Popped, Drop> pop(std::span<std::uint8_t>);
template <typename Kind>
class PushPopBench {
 public:
  static void add(const std::string& name) {
    struct Size {
      const char* name;
      std::size_t buffers;
      int pairs;
    };
    for (const Size& size : {Size{"/1", 1, 401}, {"/16k", 16384, 401}, {"/131k", 131072, 41}}) {
      for (const bool is_push : {true, false}) {
        const auto run = [is_push, buffers = size.buffers](benchmark::State& state) {
          PushPopBench bench(buffers);
          is_push ? bench.push(state) : bench.pop(state);
        };
        const std::string row = (is_push ? "push/" : "pop/") + name + size.name;
        benchmark::RegisterBenchmark(row.c_str(), run)
            ->UseManualTime()
            ->Iterations(size.pairs)
            ->Repetitions(1);
      }
    }
  }

 private:
  using Pusher = decltype(Kind::pusher(0));
  using Least = Minimal<Kind::kUnderlay, Kind::kHeaders, Kind::kUdp, Kind::kChecksum>;
  using Received = PacketPool::Received;

  explicit PushPopBench(std::size_t buffers) : pool_(Kind::kInner, buffers) {
    for (std::size_t i = 0; i < kTunnels; ++i) {
      pushers_.push_back(Kind::pusher(i));
      least_.emplace_back(push_one(i, pool_.received()[0]).value());
    }
  }

  void push(benchmark::State& state) {
    const auto full = [this](std::size_t i, const Received& packet) {
      const auto outer = push_one(i, packet);
      return outer ? outer->size() : 0;
    };
    const auto least = [this](std::size_t i, const Received& packet) {
      return least_[i % kTunnels].push(packet.inner, packet.length, packet.flow_hash);
    };
    const std::size_t packets = pool_.received().size();
    run_paired(state, pool_, packets * (PacketPool::kInnerBytes + Kind::kHeaders), full, least);
    check(state, least);
  }

  void pop(benchmark::State& state) {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < pool_.received().size(); ++i) {
      const Received& packet = pool_.received()[i];
      if (push_one(i, packet)) expected += seen(packet.inner);
    }
    const auto full = [](std::size_t, const Received& packet) -> std::uint64_t {
      const auto popped = Kind::pop(outer(packet));
      return popped ? seen(popped->inner.data()) : 0;
    };
    const auto least = [this](std::size_t i, const Received& packet) -> std::uint64_t {
      const auto bytes = outer(packet);
      const std::uint8_t* inner =
          least_[i % kTunnels].pop(bytes.data(), static_cast<std::uint32_t>(bytes.size()));
      return inner == nullptr ? 0 : seen(inner);
    };
    run_paired(state, pool_, expected, full, least);
  }

  [[gnu::always_inline]] auto push_one(std::size_t i, const Received& packet) {
    // A driver leaves more headroom than the pusher needs.
    const std::size_t room = Kind::kHeaders;
    return pushers_[i % kTunnels].push({packet.inner - room, room + packet.length}, room,
                                       {.flow_hash = packet.flow_hash});
  }
  static std::span<std::uint8_t> outer(const Received& packet) {
    return {packet.inner - Kind::kHeaders, Kind::kHeaders + packet.length};
  }
  /// The last 32 bits of the inner destination, which a node reads next for its route lookup.
  static std::uint64_t seen(const std::uint8_t* inner) {
    return load_be32(inner + (Kind::kInner == Family::Ipv4 ? 16 : 36));
  }

  /// Checks that both pushes write the same headers for every packet, except for fields that depend
  /// on the flow's hash, and that pop() accepts both packets.
  template <typename LeastPush>
  void check(benchmark::State& state, const LeastPush& least) {
    for (std::size_t i = 0; i < pool_.received().size(); ++i) {
      const Received& packet = pool_.received()[i];
      (void)push_one(i, packet);
      const bool sound = Kind::pop(outer(packet)).has_value();
      const Bytes full_headers = headers(packet);
      least(i, packet);
      const bool least_sound = Kind::pop(outer(packet)).has_value();
      if (sound && least_sound && full_headers == headers(packet)) continue;
      return state.SkipWithError("a packet was not pushed as it should be");
    }
  }
  static Bytes headers(const Received& packet) {
    const auto all = outer(packet);
    Bytes bytes(all.begin(), all.begin() + Kind::kHeaders);
    if (Kind::kUdp) bytes[Least::kIpBytes] = bytes[Least::kIpBytes + 1] = 0;
    if (Kind::kChecksum) bytes[Least::kIpBytes + 6] = bytes[Least::kIpBytes + 7] = 0;
    if (!Kind::kUdp && Kind::kUnderlay == Family::Ipv6) store_be24(bytes.data() + 1, 0);
    return bytes;
  }

  PacketPool pool_;
  std::vector<Pusher> pushers_;
  std::vector<Least> least_;
};

/// Addresses of the near end of all tunnels and of the far end of tunnel `i`.
inline IpAddress near_end(Family family) {
  return family == Family::Ipv4 ? IpAddress(Ipv4Address{0x0afa0003})
                                : IpAddress::parse("2001:db8:a::3").value();
}
inline IpAddress far_end(Family family, std::size_t i) {
  IpAddress address = near_end(family);
  address.low += 1 + i;
  return address;
}

}  // namespace overlane::encap::testing

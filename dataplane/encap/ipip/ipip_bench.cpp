#include "dataplane/encap/ipip/pop.h"
#include "dataplane/encap/ipip/push.h"
#include "dataplane/encap/testing/push_pop_bench.h"

namespace overlane::ipip {
namespace {

using namespace encap::testing;

struct Kind {
  static constexpr Family kUnderlay = Family::Ipv4;
  static constexpr Family kInner = Family::Ipv4;
  static constexpr std::size_t kHeaders = 20;
  static constexpr bool kUdp = false;
  static constexpr bool kChecksum = false;

  static std::vector<Pusher> pushers() {
    std::vector<Pusher> pushers;
    for (std::size_t i = 0; i < kPeers; ++i) {
      pushers.emplace_back(Tunnel{.source = bench_address(kUnderlay, kPeers).ipv4(),
                                  .destination = bench_address(kUnderlay, i).ipv4()});
    }
    return pushers;
  }
  static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ipip::pop(packet);
  }
  static std::uint64_t key(const std::uint8_t*) { return 0; }
};

const bool kAdded = (PushPopBench<Kind>::add("ipip"), true);

}  // namespace
}  // namespace overlane::ipip

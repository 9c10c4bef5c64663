#include "dataplane/encap/ip6tnl/pop.h"
#include "dataplane/encap/ip6tnl/push.h"
#include "dataplane/encap/testing/push_pop_bench.h"

namespace overlane::ip6tnl {
namespace {

using namespace encap::testing;

template <Family kInnerFamily>
struct Kind {
  static constexpr Family kUnderlay = Family::Ipv6;
  static constexpr Family kInner = kInnerFamily;
  static constexpr std::size_t kHeaders = 48;
  static constexpr bool kUdp = false;
  static constexpr bool kChecksum = false;

  static std::vector<Pusher> pushers() {
    // Without flow labels, which the least push does not hash either.
    encap::OuterRules rules = encap::outer_rules(Encapsulation::Ip6Tnl, kUnderlay);
    rules.flow = encap::FlowField::None;
    std::vector<Pusher> pushers;
    for (std::size_t i = 0; i < kPeers; ++i) {
      pushers.emplace_back(Tunnel{.source = bench_address(kUnderlay, kPeers),
                                  .destination = bench_address(kUnderlay, i),
                                  .rules = rules});
    }
    return pushers;
  }
  static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ip6tnl::pop(packet);
  }
  static std::uint64_t key(const std::uint8_t*) { return 0; }
};

const bool kAdded = (PushPopBench<Kind<Family::Ipv4>>::add("ip6tnl-ipv4-inside"),
                     PushPopBench<Kind<Family::Ipv6>>::add("ip6tnl-ipv6-inside"), true);

}  // namespace
}  // namespace overlane::ip6tnl

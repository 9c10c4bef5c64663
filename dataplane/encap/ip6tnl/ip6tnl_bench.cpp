#include "dataplane/encap/ip6tnl/ip6tnl.h"
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

  static Pusher pusher(std::size_t tunnel) {
    return Pusher({.source = near_end(kUnderlay), .destination = far_end(kUnderlay, tunnel)});
  }
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ip6tnl::pop(packet);
  }
};

const bool kAdded = (PushPopBench<Kind<Family::Ipv4>>::add("ip6tnl-ipv4-inside"),
                     PushPopBench<Kind<Family::Ipv6>>::add("ip6tnl-ipv6-inside"), true);

}  // namespace
}  // namespace overlane::ip6tnl

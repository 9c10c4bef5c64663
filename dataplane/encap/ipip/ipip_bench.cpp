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

  static Pusher pusher(std::size_t tunnel) {
    return Pusher(
        {.source = near_end(kUnderlay).ipv4(), .destination = far_end(kUnderlay, tunnel).ipv4()});
  }
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ipip::pop(packet);
  }
};

const bool kAdded = (PushPopBench<Kind>::add("ipip"), true);

}  // namespace
}  // namespace overlane::ipip

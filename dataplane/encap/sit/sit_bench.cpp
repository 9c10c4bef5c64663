#include "dataplane/encap/sit/pop.h"
#include "dataplane/encap/sit/push.h"
#include "dataplane/encap/testing/push_pop_bench.h"

namespace overlane::sit {
namespace {

using namespace encap::testing;

struct Kind {
  static constexpr Family kUnderlay = Family::Ipv4;
  static constexpr Family kInner = Family::Ipv6;
  static constexpr std::size_t kHeaders = 20;
  static constexpr bool kUdp = false;
  static constexpr bool kChecksum = false;

  static Pusher pusher(std::size_t tunnel) {
    return Pusher(
        {.source = near_end(kUnderlay).ipv4(), .destination = far_end(kUnderlay, tunnel).ipv4()});
  }
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return sit::pop(packet);
  }
};

const bool kAdded = (PushPopBench<Kind>::add("sit"), true);

}  // namespace
}  // namespace overlane::sit

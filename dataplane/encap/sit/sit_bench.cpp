#include "dataplane/encap/sit/sit.h"
#include "dataplane/encap/testing/kind_benches.h"

namespace overlane::sit {
namespace {

struct Of {
  using Pusher = sit::Pusher;
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return sit::pop(packet);
  }
};

using Kind = encap::testing::InIpv4<Of, Family::Ipv6>;
const bool kAdded = (encap::testing::PushPopBench<Kind>::add("sit"), true);

}  // namespace
}  // namespace overlane::sit

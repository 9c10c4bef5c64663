#include "dataplane/encap/ipip/ipip.h"
#include "dataplane/encap/testing/kind_benches.h"

namespace overlane::ipip {
namespace {

struct Of {
  using Pusher = ipip::Pusher;
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ipip::pop(packet);
  }
};

using Kind = encap::testing::InIpv4<Of, Family::Ipv4>;
const bool kAdded = (encap::testing::PushPopBench<Kind>::add("ipip"), true);

}  // namespace
}  // namespace overlane::ipip

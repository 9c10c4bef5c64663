#include "dataplane/encap/ip_in_ipv4/ip_in_ipv4.h"
#include "dataplane/encap/testing/kind_benches.h"

namespace overlane::encap {
namespace {

struct Ipip {
  using Pusher = ipip::Pusher;
  [[gnu::always_inline]] static Result<Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return ipip::pop(packet);
  }
};

struct Sit {
  using Pusher = sit::Pusher;
  [[gnu::always_inline]] static Result<Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return sit::pop(packet);
  }
};

const bool kAdded = (testing::PushPopBench<testing::InIpv4<Ipip, Family::Ipv4>>::add("ipip"),
                     testing::PushPopBench<testing::InIpv4<Sit, Family::Ipv6>>::add("sit"), true);

}  // namespace
}  // namespace overlane::encap

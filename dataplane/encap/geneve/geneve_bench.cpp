#include "dataplane/encap/geneve/pop.h"
#include "dataplane/encap/geneve/push.h"
#include "dataplane/encap/testing/push_pop_bench.h"

namespace overlane::geneve {
namespace {

using namespace encap::testing;

template <Family kOuterFamily, Family kInnerFamily, encap::UdpChecksum kUdpChecksum>
struct Kind {
  static constexpr Family kUnderlay = kOuterFamily;
  static constexpr Family kInner = kInnerFamily;
  static constexpr std::size_t kHeaders = kUnderlay == Family::Ipv4 ? 50 : 70;
  static constexpr bool kUdp = true;
  static constexpr bool kChecksum = kUdpChecksum == encap::UdpChecksum::Computed;

  static Pusher pusher(std::size_t tunnel) {
    encap::OuterRules rules = encap::outer_rules(Encapsulation::Geneve, kUnderlay);
    rules.udp_checksum = kUdpChecksum;
    return Pusher({.source = near_end(kUnderlay),
                   .destination = far_end(kUnderlay, tunnel),
                   .vni = 4096,
                   .inner_source = {{2, 0, 0, 0, 0, 1}},
                   .inner_destination = {{2, 0, 0, 0, 1, static_cast<std::uint8_t>(tunnel)}},
                   .rules = rules});
  }
  [[gnu::always_inline]] static Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet) {
    return geneve::pop(packet);
  }
};

constexpr auto kV4 = Family::Ipv4;
constexpr auto kV6 = Family::Ipv6;
constexpr auto kZero = encap::UdpChecksum::Zero;
constexpr auto kComputed = encap::UdpChecksum::Computed;

const bool kAdded = (PushPopBench<Kind<kV4, kV4, kZero>>::add("geneve-over-ipv4"),
                     PushPopBench<Kind<kV4, kV6, kZero>>::add("geneve-over-ipv4-ipv6-inside"),
                     PushPopBench<Kind<kV4, kV4, kComputed>>::add("geneve-over-ipv4-checksum"),
                     PushPopBench<Kind<kV6, kV4, kComputed>>::add("geneve-over-ipv6"), true);

}  // namespace
}  // namespace overlane::geneve

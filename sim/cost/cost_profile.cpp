#include "sim/cost/cost_profile.h"

namespace overlane::cost {

CostProfile first_values() {
  CostProfile profile{.name = "first-values", .stages = {}, .segments_per_skb = 16};
  const auto per_skb = [](std::int64_t n) { return StageCost{.per_skb = nanoseconds(n)}; };
  profile[Stage::SocketSend] = {.per_skb = nanoseconds(1500), .per_byte = picoseconds(100)};
  profile[Stage::Veth] = per_skb(560);
  profile[Stage::Netfilter] = per_skb(1100);
  profile[Stage::Fib] = per_skb(100);
  // Outer netfilter 500, second lookup 100 (VXLAN 200, with neighbour and FDB), header 200 to 450.
  profile[Stage::EncapIpip] = per_skb(800);
  profile[Stage::EncapVxlan] = per_skb(1150);
  profile[Stage::DriverSend] = per_skb(400);
  profile[Stage::NapiReceive] = {.per_packet = nanoseconds(350)};
  profile[Stage::DecapIpip] = per_skb(500);
  profile[Stage::DecapVxlan] = per_skb(900);
  profile[Stage::SocketReceive] = {.per_skb = nanoseconds(1500), .per_byte = picoseconds(150)};
  return profile;
}

}  // namespace overlane::cost

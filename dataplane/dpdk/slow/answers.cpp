#include "dataplane/dpdk/slow/answers.h"

namespace overlane::dpdk {
namespace {

/// Where pods send what is not for themselves: the gateway that Calico's CNI plugin gives them, for
/// which the host's end of their veth answers (projectcalico/calico,
/// cni-plugin/pkg/dataplane/linux).
constexpr Ipv4Address kPodGateway{0xa9fe0101};
/// The same for IPv6: the link-local address of ee:ee:ee:ee:ee:ee, which that end always has.
constexpr Ipv6Address kPodGateway6{
    {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0xec, 0xee, 0xee, 0xff, 0xfe, 0xee, 0xee, 0xee}};

}  // namespace

neighbour::Answers gateway_answers() {
  return {.own = {kPodGateway, kPodGateway6}, .proxy_arp = true};
}

neighbour::Answers uplink_answers(const node::NodeState& state) {
  neighbour::Answers answers;
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    if (const auto own = state.address(family)) answers.own.push_back(*own);
  }
  return answers;
}

}  // namespace overlane::dpdk

#include "dataplane/encap/vxlan/push.h"

#include <algorithm>

#include "dataplane/wire/vxlan.h"

namespace overlane::vxlan {

Pusher::Pusher(const Tunnel& tunnel)
    : udp_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Vxlan, tunnel.source.family())),
           tunnel.source, tunnel.destination) {
  wire::write(wire::VxlanHeader{.vni = tunnel.vni}, fixed_);
  std::ranges::copy(tunnel.inner_destination.bytes, fixed_.begin() + kHeaderBytes);
  std::ranges::copy(tunnel.inner_source.bytes, fixed_.begin() + kHeaderBytes + 6);
  fixed_sum_ = ones_complement_sum(fixed_);
}

}  // namespace overlane::vxlan

#include "topologies/manifest/fields/reserved_ranges.h"

#include <array>

namespace overlane::manifest {
namespace {

IpPrefix slash8(std::uint32_t octet) {
  return Ipv4Prefix{{octet << 24}, 8};
}

}  // namespace

std::span<const ReservedRange> reserved_ranges() {
  static const std::array<ReservedRange, 6> kReserved = {{
      {slash8(240), "the kube-apiserver"},
      {slash8(241), "the seed's pods"},
      {slash8(242), "the shoot's nodes"},
      {slash8(243), "the shoot's services"},
      {slash8(244), "the shoot's pods"},
      {Ipv6Prefix::parse("fd8f:6d53:b97a:1::/96").value(), "the VPN itself"},
  }};
  return kReserved;
}

}  // namespace overlane::manifest

#pragma once

#include <cstdint>
#include <span>

#include "dataplane/encap/popped.h"
#include "dataplane/net/drop.h"
#include "results/finding/result.h"

namespace overlane::vxlan {

/// What a device accepts beyond Linux' defaults.
struct Accepts {
  bool zero_checksum_over_ipv6 = false;  ///< `udp6zerocsumrx`.
};

/// Takes an outer packet of either family apart in place. Refused are what encap::read_outer(),
/// encap::read_udp() and encap::take_inner() refuse, and what vxlan_rcv and vxlan_set_mac do
/// (drivers/net/vxlan/vxlan_core.c): Drop::Malformed without the I flag or from an inner address
/// that cannot be a sender's, Drop::UnsupportedProtocol with any other bit outside the VNI, which
/// RFC 7348 would ignore. So is an inner frame that holds neither IPv4 nor IPv6, which Linux passes
/// on. Port, VNI and inner destination are the caller's business.
Result<encap::Popped, Drop> pop(std::span<std::uint8_t> packet, const Accepts& accepts = {});

/// Fields of what pop() returned.
std::uint32_t vni(const encap::Popped& popped);
MacAddress inner_source(const encap::Popped& popped);
MacAddress inner_destination(const encap::Popped& popped);

}  // namespace overlane::vxlan

#include "dataplane/encap/ip6tnl/ip6tnl.h"

namespace overlane::ip6tnl {

encap::Parts parts_of(std::span<std::uint8_t> packet) {
  const auto outer = encap::read_outer_ipv6(packet);
  if (!outer) return encap::refuse(outer.error());
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    if (outer->protocol != encap::outer_protocol(Encapsulation::Ip6Tnl, family)) continue;
    return encap::take_inner(*outer, outer->header_bytes, family);
  }
  return encap::refuse(Drop::UnsupportedProtocol);
}

namespace {

std::optional<std::uint8_t> limit_among(const wire::Ipv6Extension& header) {
  wire::Ipv6Options options(header);
  while (const auto option = options.next()) {
    const bool is_limit = option->type == wire::kTunnelEncapsulationLimit;
    if (is_limit && option->data.size() == 1) return option->data[0];
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint8_t> limit_in(std::span<const std::uint8_t> packet) {
  wire::Ipv6Extensions extensions(packet);
  while (const auto header = extensions.next()) {
    if (header->kind != wire::kDestinationOptions) continue;
    if (const auto limit = limit_among(*header)) return limit;
  }
  return std::nullopt;
}

Pusher::Pusher(const Tunnel& tunnel)
    : outer_(tunnel.rules.value_or(encap::outer_rules(Encapsulation::Ip6Tnl, Family::Ipv6)),
             tunnel.source, tunnel.destination),
      option_(tunnel.limit ? option(*tunnel.limit) : 0),
      largest_(largest(option_)) {
  store_be64(far_end_.data(), tunnel.destination.high);
  store_be64(far_end_.data() + 8, tunnel.destination.low);
}

}  // namespace overlane::ip6tnl

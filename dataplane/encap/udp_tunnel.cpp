#include "dataplane/encap/udp_tunnel.h"

namespace overlane::encap {
namespace {

std::variant<OuterIpv4, OuterIpv6> outer_ip(const OuterRules& rules, const IpAddress& source,
                                            const IpAddress& destination) {
  assert(source.family() == destination.family());
  if (source.is_ipv4()) return OuterIpv4(rules, source.ipv4(), destination.ipv4(), wire::kUdp);
  return OuterIpv6(rules, source, destination);
}

}  // namespace

OuterUdp::OuterUdp(const OuterRules& rules, const IpAddress& source, const IpAddress& destination)
    : ip_(outer_ip(rules, source, destination)),
      ports_(std::uint64_t{rules.first_source_port} << 48 | std::uint64_t{rules.destination_port}
                                                                << 32),
      range_(source_ports(rules)),
      has_checksum_(rules.udp_checksum == UdpChecksum::Computed) {
  const auto take = [this](const auto& ip) {
    size_ = ip.size() + std::uint32_t{wire::kUdpBytes};
    largest_payload_ = ip.largest_payload() - std::uint32_t{wire::kUdpBytes};
    fixed_sum_ = network_order(fold(ip.address_sum() + std::uint32_t{wire::kUdp}));
  };
  std::visit(take, ip_);
}

}  // namespace overlane::encap

#include "dataplane/encap/geneve/push.h"

#include <cassert>
#include <vector>

#include "dataplane/encap/inner_ethernet.h"
#include "dataplane/wire/geneve.h"

namespace overlane::geneve {
namespace {

bool any_critical(std::span<const std::uint8_t> bytes) {
  wire::GeneveOptions options(bytes);
  while (const auto option = options.next()) {
    if (option->critical()) return true;
  }
  return false;
}

std::vector<std::uint8_t> middle(const Tunnel& tunnel, Family inner) {
  assert(tunnel.options.size() <= kMaxOptionBytes && tunnel.options.size() % 4 == 0);
  const std::uint16_t type = encap::ether_type_of(inner);
  const wire::GeneveHeader header{
      .critical = any_critical(tunnel.options),
      .protocol = tunnel.inner_proto_inherit ? type : wire::kEtherTypeBridging,
      .vni = tunnel.vni,
      .options = tunnel.options};
  std::vector<std::uint8_t> bytes(wire::header_bytes(header));
  wire::write(header, bytes);
  if (tunnel.inner_proto_inherit) return bytes;
  bytes.resize(bytes.size() + kEthernetBytes);
  wire::write(wire::EthernetHeader{.destination = tunnel.inner_destination,
                                   .source = tunnel.inner_source,
                                   .ether_type = type},
              std::span(bytes).last(kEthernetBytes));
  return bytes;
}

}  // namespace

Pusher::Pusher(const Tunnel& tunnel)
    : UdpPusher(
          tunnel.rules.value_or(encap::outer_rules(Encapsulation::Geneve, tunnel.source.family())),
          tunnel.source, tunnel.destination,
          {{Family::Ipv4, middle(tunnel, Family::Ipv4)},
           {Family::Ipv6, middle(tunnel, Family::Ipv6)}}) {}

}  // namespace overlane::geneve

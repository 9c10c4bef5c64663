#include "dataplane/encap/tunnel_bytes.h"

#include "dataplane/encap/ecn.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/vxlan_headers.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ipv4.h"

namespace overlane::encap {
namespace {

wire::Ipv4Header outer_header(const OuterRules& rules, const TunnelHeader& header,
                              const wire::Ipv4Header& inner, std::size_t bytes) {
  return {.tos = with_ecn(0, outer_ecn(ecn_of(inner.tos))),
          .total_length = static_cast<std::uint16_t>(bytes),
          .identification = header.identification,
          .dont_fragment = rules.inherits_df && inner.dont_fragment,
          .ttl = rules.inherits_ttl ? inner.ttl : kHopLimit,
          .protocol = rules.protocol,
          .source = header.source,
          .destination = header.destination};
}

/// Sets the ECN field of the packet in place.
void set_ecn(std::span<std::uint8_t> packet, Ecn ecn) {
  const std::uint16_t before = load_be16(packet.data());
  packet[1] = with_ecn(packet[1], ecn);
  const std::uint16_t checksum = load_be16(packet.data() + 10);
  store_be16(packet.data() + 10, updated_checksum(checksum, before, load_be16(packet.data())));
}

}  // namespace

Result<TunnelHeader, Drop> push(Encapsulation encapsulation, const TunnelHeader& header,
                                std::span<std::uint8_t> packet) {
  const std::size_t room = overhead(encapsulation);
  if (packet.size() < room || packet.size() > 0xffff) return fail(Drop::Malformed);
  const auto inner = wire::parse_ipv4(packet.subspan(room));
  if (!inner) return fail(inner.error());
  if (inner->total_length + room != packet.size()) return fail(Drop::Malformed);
  const OuterRules& rules = outer_rules(encapsulation);
  switch (encapsulation) {
    case Encapsulation::None:
      return header;
    case Encapsulation::Ipip:
      break;
    case Encapsulation::Vxlan:
      write_vxlan_headers(header, *inner, packet);
      break;
  }
  wire::write(outer_header(rules, header, *inner, packet.size()), packet);
  return header;
}

Result<Popped, Drop> pop(Encapsulation encapsulation, std::span<std::uint8_t> packet) {
  if (encapsulation == Encapsulation::None) return Popped{.inner = packet};
  const auto outer = wire::parse_ipv4(packet);
  if (!outer) return fail(outer.error());
  const bool fits = outer->protocol == outer_rules(encapsulation).protocol && !outer->is_fragment();
  if (!fits) return fail(Drop::Malformed);
  const auto payload = packet.first(outer->total_length).subspan(outer->header_bytes);
  Result<Popped, Drop> popped = Popped{.inner = payload};
  if (encapsulation == Encapsulation::Vxlan) popped = read_vxlan_headers(*outer, payload);
  if (!popped) return popped;

  const auto inner = wire::parse_ipv4(popped->inner);
  if (!inner) return fail(inner.error());
  const auto ecn = inner_ecn(ecn_of(inner->tos), ecn_of(outer->tos));
  if (!ecn) return fail(Drop::EcnCorrupted);
  popped->inner = popped->inner.first(inner->total_length);
  set_ecn(popped->inner, *ecn);
  popped->header.source = outer->source;
  popped->header.destination = outer->destination;
  popped->header.identification = outer->identification;
  return popped;
}

}  // namespace overlane::encap

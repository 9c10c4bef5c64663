#include <algorithm>

#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::capture {
namespace {

/// Values of a problem of VXLAN (RFC 7348, section 5) or VXLAN-GPE: flags, reserved bits, VNI,
/// reserved byte.
std::string values_of_vxlan(wire::Problem problem, const Slice& slice) {
  const std::uint8_t* bytes = slice.bytes.data();
  if (problem == wire::Problem::WrongVersion) return other_version(bytes[0] / 16u & 3u, 0);
  if (problem == wire::Problem::VniNotValid)
    return fmt::format("flags {:#04x}, expected {:#04x}", bytes[0], bytes[0] | 8u);
  return fmt::format("header {}", hex(slice.bytes.first(wire::kVxlanBytes)));
}

// Decodes VXLAN. tshark shows flags and group policy in 16 bits each
// (draft-smith-vxlan-group-policy).
void decode_vxlan(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Vxlan;
  const auto inspected = wire::inspect_vxlan(slice.bytes);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [header, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice, [&slice](wire::Problem problem) {
    return values_of_vxlan(problem, slice);
  });
  dissection.add(kKind, slice, wire::kVxlanBytes,
                 {{"flags", load_be16(slice.bytes.data())},
                  {"gbp", load_be16(slice.bytes.data() + 2)},
                  {"vni", std::uint64_t{header.vni}},
                  {"reserved8", header.reserved_8}});
  decode_ethernet(dissection, slice.from(wire::kVxlanBytes));
}

void decode_vxlan_gpe(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::VxlanGpe;
  const auto inspected = wire::inspect_vxlan_gpe(slice.bytes);
  if (!inspected) return dissection.add_cut_header(kKind, slice);
  const auto& [header, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice, [&slice](wire::Problem problem) {
    return values_of_vxlan(problem, slice);
  });
  dissection.add(kKind, slice, wire::kVxlanGpeBytes,
                 {{"ver", header.version},
                  {"i_bit", header.has_vni},
                  {"p_bit", header.has_next_protocol},
                  {"o_bit", header.is_maintenance},
                  {"next_proto", header.next_protocol},
                  {"vni", std::uint64_t{header.vni}},
                  {"reserved8", header.reserved_8}});
  const Slice inner = slice.from(wire::kVxlanGpeBytes);
  switch (header.has_next_protocol ? header.next_protocol : wire::kGpeEthernet) {
    case wire::kGpeIpv4:
      return dissection.add_trailer(LayerKind::Ipv4, decode_ipv4(dissection, inner));
    case wire::kGpeIpv6:
      return dissection.add_trailer(LayerKind::Ipv6, decode_ipv6(dissection, inner));
    case wire::kGpeEthernet:
      return decode_ethernet(dissection, inner);
    default:
      return dissection.add_payload(inner);
  }
}

/// Adds the layer. The C bit must tell whether an option is critical (RFC 8926, section 3.4).
void add_geneve(Dissection& dissection, const wire::GeneveHeader& header, const Slice& slice) {
  constexpr auto kKind = LayerKind::Geneve;
  std::vector<Fields> list;
  bool has_critical = false;
  wire::GeneveOptions options(header.options);
  while (const auto option = options.next()) {
    has_critical |= option->critical();
    list.push_back({{"class", option->option_class},
                    {"type", option->type},
                    {"critical", option->critical()},
                    {"length", wire::header_bytes(*option)},
                    {"data", hex(option->data)}});
  }
  dissection.add(kKind, slice, wire::header_bytes(header),
                 {{"version", slice.bytes[0] / 64u},
                  {"flags", slice.bytes[1]},
                  {"oam", header.control},
                  {"critical", header.critical},
                  {"proto_type", header.protocol},
                  {"vni", std::uint64_t{header.vni}},
                  {"reserved", header.reserved_8},
                  {"options", std::move(list)}});
  if (options.malformed()) {
    dissection.add_problem(kKind, facts(wire::Problem::BadOption).meaning);
  } else if (has_critical != header.critical) {
    dissection.add_problem(
        kKind, fmt::format("the C bit does not say whether an option is critical ({:d}, expected "
                           "{:d})",
                           header.critical, has_critical));
  }
  if (header.reserved_6 != 0 || header.reserved_8 != 0)
    dissection.add_problem(
        kKind, fmt::format("{} ({:#04x} and {:#04x})", facts(wire::Problem::ReservedBits).meaning,
                           header.reserved_6, header.reserved_8));
}

void refuse_geneve(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Geneve;
  if (slice.bytes.size() < wire::kGeneveBytes || !slice.is_whole())
    return dissection.add_cut_header(kKind, slice);
  const unsigned version = slice.bytes[0] / 64u;
  const std::size_t claimed = wire::kGeneveBytes + slice.bytes[0] % 64u * 4u;
  dissection.add_problem(
      kKind, version == 0 ? fmt::format("{} ({})", facts(wire::Problem::HeaderTruncated).meaning,
                                        too_many(claimed, slice.length))
                          : fmt::format("{} ({})", facts(wire::Problem::WrongVersion).meaning,
                                        other_version(version, 0)));
  dissection.add_payload(slice);
}

void decode_geneve(Dissection& dissection, const Slice& slice) {
  const auto header = wire::parse_geneve(slice.bytes);
  if (!header) return refuse_geneve(dissection, slice);
  add_geneve(dissection, *header, slice);
  const Slice inner = slice.from(wire::header_bytes(*header));
  switch (header->protocol) {
    case wire::kEtherTypeBridging:
      return decode_ethernet(dissection, inner);
    case wire::kEtherTypeIpv4:
      return dissection.add_trailer(LayerKind::Ipv4, decode_ipv4(dissection, inner));
    case wire::kEtherTypeIpv6:
      return dissection.add_trailer(LayerKind::Ipv6, decode_ipv6(dissection, inner));
    default:
      return dissection.add_payload(inner);
  }
}

/// Decodes WireGuard. The protocol has no magic number: a payload is treated as WireGuard if its
/// type, zero bytes and size are those of a message.
bool decode_wireguard(Dissection& dissection, const Slice& slice) {
  const auto inspected = wire::inspect_wireguard(slice.bytes);
  if (!inspected) return false;
  const auto& [header, problems] = *inspected;
  const bool is_size_wrong = problems.has(wire::Problem::WrongSize) && slice.is_whole();
  if (problems.has(wire::Problem::UnknownKind) || problems.has(wire::Problem::ReservedBits) ||
      is_size_wrong) {
    return false;
  }
  Fields fields{{"type", header.type}};
  if (header.sender) fields.emplace_back("sender", std::uint64_t{*header.sender});
  if (header.receiver) fields.emplace_back("receiver", std::uint64_t{*header.receiver});
  if (header.counter) fields.emplace_back("counter", *header.counter);
  const bool is_transport = header.type == wire::kWireguardTransport;
  constexpr std::size_t kTransportHeaderBytes = 16;
  const std::size_t header_bytes = is_transport ? kTransportHeaderBytes : slice.length;
  dissection.add(LayerKind::Wireguard, slice, header_bytes, std::move(fields));
  dissection.add_payload(slice.from(header_bytes));
  return true;
}

}  // namespace

bool decode_tunnel(Dissection& dissection, std::uint16_t source_port,
                   std::uint16_t destination_port, const Slice& slice) {
  // Tunnels with a VNI are sent to the port. WireGuard peers also send from the port.
  const auto is_it = [&](const TunnelPort& row) {
    return row.port == destination_port ||
           (row.tunnel == LayerKind::Wireguard && row.port == source_port);
  };
  const auto row = std::ranges::find_if(dissection.ports(), is_it);
  if (row == dissection.ports().end()) return false;
  if (row->tunnel == LayerKind::Wireguard) return decode_wireguard(dissection, slice);
  if (row->tunnel == LayerKind::Geneve) {
    decode_geneve(dissection, slice);
  } else if (row->tunnel == LayerKind::VxlanGpe || wire::is_vxlan_gpe(0, slice.bytes)) {
    decode_vxlan_gpe(dissection, slice);
  } else {
    decode_vxlan(dissection, slice);
  }
  return true;
}

}  // namespace overlane::capture

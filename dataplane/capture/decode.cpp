#include "dataplane/capture/decode.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/address_resolution.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::capture {
namespace {

template <typename T>
const T* find(const Fields& fields, std::string_view name) {
  const auto field = std::ranges::find(fields, name, &Field::name);
  return field == fields.end() ? nullptr : std::get_if<T>(&field->value);
}

}  // namespace

Field::Field(std::string_view field, std::uint64_t number) : name(field), value(number) {}
Field::Field(std::string_view field, std::string text) : name(field), value(std::move(text)) {}
Field::Field(std::string_view field, std::vector<Fields> list)
    : name(field), value(std::move(list)) {}

std::uint64_t Layer::number(std::string_view name) const {
  const auto* value = find<std::uint64_t>(fields, name);
  return value != nullptr ? *value : 0;
}

std::string_view Layer::text(std::string_view name) const {
  const auto* value = find<std::string>(fields, name);
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

namespace {

constexpr int kMaxVlanTags = 2;
/// Length in bytes of the shortest Ethernet frame without FCS; each VLAN tag is added to it.
constexpr std::size_t kShortestFrame = 60;

Slice decode_ether_type(Dissection& dissection, std::uint16_t type, const Slice& slice) {
  switch (type) {
    case wire::kEtherTypeIpv4:
      return decode_ipv4(dissection, slice);
    case wire::kEtherTypeIpv6:
      return decode_ipv6(dissection, slice);
    case wire::kEtherTypeArp:
      return decode_arp(dissection, slice);
    default:
      dissection.add_payload(slice);
      return slice.from(slice.length);
  }
}

struct Tags {
  std::uint16_t type;  ///< EtherType after the tags.
  std::size_t bytes = 0;
};

Tags decode_vlans(Dissection& dissection, std::uint16_t type, const Slice& slice) {
  Tags tags{type};
  for (int count = 0; count < kMaxVlanTags && wire::announces_vlan(tags.type); ++count) {
    const Slice at = slice.from(tags.bytes);
    const auto tag = wire::parse_vlan(at.bytes);
    if (!tag) break;
    dissection.add(LayerKind::Vlan, at, wire::kVlanTagBytes,
                   {{"priority", tag->priority},
                    {"dei", tag->drop_eligible},
                    {"id", tag->vlan_id},
                    {"etype", tag->ether_type}});
    tags.type = tag->ether_type;
    tags.bytes += wire::kVlanTagBytes;
  }
  return tags;
}

constexpr std::size_t kCookedBytes = 16;
constexpr std::size_t kCooked2Bytes = 20;
constexpr std::size_t kCookedAddressBytes = 8;

// https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html and …_SLL2.html
void decode_cooked(Dissection& dissection, const Slice& slice, bool is_second) {
  const std::size_t size = is_second ? kCooked2Bytes : kCookedBytes;
  if (slice.bytes.size() < size) return dissection.add_cut_header(LayerKind::LinuxCooked, slice);
  const std::uint8_t* bytes = slice.bytes.data();
  const std::uint16_t type = load_be16(is_second ? bytes : bytes + 14);
  const std::size_t address_bytes = is_second ? bytes[11] : load_be16(bytes + 4);
  const auto address = slice.bytes.subspan(is_second ? 12 : 6, kCookedAddressBytes);
  Fields fields{{"pkttype", is_second ? std::uint16_t{bytes[10]} : load_be16(bytes)},
                {"hatype", load_be16(is_second ? bytes + 8 : bytes + 2)},
                {"halen", address_bytes},
                {"src", hex(address.first(std::min(address_bytes, kCookedAddressBytes)))},
                {"etype", type}};
  if (is_second) fields.emplace_back("ifindex", std::uint64_t{load_be32(bytes + 4)});
  dissection.add(LayerKind::LinuxCooked, slice, size, std::move(fields));
  // Frames shorter than Ethernet's minimum are captured with their padding.
  dissection.add_padding(decode_ether_type(dissection, type, slice.from(size)));
}

/// Values of AF_INET6 in Linux, NetBSD and OpenBSD, FreeBSD, Darwin.
constexpr std::array<std::uint32_t, 4> kIpv6Families = {10, 24, 28, 30};
constexpr std::size_t kNullBytes = 4;

void decode_null(Dissection& dissection, const Slice& slice) {
  if (slice.bytes.size() < kNullBytes) return dissection.add_cut_header(LayerKind::Null, slice);
  std::uint32_t family = load_be32(slice.bytes.data());
  // The capturing host wrote the family in its own byte order. Families are small numbers.
  if (family > 0xffff) family = __builtin_bswap32(family);
  dissection.add(LayerKind::Null, slice, kNullBytes, {{"family", std::uint64_t{family}}});
  const Slice packet = slice.from(kNullBytes);
  constexpr std::uint32_t kIpv4Family = 2;
  if (family == kIpv4Family) {
    dissection.add_trailer(LayerKind::Ipv4, decode_ipv4(dissection, packet));
  } else if (std::ranges::find(kIpv6Families, family) != kIpv6Families.end()) {
    dissection.add_trailer(LayerKind::Ipv6, decode_ipv6(dissection, packet));
  } else {
    dissection.add_payload(packet);
  }
}

/// Values of an ARP problem. Expected are IPv4 over Ethernet: hardware 1, protocol 0x0800, lengths
/// 6 and 4 (RFC 826).
std::string values_of(wire::Problem problem, const std::uint8_t* bytes) {
  if (problem == wire::Problem::UnknownKind)
    return fmt::format("hardware {}, protocol {:#06x}; expected 1 and 0x0800", load_be16(bytes),
                       load_be16(bytes + 2));
  return fmt::format("address lengths {} and {}, expected 6 and 4", bytes[4], bytes[5]);
}

}  // namespace

void decode_ethernet(Dissection& dissection, const Slice& slice) {
  const auto header = wire::parse_ethernet(slice.bytes);
  if (!header) return dissection.add_cut_header(LayerKind::Ethernet, slice);
  const bool is_length = header->ether_type < wire::kFirstEtherType;
  dissection.add(LayerKind::Ethernet, slice, wire::kEthernetBytes,
                 {{"dst", header->destination.to_string()},
                  {"src", header->source.to_string()},
                  {is_length ? "len" : "type", std::uint64_t{header->ether_type}}});
  const Slice rest = slice.from(wire::kEthernetBytes);
  if (is_length) return dissection.add_payload(rest);
  const Tags tags = decode_vlans(dissection, header->ether_type, rest);
  const Slice trailer = decode_ether_type(dissection, tags.type, rest.from(tags.bytes));
  if (slice.length <= kShortestFrame + tags.bytes) return dissection.add_padding(trailer);
  dissection.add_trailer(LayerKind::Ethernet, trailer);
}

void decode_frame(Dissection& dissection, LinkType link_type, const Slice& slice) {
  switch (link_type) {
    case LinkType::Ethernet:
      return decode_ethernet(dissection, slice);
    case LinkType::RawIp:
      return dissection.add_trailer(LayerKind::Payload, decode_ip(dissection, slice));
    case LinkType::Ipv4:
      return dissection.add_trailer(LayerKind::Ipv4, decode_ipv4(dissection, slice));
    case LinkType::Ipv6:
      return dissection.add_trailer(LayerKind::Ipv6, decode_ipv6(dissection, slice));
    case LinkType::LinuxCooked:
      return decode_cooked(dissection, slice, false);
    case LinkType::LinuxCooked2:
      return decode_cooked(dissection, slice, true);
    case LinkType::Null:
    case LinkType::Loop:
      return decode_null(dissection, slice);
  }
}

Slice decode_arp(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Arp;
  const auto inspected = wire::inspect_arp(slice.bytes);
  if (!inspected) {
    dissection.add_cut_header(kKind, slice);
    return slice.end();
  }
  const auto& [packet, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice, [&slice](wire::Problem problem) {
    return values_of(problem, slice.bytes.data());
  });
  Fields fields{{"opcode", packet.operation}};
  const bool has_addresses =
      !problems.has(wire::Problem::UnknownKind) && !problems.has(wire::Problem::WrongSize);
  if (has_addresses) {
    fields.insert(fields.end(), {{"src_hw_mac", packet.sender_mac.to_string()},
                                 {"src_proto_ipv4", packet.sender.to_string()},
                                 {"dst_hw_mac", packet.target_mac.to_string()},
                                 {"dst_proto_ipv4", packet.target.to_string()}});
  }
  dissection.add(kKind, slice, wire::kArpBytes, std::move(fields));
  return slice.from(wire::kArpBytes);
}

std::vector<TunnelPort> default_tunnel_ports() {
  return {{wire::kVxlanPort, LayerKind::Vxlan},
          {wire::kVxlanLinuxPort, LayerKind::Vxlan},
          {wire::kVxlanGpePort, LayerKind::VxlanGpe},
          {wire::kGenevePort, LayerKind::Geneve},
          {wire::kWireguardPort, LayerKind::Wireguard}};
}

DecodedPacket decode(const CapturedPacket& packet, LinkType link_type,
                     const std::vector<TunnelPort>& ports) {
  DecodedPacket decoded{
      .number = packet.number, .timestamp = packet.timestamp, .length_bytes = packet.length_bytes};
  if (packet.bytes.size() < packet.length_bytes) {
    decoded.problems.push_back(
        fmt::format("captured {} of {} bytes", packet.bytes.size(), packet.length_bytes));
  }
  Dissection dissection(packet.bytes, ports, decoded);
  decode_frame(dissection, link_type, {packet.bytes, packet.length_bytes});
  return decoded;
}

}  // namespace overlane::capture

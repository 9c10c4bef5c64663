#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::capture {
namespace {

constexpr std::size_t kChecksumOffset = 10;

std::vector<Fields> options_of(const wire::Ipv4Header& header, std::span<const std::uint8_t> from) {
  std::vector<Fields> list;
  wire::Ipv4Options options(header, from);
  while (const auto option = options.next()) {
    Fields fields{{"type", option->kind}};
    if (option->kind != wire::kIpv4Nop) {
      fields.emplace_back("len", option->data.size() + 2);
      fields.emplace_back("data", hex(option->data));
    }
    list.push_back(std::move(fields));
  }
  return list;
}

Fields fields_of(const wire::Ipv4Header& header, std::span<const std::uint8_t> bytes) {
  return {{"version", bytes[0] / 16u},
          {"hdr_len", header.header_bytes},
          {"dscp", header.tos / 4u},
          {"ecn", header.tos % 4u},
          {"len", header.total_length},
          {"id", header.identification},
          {"flags", bytes[6] / 32u},
          {"rb", header.reserved_flag},
          {"df", header.dont_fragment},
          {"mf", header.more_fragments},
          {"frag_offset", header.fragment_offset / 8u},
          {"ttl", header.ttl},
          {"proto", header.protocol},
          {"checksum", std::uint64_t{bytes[10]} << 8 | bytes[11]},
          {"src", header.source.to_string()},
          {"dst", header.destination.to_string()}};
}

std::string values_of(wire::Problem problem, const wire::Ipv4Header& header, const Slice& slice) {
  const std::span<const std::uint8_t> bytes = slice.bytes;
  if (problem == wire::Problem::WrongVersion) return other_version(bytes[0] / 16u, 4);
  if (problem == wire::Problem::HeaderTooShort)
    return too_few(header.header_bytes, wire::kIpv4Bytes);
  if (problem == wire::Problem::HeaderTruncated) return too_many(header.header_bytes, bytes.size());
  if (problem == wire::Problem::WrongChecksum)
    return wrong_checksum(load_be16(bytes.data() + kChecksumOffset),
                          internet_checksum(bytes.first(header.header_bytes)));
  if (problem == wire::Problem::LengthTooShort)
    return too_few(header.total_length, header.header_bytes);
  if (problem == wire::Problem::LengthBeyondPacket)
    return too_many(header.total_length, slice.length);
  if (problem == wire::Problem::BadFragment)
    return fmt::format("{} bytes at {}", header.total_length - header.header_bytes,
                       header.fragment_offset);
  return problem == wire::Problem::ReservedBits ? "the first flag is set" : "";
}

constexpr std::uint8_t kRouterAlert = 5;  // RFC 2711

Fields fields_of(const wire::Ipv6Header& header, std::span<const std::uint8_t> bytes) {
  return {{"version", bytes[0] / 16u},
          {"tclass", header.traffic_class},
          {"dscp", header.traffic_class / 4u},
          {"ecn", header.traffic_class % 4u},
          {"flow", header.flow_label},
          {"plen", header.payload_length},
          {"nxt", header.next_header},
          {"hlim", header.hop_limit},
          {"src", header.source.ipv6().to_string()},
          {"dst", header.destination.ipv6().to_string()}};
}

Fields fields_of(const wire::Ipv6Option& option) {
  Fields fields{{"type", option.type}};
  if (option.type == wire::kPad1) return fields;
  fields.emplace_back("length", option.data.size());
  if (option.type == wire::kTunnelEncapsulationLimit && option.data.size() == 1) {
    fields.emplace_back("tel", std::uint64_t{option.data[0]});
  } else if (option.type == kRouterAlert && option.data.size() == 2) {
    fields.emplace_back("router_alert", std::uint64_t{load_be16(option.data.data())});
  } else if (option.type != wire::kPadN) {
    fields.emplace_back("data", hex(option.data));
  }
  return fields;
}

LayerKind kind_of(const wire::Ipv6Extension& extension) {
  switch (extension.kind) {
    case wire::kHopByHop:
      return LayerKind::HopByHop;
    case wire::kRouting:
      return LayerKind::Routing;
    case wire::kFragment:
      return LayerKind::Fragment;
    case wire::kAuthentication:
      return LayerKind::Authentication;
    default:
      return LayerKind::DestinationOptions;
  }
}

void add_options(Dissection& dissection, LayerKind kind, const wire::Ipv6Extension& extension,
                 const Slice& slice, Fields fields) {
  std::vector<Fields> list;
  wire::Ipv6Options options(extension);
  while (const auto option = options.next())
    list.push_back(fields_of(*option));
  fields.emplace_back("options", std::move(list));
  dissection.add(kind, slice, extension.bytes.size(), std::move(fields));
  if (options.malformed()) dissection.add_problem(kind, facts(wire::Problem::BadOption).meaning);
}

void add_extension(Dissection& dissection, const wire::Ipv6Extension& extension,
                   const Slice& slice) {
  const LayerKind kind = kind_of(extension);
  const std::uint8_t* bytes = extension.bytes.data();
  Fields fields{{"nxt", extension.next_header}};
  if (kind == LayerKind::Fragment) {
    const std::uint16_t offset = load_be16(bytes + 2);
    fields.insert(fields.end(), {{"offset", offset / 8u},
                                 {"more", offset % 2u},
                                 {"ident", std::uint64_t{load_be32(bytes + 4)}}});
    dissection.add(kind, slice, extension.bytes.size(), std::move(fields));
    if (bytes[1] != 0 || (offset & 6) != 0)
      dissection.add_problem(
          kind, fmt::format("{} ({:#04x} and {:#x})", facts(wire::Problem::ReservedBits).meaning,
                            bytes[1], offset & 6u));
    return;
  }
  fields.emplace_back("len", std::uint64_t{bytes[1]});
  if (kind == LayerKind::HopByHop || kind == LayerKind::DestinationOptions)
    return add_options(dissection, kind, extension, slice, std::move(fields));
  if (kind == LayerKind::Routing) {
    fields.emplace_back("type", std::uint64_t{bytes[2]});
    fields.emplace_back("segleft", std::uint64_t{bytes[3]});
  }
  dissection.add(kind, slice, extension.bytes.size(), std::move(fields));
}

/// Decodes the extension headers of a packet and the headers after them.
void decode_extensions(Dissection& dissection, const wire::Ipv6Header& header,
                       const Slice& packet) {
  wire::Ipv6Extensions extensions(packet.bytes);
  while (const auto extension = extensions.next())
    add_extension(dissection, *extension, packet.from(extension->offset));
  Slice rest = packet.from(extensions.offset());
  if (extensions.malformed()) {
    if (packet.is_whole())
      dissection.add_problem(LayerKind::Ipv6, "an extension header cannot be followed");
    return dissection.add_payload(rest);
  }
  const auto& fragment = extensions.fragment();
  if (fragment && fragment->offset != 0) return dissection.add_payload(rest);
  rest.is_fragment |= fragment && fragment->more_fragments;
  decode_upper(dissection, {extensions.next_header(), header.source, header.destination}, rest);
}

std::string values_of(wire::Problem problem, const wire::Ipv6Header& header, const Slice& slice) {
  if (problem == wire::Problem::WrongVersion) return other_version(slice.bytes[0] / 16u, 6);
  if (problem == wire::Problem::MappedAddress)
    return fmt::format("{} to {}", header.source.ipv6().to_string(),
                       header.destination.ipv6().to_string());
  if (problem == wire::Problem::LengthBeyondPacket)
    return too_many(header.payload_length, slice.length - wire::kIpv6Bytes);
  return "";
}

}  // namespace

Slice decode_ipv4(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Ipv4;
  if (!dissection.enter_ip(kKind, slice)) return slice.end();
  const auto inspected = wire::inspect_ipv4(slice.bytes, wire::ZeroLength::MeansFrame);
  if (!inspected) {
    dissection.add_cut_header(kKind, slice);
    return slice.end();
  }
  const auto& [header, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice,
                          [&slice, &read = inspected->header](wire::Problem problem) {
                            return values_of(problem, read, slice);
                          });
  const bool is_readable = !problems.has(wire::Problem::WrongVersion) &&
                           !problems.has(wire::Problem::HeaderTooShort) &&
                           !problems.has(wire::Problem::HeaderTruncated);
  const std::size_t header_bytes = is_readable ? header.header_bytes : wire::kIpv4Bytes;
  Fields fields = fields_of(header, slice.bytes);
  if (is_readable && header_bytes > wire::kIpv4Bytes)
    fields.emplace_back("options", options_of(header, slice.bytes));
  const std::size_t layer = dissection.add(kKind, slice, header_bytes, std::move(fields));
  if (!is_readable) {
    dissection.add_payload(slice.from(header_bytes));
    return slice.end();
  }
  if (header.total_length == 0) dissection.add_note(layer, "super-packet of length 0");
  const Slice packet = slice.claimed(header.total_length, header_bytes);
  Slice rest = packet.from(header_bytes);
  rest.is_fragment |= header.more_fragments;
  if (header.fragment_offset != 0) {
    dissection.add_payload(rest);
  } else {
    decode_upper(dissection, {header.protocol, header.source, header.destination}, rest);
  }
  return slice.from(packet.length);
}

Slice decode_ipv6(Dissection& dissection, const Slice& slice) {
  constexpr auto kKind = LayerKind::Ipv6;
  if (!dissection.enter_ip(kKind, slice)) return slice.end();
  const auto inspected = wire::inspect_ipv6(slice.bytes);
  if (!inspected) {
    dissection.add_cut_header(kKind, slice);
    return slice.end();
  }
  const auto& [header, problems] = *inspected;
  dissection.add_problems(kKind, problems, slice,
                          [&slice, &read = inspected->header](wire::Problem problem) {
                            return values_of(problem, read, slice);
                          });
  const std::size_t layer =
      dissection.add(kKind, slice, wire::kIpv6Bytes, fields_of(header, slice.bytes));
  if (problems.has(wire::Problem::WrongVersion)) {
    dissection.add_payload(slice.from(wire::kIpv6Bytes));
    return slice.end();
  }
  // The length is 0 only if it does not fit into 16 bits (RFC 2675; skb_tunnel and GSO:
  // iph_set_totlen and ip6_xmit in the kernel).
  constexpr std::size_t kMaxPayload = 0xffff;
  const bool is_super = header.payload_length == 0 && slice.length - wire::kIpv6Bytes > kMaxPayload;
  if (is_super) dissection.add_note(layer, "super-packet of length 0");
  const Slice packet =
      is_super ? slice : slice.claimed(wire::kIpv6Bytes + header.payload_length, wire::kIpv6Bytes);
  decode_extensions(dissection, header, packet);
  return slice.from(packet.length);
}

}  // namespace overlane::capture

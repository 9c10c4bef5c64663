#include <fmt/format.h>

#include "dataplane/capture/dissection.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ipv4.h"

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

}  // namespace overlane::capture

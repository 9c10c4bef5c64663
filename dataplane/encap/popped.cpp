#include "dataplane/encap/popped.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"

namespace overlane::encap {
namespace {

/// Defaults of the sysctls net.ipv6.max_dst_opts_number and max_hbh_opts_number, and the limit for
/// padding between options in bytes (ip6_parse_tlv, net/ipv6/exthdrs.c).
constexpr int kMaxOptions = 8;
constexpr std::size_t kMaxPadding = 7;

/// Whether a node that does not know the option skips it: its two high bits are 00 (RFC 8200, 4.2).
constexpr bool may_be_skipped(std::uint8_t type) {
  return (type & 0xc0) == 0;
}

bool is_padding(const wire::Ipv6Option& option) {
  return option.type == wire::kPad1 || option.type == wire::kPadN;
}

std::optional<Drop> check_options(const wire::Ipv6Extension& header) {
  wire::Ipv6Options options(header);
  int count = 0;
  std::size_t padding = 0;
  while (const auto option = options.next()) {
    if (is_padding(*option)) {
      padding += option->type == wire::kPad1 ? 1 : 2 + option->data.size();
      const bool clean = std::ranges::all_of(option->data, [](auto byte) { return byte == 0; });
      if (padding > kMaxPadding || !clean) return Drop::Malformed;
      continue;
    }
    padding = 0;
    if (++count > kMaxOptions) return Drop::Malformed;
    if (!may_be_skipped(option->type)) return Drop::UnsupportedProtocol;
  }
  if (options.malformed()) return Drop::Malformed;
  return std::nullopt;
}

std::optional<Drop> check_extension(const wire::Ipv6Extension& header) {
  switch (header.kind) {
    case wire::kHopByHop:
    case wire::kDestinationOptions:
      return check_options(header);
    case wire::kRouting: {
      const bool done = header.bytes[3] == 0;
      return done ? std::nullopt : std::optional(Drop::UnsupportedProtocol);
    }
    case wire::kFragment: {
      const bool atomic = (load_be16(header.bytes.data() + 2) & 0xfff9) == 0;
      return atomic ? std::nullopt : std::optional(Drop::Malformed);
    }
    default:
      return Drop::UnsupportedProtocol;
  }
}

Result<OuterPacket, Drop> skip_extensions(OuterPacket outer) {
  wire::Ipv6Extensions extensions(outer.bytes);
  while (const auto header = extensions.next()) {
    if (const auto drop = check_extension(*header)) return fail(*drop);
  }
  if (extensions.malformed()) return fail(Drop::Malformed);
  outer.header_bytes = static_cast<std::uint32_t>(extensions.offset());
  outer.protocol = extensions.next_header();
  return outer;
}

bool udp_checksum_is_right(const std::uint8_t* packet, std::span<const std::uint8_t> datagram) {
  const bool ipv4 = packet[0] >> 4 == 4;
  const std::span addresses(packet + (ipv4 ? 12 : 8), ipv4 ? 8 : 32);
  std::uint32_t sum = ones_complement_sum(addresses);
  sum += wire::kUdp + static_cast<std::uint32_t>(datagram.size());
  sum += ones_complement_sum(datagram);
  return sum % 0xffff == 0;
}

}  // namespace

Result<OuterPacket, Drop> read_outer_ipv4(std::span<std::uint8_t> packet) {
  const std::uint8_t* at = packet.data();
  if (packet.size() < wire::kIpv4Bytes || at[0] >> 4 != 4) return fail(Drop::Malformed);
  const std::uint32_t header = (at[0] & 0xfu) * 4;
  const std::uint32_t total = load_be16(at + 2);
  if (header < wire::kIpv4Bytes || total < header || total > packet.size()) {
    return fail(Drop::Malformed);
  }
  if (internet_checksum(packet.first(header)) != 0) return fail(Drop::BadChecksum);
  constexpr std::uint16_t kFragmentMask = 0x3fff;
  if ((load_be16(at + 6) & kFragmentMask) != 0) return fail(Drop::Malformed);
  return OuterPacket{
      .bytes = packet.first(total), .header_bytes = header, .protocol = at[9], .tos = at[1]};
}

Result<OuterPacket, Drop> read_outer_ipv6(std::span<std::uint8_t> packet) {
  const std::uint8_t* at = packet.data();
  if (packet.size() < wire::kIpv6Bytes || at[0] >> 4 != 6) return fail(Drop::Malformed);
  const std::size_t total = wire::kIpv6Bytes + load_be16(at + 4);
  if (total > packet.size()) return fail(Drop::Malformed);
  return skip_extensions(
      {.bytes = packet.first(total), .tos = static_cast<std::uint8_t>(load_be16(at) >> 4)});
}

Result<OuterPacket, Drop> read_outer(std::span<std::uint8_t> packet) {
  const bool ipv6 = !packet.empty() && packet[0] >> 4 == 6;
  return ipv6 ? read_outer_ipv6(packet) : read_outer_ipv4(packet);
}

Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6) {
  if (outer.protocol != wire::kUdp) return fail(Drop::UnsupportedProtocol);
  const std::span<std::uint8_t> payload = outer.payload();
  if (payload.size() < wire::kUdpBytes) return fail(Drop::Malformed);
  const bool ipv6 = outer.bytes[0] >> 4 == 6;
  std::size_t length = load_be16(payload.data() + 4);
  if (ipv6 && length == 0) length = payload.size();
  if (length < wire::kUdpBytes || length > payload.size()) return fail(Drop::Malformed);
  const bool has_checksum = load_be16(payload.data() + 6) != 0;
  const bool accepted = has_checksum
                            ? udp_checksum_is_right(outer.bytes.data(), payload.first(length))
                            : !ipv6 || zero_over_ipv6;
  if (!accepted) return fail(Drop::BadChecksum);
  OuterPacket datagram = outer;
  datagram.bytes = outer.bytes.first(outer.header_bytes + length);
  return datagram;
}

namespace {

IpAddress address(std::span<const std::uint8_t> header, bool second) {
  if (header[0] >> 4 == 4) return Ipv4Address{load_be32(header.data() + (second ? 16 : 12))};
  const std::uint8_t* at = header.data() + (second ? 24 : 8);
  IpAddress ipv6;
  ipv6.high = load_be64(at);
  ipv6.low = load_be64(at + 8);
  return ipv6;
}

}  // namespace

IpAddress Popped::source() const {
  return address(headers, false);
}
IpAddress Popped::destination() const {
  return address(headers, true);
}

Parts take_inner(const OuterPacket& outer, std::size_t offset, Family family) {
  const std::span<std::uint8_t> rest = outer.bytes.subspan(offset);
  const std::uint32_t length = whole_bytes(rest, family);
  if (length == 0) return refuse(Drop::Malformed);
  const std::uint8_t* at = rest.data();
  const std::uint32_t tos =
      family == Family::Ipv4 ? PlainIp<Family::Ipv4>::tos(at) : PlainIp<Family::Ipv6>::tos(at);
  const Ecn before = ecn_of(static_cast<std::uint8_t>(tos));
  const auto after = inner_ecn(before, ecn_of(outer.tos));
  if (!after) return refuse(Drop::EcnCorrupted);
  if (*after != before) set_ecn(rest.data(), family, *after);
  return {.outer_bytes = outer.header_bytes,
          .header_bytes = static_cast<std::uint32_t>(offset),
          .inner_bytes = length,
          .inner_family = family};
}

}  // namespace overlane::encap

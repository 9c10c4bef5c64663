#include "dataplane/wire/ipv4.h"

#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"

namespace overlane::wire {
namespace {

constexpr std::uint16_t kReservedFlag = 0x8000;
constexpr std::uint16_t kDontFragment = 0x4000;
constexpr std::uint16_t kMoreFragments = 0x2000;
constexpr std::uint16_t kOffsetMask = 0x1fff;

Ipv4Header load_ipv4(const std::uint8_t* bytes) {
  const std::uint16_t flags = load_be16(bytes + 6);
  return {.header_bytes = static_cast<std::uint8_t>((bytes[0] & 0xf) * 4),
          .tos = bytes[1],
          .total_length = load_be16(bytes + 2),
          .identification = load_be16(bytes + 4),
          .reserved_flag = (flags & kReservedFlag) != 0,
          .dont_fragment = (flags & kDontFragment) != 0,
          .more_fragments = (flags & kMoreFragments) != 0,
          .fragment_offset = static_cast<std::uint16_t>((flags & kOffsetMask) * 8),
          .ttl = bytes[8],
          .protocol = bytes[9],
          .source = {load_be32(bytes + 12)},
          .destination = {load_be32(bytes + 16)}};
}

bool has_bad_option(const Ipv4Header& header, std::span<const std::uint8_t> packet) {
  Ipv4Options options(header, packet);
  while (options.next()) {
  }
  return options.malformed();
}

/// Validates the header by itself.
Problems problems_of_header(const Ipv4Header& header, std::span<const std::uint8_t> bytes) {
  Problems problems;
  problems.add(Problem::WrongVersion, bytes[0] >> 4 != 4);
  problems.add(Problem::HeaderTooShort, header.header_bytes < kIpv4Bytes);
  problems.add(Problem::HeaderTruncated, header.header_bytes > bytes.size());
  problems.add(Problem::ReservedBits, header.reserved_flag);
  return problems;
}

/// Only reassembly sees this, and ip_frag_queue makes the best of it (net/ipv4/ip_fragment.c).
bool is_bad_fragment(const Ipv4Header& header) {
  const int payload = header.total_length - header.header_bytes;
  return (header.more_fragments && payload % 8 != 0) ||
         header.fragment_offset + header.total_length > 0xffff;
}

Problems problems_of(const Ipv4Header& header, std::span<const std::uint8_t> packet,
                     ZeroLength zero) {
  Problems problems = problems_of_header(header, packet);
  const bool is_whole_frame = header.total_length == 0 && zero == ZeroLength::MeansFrame;
  problems.add(Problem::LengthTooShort,
               header.total_length < header.header_bytes && !is_whole_frame);
  problems.add(Problem::LengthBeyondPacket, header.total_length > packet.size());
  problems.add(Problem::BadFragment, header.is_fragment() && is_bad_fragment(header));
  if (!problems.has(Problem::HeaderTooShort) && !problems.has(Problem::HeaderTruncated)) {
    problems.add(Problem::WrongChecksum, internet_checksum(packet.first(header.header_bytes)) != 0);
    const bool has_options = header.header_bytes > kIpv4Bytes;
    problems.add(Problem::BadOption, has_options && has_bad_option(header, packet));
  }
  return problems;
}

}  // namespace

std::optional<Inspected<Ipv4Header>> inspect_ipv4(std::span<const std::uint8_t> packet,
                                                  ZeroLength zero) {
  if (packet.size() < kIpv4Bytes) return std::nullopt;
  const Ipv4Header header = load_ipv4(packet.data());
  return Inspected<Ipv4Header>{header, problems_of(header, packet, zero)};
}

Result<Ipv4Header, Drop> parse_ipv4(std::span<const std::uint8_t> packet, ZeroLength zero) {
  if (packet.size() < kIpv4Bytes) return fail(Drop::Malformed);
  const Ipv4Header header = load_ipv4(packet.data());
  return accepted(header, problems_of(header, packet, zero));
}

Result<Ipv4Header, Drop> parse_quoted_ipv4(std::span<const std::uint8_t> quote) {
  if (quote.size() < kIpv4Bytes) return fail(Drop::Malformed);
  const Ipv4Header header = load_ipv4(quote.data());
  if (header.total_length < header.header_bytes) return fail(Drop::Malformed);
  return accepted(header, problems_of_header(header, quote));
}

void write(const Ipv4Header& header, std::span<std::uint8_t> to) {
  assert(to.size() >= header.header_bytes && header.fragment_offset % 8 == 0);
  std::uint8_t* bytes = to.data();
  bytes[0] = static_cast<std::uint8_t>(0x40 | header.header_bytes / 4);
  bytes[1] = header.tos;
  store_be16(bytes + 2, header.total_length);
  store_be16(bytes + 4, header.identification);
  store_be16(bytes + 6, (header.reserved_flag ? kReservedFlag : 0u) |
                            (header.dont_fragment ? kDontFragment : 0u) |
                            (header.more_fragments ? kMoreFragments : 0u) |
                            header.fragment_offset / 8u);
  bytes[8] = header.ttl;
  bytes[9] = header.protocol;
  store_be16(bytes + 10, 0);
  store_be32(bytes + 12, header.source.bits);
  store_be32(bytes + 16, header.destination.bits);
  store_be16(bytes + 10, internet_checksum(to.first(header.header_bytes)));
}

std::optional<Ipv4Option> Ipv4Options::next() {
  if (malformed_ || rest_.empty() || rest_[0] == kIpv4EndOfOptions) return std::nullopt;
  const std::uint8_t kind = rest_[0];
  if (kind == kIpv4Nop) {
    rest_ = rest_.subspan(1);
    return Ipv4Option{.kind = kind};
  }
  malformed_ = rest_.size() < 2 || rest_[1] < 2 || rest_[1] > rest_.size();
  if (malformed_) return std::nullopt;
  const Ipv4Option option{.kind = kind, .data = rest_.subspan(2, rest_[1] - 2u)};
  rest_ = rest_.subspan(rest_[1]);
  return option;
}

}  // namespace overlane::wire

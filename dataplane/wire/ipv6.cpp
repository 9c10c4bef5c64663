#include "dataplane/wire/ipv6.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
namespace {

constexpr std::uint16_t kFragmentOffsetMask = 0xfff8;

FragmentHeader load_fragment(const std::uint8_t* bytes) {
  const std::uint16_t field = load_be16(bytes + 2);
  return {.next_header = bytes[0],
          .offset = static_cast<std::uint16_t>(field & kFragmentOffsetMask),
          .more_fragments = (field & 1) != 0,
          .identification = load_be32(bytes + 4)};
}

IpAddress load_address(const std::uint8_t* from) {
  IpAddress address;
  address.high = load_be64(from);
  address.low = load_be64(from + 8);
  return address;
}

void store_address(std::uint8_t* to, const IpAddress& address) {
  store_be64(to, address.high);
  store_be64(to + 8, address.low);
}

Ipv6Header load_ipv6(const std::uint8_t* bytes) {
  const std::uint32_t first = load_be32(bytes);
  return {.traffic_class = static_cast<std::uint8_t>(first >> 20),
          .flow_label = first & 0xfffff,
          .payload_length = load_be16(bytes + 4),
          .next_header = bytes[6],
          .hop_limit = bytes[7],
          .source = load_address(bytes + 8),
          .destination = load_address(bytes + 24)};
}

/// Validates the header by itself.
Problems problems_of_header(const Ipv6Header& header, std::span<const std::uint8_t> bytes) {
  Problems problems;
  problems.add(Problem::WrongVersion, bytes[0] >> 4 != 6);
  problems.add(Problem::MappedAddress, header.source.is_ipv4() || header.destination.is_ipv4());
  return problems;
}

Problems problems_of(const Ipv6Header& header, std::span<const std::uint8_t> packet) {
  Problems problems = problems_of_header(header, packet);
  problems.add(Problem::LengthBeyondPacket, header.payload_length > packet.size() - kIpv6Bytes);
  return problems;
}

}  // namespace

void write(const FragmentHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kFragmentHeaderBytes && header.offset % 8 == 0);
  to[0] = header.next_header;
  to[1] = 0;
  store_be16(to.data() + 2, header.offset | (header.more_fragments ? 1u : 0u));
  store_be32(to.data() + 4, header.identification);
}

Ipv6Extensions::Ipv6Extensions(std::span<const std::uint8_t> packet)
    : packet_(packet), offset_(kIpv6Bytes), next_header_(packet[6]) {
  assert(packet.size() >= kIpv6Bytes);
}

bool Ipv6Extensions::at_extension() const {
  if (fragment_ && fragment_->offset != 0) return false;
  return next_header_ == kHopByHop || next_header_ == kRouting || next_header_ == kFragment ||
         next_header_ == kAuthentication || next_header_ == kDestinationOptions;
}

std::size_t Ipv6Extensions::claimed_bytes() const {
  const std::size_t length = packet_[offset_ + 1];
  switch (next_header_) {
    case kFragment:
      return kFragmentHeaderBytes;
    case kAuthentication:
      return (length + 2) * 4;
    default:
      return (length + 1) * 8;
  }
}

std::optional<Ipv6Extension> Ipv6Extensions::next() {
  if (malformed_ || !at_extension()) return std::nullopt;
  const std::size_t room = packet_.size() - offset_;
  const bool misplaced = next_header_ == kHopByHop && count_ > 0;
  malformed_ = misplaced || count_ == kMaxExtensionHeaders || room < 8 || claimed_bytes() > room;
  if (malformed_) return std::nullopt;
  const Ipv6Extension extension{.kind = next_header_,
                                .offset = offset_,
                                .bytes = packet_.subspan(offset_, claimed_bytes()),
                                .next_header = packet_[offset_]};
  if (extension.kind == kFragment) {
    fragment_ = load_fragment(extension.bytes.data());
    fragment_header_offset_ = offset_;
  }
  offset_ += extension.bytes.size();
  next_header_ = extension.next_header;
  ++count_;
  return extension;
}

Result<UpperLayer, Drop> find_upper_layer(std::span<const std::uint8_t> packet) {
  Ipv6Extensions extensions(packet);
  while (extensions.next()) {
  }
  if (extensions.malformed()) return fail(Drop::Malformed);
  return UpperLayer{.protocol = extensions.next_header(),
                    .offset = extensions.offset(),
                    .fragment = extensions.fragment(),
                    .fragment_header_offset = extensions.fragment_header_offset()};
}

std::size_t bytes_before_fragment_header(std::span<const std::uint8_t> packet) {
  Ipv6Extensions extensions(packet);
  bool is_routed = false;
  std::size_t end = kIpv6Bytes;
  while (const auto extension = extensions.next()) {
    const bool is_options =
        extension->kind == kHopByHop || (extension->kind == kDestinationOptions && !is_routed);
    if (!is_options && extension->kind != kRouting) break;
    is_routed = is_routed || extension->kind == kRouting;
    end = extensions.offset();
  }
  return end;
}

std::optional<Ipv6Option> Ipv6Options::next() {
  if (malformed_ || rest_.empty()) return std::nullopt;
  const std::uint8_t type = rest_[0];
  if (type == kPad1) {
    rest_ = rest_.subspan(1);
    return Ipv6Option{};
  }
  malformed_ = rest_.size() < 2 || rest_[1] > rest_.size() - 2;
  if (malformed_) return std::nullopt;
  const Ipv6Option option{.type = type, .data = rest_.subspan(2, rest_[1])};
  rest_ = rest_.subspan(2 + option.data.size());
  return option;
}

std::optional<Inspected<Ipv6Header>> inspect_ipv6(std::span<const std::uint8_t> packet) {
  if (packet.size() < kIpv6Bytes) return std::nullopt;
  const Ipv6Header header = load_ipv6(packet.data());
  return Inspected<Ipv6Header>{header, problems_of(header, packet)};
}

Result<Ipv6Header, Drop> parse_ipv6(std::span<const std::uint8_t> packet) {
  if (packet.size() < kIpv6Bytes) return fail(Drop::Malformed);
  const Ipv6Header header = load_ipv6(packet.data());
  return accepted(header, problems_of(header, packet));
}

Result<Ipv6Header, Drop> parse_quoted_ipv6(std::span<const std::uint8_t> quote) {
  if (quote.size() < kIpv6Bytes) return fail(Drop::Malformed);
  const Ipv6Header header = load_ipv6(quote.data());
  return accepted(header, problems_of_header(header, quote));
}

void write(const Ipv6Header& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kIpv6Bytes && header.flow_label < 1u << 20);
  std::uint8_t* bytes = to.data();
  store_be32(bytes, 6u << 28 | std::uint32_t{header.traffic_class} << 20 | header.flow_label);
  store_be16(bytes + 4, header.payload_length);
  bytes[6] = header.next_header;
  bytes[7] = header.hop_limit;
  store_address(bytes + 8, header.source);
  store_address(bytes + 24, header.destination);
}

}  // namespace overlane::wire

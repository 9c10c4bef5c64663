#include "dataplane/wire/ip.h"

#include <cassert>
#include <span>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/transport.h"

namespace overlane::wire {

std::vector<std::uint8_t> ip_packet(const FlowKey& flow, std::size_t bytes, std::uint8_t ttl) {
  const std::size_t header = flow.destination.is_ipv4() ? kIpv4Bytes : kIpv6Bytes;
  assert(bytes >= header);
  std::vector<std::uint8_t> packet(bytes);
  if (flow.destination.is_ipv4()) {
    write(Ipv4Header{.total_length = static_cast<std::uint16_t>(bytes),
                     .ttl = ttl,
                     .protocol = flow.protocol,
                     .source = flow.source.ipv4(),
                     .destination = flow.destination.ipv4()},
          packet);
  } else {
    write(Ipv6Header{.payload_length = static_cast<std::uint16_t>(bytes - header),
                     .next_header = flow.protocol,
                     .hop_limit = ttl,
                     .source = flow.source,
                     .destination = flow.destination},
          packet);
  }
  const auto segment = std::span(packet).subspan(header);
  if (flow.protocol != kUdp || segment.size() < kUdpBytes) return packet;
  UdpHeader udp{.source_port = flow.source_port,
                .destination_port = flow.destination_port,
                .length = static_cast<std::uint16_t>(segment.size())};
  write(udp, segment);
  udp.checksum = transport_checksum(flow.source, flow.destination, kUdp, segment);
  if (udp.checksum == 0) udp.checksum = 0xffff;  // 0 would mean "no checksum" (RFC 768).
  write(udp, segment);
  return packet;
}

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

/// Problems of the header that do not depend on the rest of the packet, as for a quoted header.
Problems problems_of_header(const Ipv4Header& header, std::span<const std::uint8_t> bytes) {
  Problems problems;
  problems.add(Problem::WrongVersion, bytes[0] >> 4 != 4);
  problems.add(Problem::HeaderTooShort, header.header_bytes < kIpv4Bytes);
  problems.add(Problem::HeaderTruncated, header.header_bytes > bytes.size());
  problems.add(Problem::ReservedBits, header.reserved_flag);
  return problems;
}

/// Whether a fragment cannot be part of a packet as it is. Only reassembly checks this:
/// ip_frag_queue (net/ipv4/ip_fragment.c) cuts a fragment before the last to a multiple of 8.
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

/// Problems of the header that do not depend on the rest of the packet, as for a quoted header.
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

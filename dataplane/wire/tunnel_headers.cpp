#include "dataplane/wire/tunnel_headers.h"

#include <algorithm>
#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {

std::optional<Inspected<VxlanHeader>> inspect_vxlan(std::span<const std::uint8_t> payload) {
  if (payload.size() < kVxlanBytes) return std::nullopt;
  const VxlanHeader header{.vni = load_be24(payload.data() + 4),
                           .flags = payload[0],
                           .reserved_24 = load_be24(payload.data() + 1),
                           .reserved_8 = payload[7]};
  Problems problems;
  problems.add(Problem::VniNotValid, (header.flags & kVxlanVni) == 0);
  problems.add(Problem::ReservedBits, (header.flags & ~kVxlanVni) != 0 || header.reserved_24 != 0 ||
                                          header.reserved_8 != 0);
  return Inspected<VxlanHeader>{header, problems};
}

Result<VxlanHeader, Drop> parse_vxlan(std::span<const std::uint8_t> payload) {
  return accepted(inspect_vxlan(payload));
}

void write(const VxlanHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kVxlanBytes && header.vni < 1u << 24 && header.reserved_24 < 1u << 24);
  to[0] = header.flags;
  store_be24(to.data() + 1, header.reserved_24);
  store_be24(to.data() + 4, header.vni);
  to[7] = header.reserved_8;
}

namespace {

constexpr std::uint8_t kReservedFlags = 0xc0;
constexpr std::uint8_t kInstance = 0x08;
constexpr std::uint8_t kNextProtocol = 0x04;
constexpr std::uint8_t kFlooded = 0x02;
constexpr std::uint8_t kMaintenance = 0x01;

}  // namespace

bool is_vxlan_gpe(std::uint16_t destination_port, std::span<const std::uint8_t> payload) {
  return destination_port == kVxlanGpePort ||
         (!payload.empty() && (payload[0] & kNextProtocol) != 0);
}

std::optional<Inspected<VxlanGpeHeader>> inspect_vxlan_gpe(std::span<const std::uint8_t> payload) {
  if (payload.size() < kVxlanGpeBytes) return std::nullopt;
  const std::uint8_t flags = payload[0];
  const VxlanGpeHeader header{.version = static_cast<std::uint8_t>(flags >> 4 & 3),
                              .has_vni = (flags & kInstance) != 0,
                              .has_next_protocol = (flags & kNextProtocol) != 0,
                              .is_flooded = (flags & kFlooded) != 0,
                              .is_maintenance = (flags & kMaintenance) != 0,
                              .reserved_16 = load_be16(payload.data() + 1),
                              .next_protocol = payload[3],
                              .vni = load_be24(payload.data() + 4),
                              .reserved_8 = payload[7]};
  Problems problems;
  problems.add(Problem::WrongVersion, header.version != 0);
  problems.add(Problem::VniNotValid, !header.has_vni);
  problems.add(Problem::ReservedBits,
               (flags & kReservedFlags) != 0 || header.reserved_16 != 0 || header.reserved_8 != 0);
  return Inspected<VxlanGpeHeader>{header, problems};
}

Result<VxlanGpeHeader, Drop> parse_vxlan_gpe(std::span<const std::uint8_t> payload) {
  return accepted(inspect_vxlan_gpe(payload));
}

void write(const VxlanGpeHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kVxlanGpeBytes && header.version < 4 && header.vni < 1u << 24);
  to[0] = static_cast<std::uint8_t>(header.version << 4 | (header.has_vni ? kInstance : 0) |
                                    (header.has_next_protocol ? kNextProtocol : 0) |
                                    (header.is_flooded ? kFlooded : 0) |
                                    (header.is_maintenance ? kMaintenance : 0));
  store_be16(to.data() + 1, header.reserved_16);
  to[3] = header.next_protocol;
  store_be24(to.data() + 4, header.vni);
  to[7] = header.reserved_8;
}

namespace {

constexpr std::uint8_t kControl = 0x80;
constexpr std::uint8_t kCritical = 0x40;
constexpr std::uint8_t kReserved = 0x3f;
constexpr std::size_t kOptionHeaderBytes = 4;

}  // namespace

bool GeneveHeader::operator==(const GeneveHeader& other) const {
  return control == other.control && critical == other.critical && reserved_6 == other.reserved_6 &&
         protocol == other.protocol && vni == other.vni && reserved_8 == other.reserved_8 &&
         std::ranges::equal(options, other.options);
}

Result<GeneveHeader, Drop> parse_geneve(std::span<const std::uint8_t> payload) {
  if (payload.size() < kGeneveBytes) return fail(Drop::Malformed);
  const std::uint8_t* bytes = payload.data();
  const std::size_t option_bytes = (bytes[0] & 0x3f) * 4u;
  const bool is_version_0 = bytes[0] >> 6 == 0;
  if (!is_version_0 || option_bytes > payload.size() - kGeneveBytes) return fail(Drop::Malformed);
  return GeneveHeader{.control = (bytes[1] & kControl) != 0,
                      .critical = (bytes[1] & kCritical) != 0,
                      .reserved_6 = static_cast<std::uint8_t>(bytes[1] & kReserved),
                      .protocol = load_be16(bytes + 2),
                      .vni = load_be24(bytes + 4),
                      .reserved_8 = bytes[7],
                      .options = payload.subspan(kGeneveBytes, option_bytes)};
}

void write(const GeneveHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= header_bytes(header) && header.vni < 1u << 24);
  assert(header.options.size() % 4 == 0 && header.options.size() <= kGeneveMaxOptionBytes);
  to[0] = static_cast<std::uint8_t>(header.options.size() / 4);
  to[1] = static_cast<std::uint8_t>((header.control ? kControl : 0u) |
                                    (header.critical ? kCritical : 0u) |
                                    (header.reserved_6 & kReserved));
  store_be16(to.data() + 2, header.protocol);
  store_be24(to.data() + 4, header.vni);
  to[7] = header.reserved_8;
  std::ranges::copy(header.options, to.subspan(kGeneveBytes).begin());
}

std::optional<GeneveOption> GeneveOptions::next() {
  if (malformed_ || rest_.empty()) return std::nullopt;
  malformed_ = rest_.size() < kOptionHeaderBytes ||
               (rest_[3] & 0x1f) * 4u > rest_.size() - kOptionHeaderBytes;
  if (malformed_) return std::nullopt;
  const GeneveOption option{.option_class = load_be16(rest_.data()),
                            .type = rest_[2],
                            .data = rest_.subspan(kOptionHeaderBytes, (rest_[3] & 0x1f) * 4u)};
  rest_ = rest_.subspan(header_bytes(option));
  return option;
}

void write(const GeneveOption& option, std::span<std::uint8_t> to) {
  assert(to.size() >= header_bytes(option) && option.data.size() % 4 == 0 &&
         option.data.size() <= 124);
  store_be16(to.data(), option.option_class);
  to[2] = option.type;
  to[3] = static_cast<std::uint8_t>(option.data.size() / 4);
  std::ranges::copy(option.data, to.subspan(kOptionHeaderBytes).begin());
}

namespace {

constexpr std::size_t kMinBytes = kWireguardHeaderBytes;

std::uint32_t load_le32(const std::uint8_t* from) {
  return std::uint32_t{from[3]} << 24 | std::uint32_t{from[2]} << 16 | std::uint32_t{from[1]} << 8 |
         from[0];
}
std::uint64_t load_le64(const std::uint8_t* from) {
  return std::uint64_t{load_le32(from + 4)} << 32 | load_le32(from);
}

void store_le(std::uint64_t value, std::span<std::uint8_t> to) {
  for (std::uint8_t& byte : to) {
    byte = static_cast<std::uint8_t>(value);
    value >>= 8;
  }
}

bool has_size_of_its_type(std::span<const std::uint8_t> message) {
  switch (message[0]) {
    case kWireguardInitiation:
      return message.size() == kWireguardInitiationBytes;
    case kWireguardResponse:
      return message.size() == kWireguardResponseBytes;
    case kWireguardCookieReply:
      return message.size() == kWireguardCookieReplyBytes;
    case kWireguardTransport:
      return message.size() >= kWireguardMinTransportBytes;
    default:
      return true;
  }
}

WireguardHeader load_wireguard(const std::uint8_t* bytes) {
  WireguardHeader header{.type = bytes[0]};
  switch (header.type) {
    case kWireguardInitiation:
      header.sender = load_le32(bytes + 4);
      break;
    case kWireguardResponse:
      header.sender = load_le32(bytes + 4);
      header.receiver = load_le32(bytes + 8);
      break;
    case kWireguardCookieReply:
      header.receiver = load_le32(bytes + 4);
      break;
    case kWireguardTransport:
      header.receiver = load_le32(bytes + 4);
      header.counter = load_le64(bytes + 8);
      break;
    default:
      break;
  }
  return header;
}

}  // namespace

std::optional<Inspected<WireguardHeader>> inspect_wireguard(std::span<const std::uint8_t> message) {
  if (message.size() < kMinBytes) return std::nullopt;
  const std::uint8_t type = message[0];
  Problems problems;
  problems.add(Problem::UnknownKind, type < kWireguardInitiation || type > kWireguardTransport);
  problems.add(Problem::WrongSize, !has_size_of_its_type(message));
  problems.add(Problem::ReservedBits, load_be24(message.data() + 1) != 0);
  return Inspected<WireguardHeader>{load_wireguard(message.data()), problems};
}

Result<WireguardHeader, Drop> parse_wireguard(std::span<const std::uint8_t> message) {
  const auto inspected = inspect_wireguard(message);
  if (inspected && inspected->problems.has(Problem::ReservedBits)) return fail(Drop::Malformed);
  return accepted(inspected);
}

void write_wireguard_transport(std::uint32_t receiver, std::uint64_t counter,
                               std::span<std::uint8_t> to) {
  store_le(kWireguardTransport, to.first(4));
  store_le(receiver, to.subspan(4, 4));
  store_le(counter, to.subspan(8, 8));
}

}  // namespace overlane::wire

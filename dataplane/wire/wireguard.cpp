#include "dataplane/wire/wireguard.h"

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
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
      return message.size() >= kWireguardLeastTransportBytes;
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

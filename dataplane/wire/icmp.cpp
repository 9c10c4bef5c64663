#include "dataplane/wire/icmp.h"

#include <array>
#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::wire {
namespace {

/// The content of the second word of a message.
enum class IcmpSecond : std::uint8_t { Unused, Quotation, Pointer, Gateway, Identifier };

struct IcmpRow {
  std::uint8_t type;
  std::string_view name;
  IcmpSecond second;
  bool is_error;
};

constexpr std::array kIcmpRows = {
    IcmpRow{kIcmpEchoReply, "echo reply", IcmpSecond::Identifier, false},
    IcmpRow{kIcmpUnreachable, "destination unreachable", IcmpSecond::Quotation, true},
    IcmpRow{kIcmpSourceQuench, "source quench", IcmpSecond::Unused, true},
    IcmpRow{kIcmpRedirect, "redirect", IcmpSecond::Gateway, true},
    IcmpRow{kIcmpEcho, "echo", IcmpSecond::Identifier, false},
    IcmpRow{kIcmpTimeExceeded, "time exceeded", IcmpSecond::Quotation, true},
    IcmpRow{kIcmpParameterProblem, "parameter problem", IcmpSecond::Pointer, true},
    IcmpRow{kIcmpTimestamp, "timestamp", IcmpSecond::Identifier, false},
    IcmpRow{kIcmpTimestampReply, "timestamp reply", IcmpSecond::Identifier, false},
    IcmpRow{kIcmpInformation, "information request", IcmpSecond::Identifier, false},
    IcmpRow{kIcmpInformationReply, "information reply", IcmpSecond::Identifier, false},
};

constexpr IcmpRow kUnknownIcmp{255, "", IcmpSecond::Unused, false};

const IcmpRow& icmp_row(std::uint8_t type) {
  for (const IcmpRow& row : kIcmpRows)
    if (row.type == type) return row;
  return kUnknownIcmp;
}

bool has_mtu(const IcmpHeader& header) {
  return header.type == kIcmpUnreachable && header.code == kIcmpFragmentationNeeded;
}

void load_second(const std::uint8_t* word, IcmpHeader& header) {
  switch (icmp_row(header.type).second) {
    case IcmpSecond::Unused:
      break;
    case IcmpSecond::Quotation:
      header.quoted_words = word[1];
      if (has_mtu(header)) header.next_hop_mtu = load_be16(word + 2);
      break;
    case IcmpSecond::Pointer:
      header.pointer = word[0];
      header.quoted_words = word[1];
      break;
    case IcmpSecond::Gateway:
      header.gateway = {load_be32(word)};
      break;
    case IcmpSecond::Identifier:
      header.identifier = load_be16(word);
      header.sequence = load_be16(word + 2);
      break;
  }
}

std::uint32_t second_of(const IcmpHeader& header) {
  const std::uint32_t quoted = std::uint32_t{header.quoted_words} << 16;
  switch (icmp_row(header.type).second) {
    case IcmpSecond::Unused:
      return 0;
    case IcmpSecond::Quotation:
      return quoted | (has_mtu(header) ? header.next_hop_mtu : 0u);
    case IcmpSecond::Pointer:
      return quoted | std::uint32_t{header.pointer} << 24;
    case IcmpSecond::Gateway:
      return header.gateway.bits;
    case IcmpSecond::Identifier:
      return std::uint32_t{header.identifier} << 16 | header.sequence;
  }
  return 0;
}

/// The content of the second word of a message. Other: bits of neighbour discovery, not parsed
/// here.
enum class Icmpv6Second : std::uint8_t { Other, Quotation, Mtu, Pointer, Identifier };

struct Icmpv6Row {
  std::uint8_t type;
  std::string_view name;
  Icmpv6Second second;
};

constexpr std::array kIcmpv6Rows = {
    Icmpv6Row{kIcmpv6Unreachable, "destination unreachable", Icmpv6Second::Quotation},
    Icmpv6Row{kIcmpv6PacketTooBig, "packet too big", Icmpv6Second::Mtu},
    Icmpv6Row{kIcmpv6TimeExceeded, "time exceeded", Icmpv6Second::Quotation},
    Icmpv6Row{kIcmpv6ParameterProblem, "parameter problem", Icmpv6Second::Pointer},
    Icmpv6Row{kIcmpv6Echo, "echo request", Icmpv6Second::Identifier},
    Icmpv6Row{kIcmpv6EchoReply, "echo reply", Icmpv6Second::Identifier},
    Icmpv6Row{130, "multicast listener query", Icmpv6Second::Other},
    Icmpv6Row{131, "multicast listener report", Icmpv6Second::Other},
    Icmpv6Row{132, "multicast listener done", Icmpv6Second::Other},
    Icmpv6Row{kRouterSolicitation, "router solicitation", Icmpv6Second::Other},
    Icmpv6Row{kRouterAdvertisement, "router advertisement", Icmpv6Second::Other},
    Icmpv6Row{kNeighbourSolicitation, "neighbor solicitation", Icmpv6Second::Other},
    Icmpv6Row{kNeighbourAdvertisement, "neighbor advertisement", Icmpv6Second::Other},
    Icmpv6Row{kIcmpv6Redirect, "redirect", Icmpv6Second::Other},
    Icmpv6Row{143, "multicast listener report v2", Icmpv6Second::Other},
};

constexpr Icmpv6Row kUnknownIcmpv6{255, "", Icmpv6Second::Other};

const Icmpv6Row& icmpv6_row(std::uint8_t type) {
  for (const Icmpv6Row& row : kIcmpv6Rows)
    if (row.type == type) return row;
  return kUnknownIcmpv6;
}

void load_second(const std::uint8_t* word, Icmpv6Header& header) {
  switch (icmpv6_row(header.type).second) {
    case Icmpv6Second::Other:
      break;
    case Icmpv6Second::Quotation:
      header.quoted_units = word[0];
      break;
    case Icmpv6Second::Mtu:
      header.mtu = load_be32(word);
      break;
    case Icmpv6Second::Pointer:
      header.pointer = load_be32(word);
      break;
    case Icmpv6Second::Identifier:
      header.identifier = load_be16(word);
      header.sequence = load_be16(word + 2);
      break;
  }
}

std::uint32_t second_of(const Icmpv6Header& header) {
  switch (icmpv6_row(header.type).second) {
    case Icmpv6Second::Other:
      return 0;
    case Icmpv6Second::Quotation:
      return std::uint32_t{header.quoted_units} << 24;
    case Icmpv6Second::Mtu:
      return header.mtu;
    case Icmpv6Second::Pointer:
      return header.pointer;
    case Icmpv6Second::Identifier:
      return std::uint32_t{header.identifier} << 16 | header.sequence;
  }
  return 0;
}

}  // namespace

std::string_view icmp_name(std::uint8_t type) {
  return icmp_row(type).name;
}

bool IcmpHeader::is_error() const {
  return icmp_row(type).is_error;
}

std::optional<Inspected<IcmpHeader>> inspect_icmp(std::span<const std::uint8_t> message) {
  if (message.size() < kIcmpBytes) return std::nullopt;
  IcmpHeader header{.type = message[0], .code = message[1]};
  load_second(message.data() + 4, header);
  const bool is_known = !icmp_name(header.type).empty();
  Problems problems;
  problems.add(Problem::WrongChecksum, internet_checksum(message) != 0);
  problems.add(Problem::ReservedBits,
               is_known && load_be32(message.data() + 4) != second_of(header));
  return Inspected<IcmpHeader>{header, problems};
}

Result<IcmpHeader, Drop> parse_icmp(std::span<const std::uint8_t> message) {
  return accepted(inspect_icmp(message));
}

void write(const IcmpHeader& header, std::span<std::uint8_t> message) {
  assert(message.size() >= kIcmpBytes);
  message[0] = header.type;
  message[1] = header.code;
  store_be16(message.data() + 2, 0);
  store_be32(message.data() + 4, second_of(header));
  store_be16(message.data() + 2, internet_checksum(message));
}

std::string_view icmpv6_name(std::uint8_t type) {
  return icmpv6_row(type).name;
}

std::optional<Inspected<Icmpv6Header>> inspect_icmpv6(const IpAddress& source,
                                                      const IpAddress& destination,
                                                      std::span<const std::uint8_t> message) {
  if (message.size() < kIcmpv6Bytes) return std::nullopt;
  Icmpv6Header header{.type = message[0], .code = message[1]};
  load_second(message.data() + 4, header);
  const bool is_ours = icmpv6_row(header.type).second != Icmpv6Second::Other;
  Problems problems;
  problems.add(Problem::WrongChecksum,
               transport_checksum(source, destination, kIcmpv6, message) != 0);
  problems.add(Problem::ReservedBits,
               is_ours && load_be32(message.data() + 4) != second_of(header));
  return Inspected<Icmpv6Header>{header, problems};
}

Result<Icmpv6Header, Drop> parse_icmpv6(const IpAddress& source, const IpAddress& destination,
                                        std::span<const std::uint8_t> message) {
  return accepted(inspect_icmpv6(source, destination, message));
}

void write(const Icmpv6Header& header, const IpAddress& source, const IpAddress& destination,
           std::span<std::uint8_t> message) {
  assert(message.size() >= kIcmpv6Bytes);
  message[0] = header.type;
  message[1] = header.code;
  store_be16(message.data() + 2, 0);
  store_be32(message.data() + 4, second_of(header));
  store_be16(message.data() + 2, transport_checksum(source, destination, kIcmpv6, message));
}

}  // namespace overlane::wire

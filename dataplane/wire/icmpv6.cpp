#include "dataplane/wire/icmpv6.h"

#include <array>
#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip_protocol.h"

namespace overlane::wire {
namespace {

/// What the second word of a message is. Other is not ours to read: bits of neighbour discovery.
enum class Second : std::uint8_t { Other, Quotation, Mtu, Pointer, Identifier };

struct Row {
  std::uint8_t type;
  std::string_view name;
  Second second;
};

constexpr std::array kRows = {
    Row{kIcmpv6Unreachable, "destination unreachable", Second::Quotation},
    Row{kIcmpv6PacketTooBig, "packet too big", Second::Mtu},
    Row{kIcmpv6TimeExceeded, "time exceeded", Second::Quotation},
    Row{kIcmpv6ParameterProblem, "parameter problem", Second::Pointer},
    Row{kIcmpv6Echo, "echo request", Second::Identifier},
    Row{kIcmpv6EchoReply, "echo reply", Second::Identifier},
    Row{130, "multicast listener query", Second::Other},
    Row{131, "multicast listener report", Second::Other},
    Row{132, "multicast listener done", Second::Other},
    Row{kRouterSolicitation, "router solicitation", Second::Other},
    Row{kRouterAdvertisement, "router advertisement", Second::Other},
    Row{kNeighbourSolicitation, "neighbor solicitation", Second::Other},
    Row{kNeighbourAdvertisement, "neighbor advertisement", Second::Other},
    Row{kIcmpv6Redirect, "redirect", Second::Other},
    Row{143, "multicast listener report v2", Second::Other},
};

constexpr Row kUnknown{255, "", Second::Other};

const Row& row_of(std::uint8_t type) {
  for (const Row& row : kRows)
    if (row.type == type) return row;
  return kUnknown;
}

void load_second(const std::uint8_t* word, Icmpv6Header& header) {
  switch (row_of(header.type).second) {
    case Second::Other:
      break;
    case Second::Quotation:
      header.quoted_units = word[0];
      break;
    case Second::Mtu:
      header.mtu = load_be32(word);
      break;
    case Second::Pointer:
      header.pointer = load_be32(word);
      break;
    case Second::Identifier:
      header.identifier = load_be16(word);
      header.sequence = load_be16(word + 2);
      break;
  }
}

std::uint32_t second_of(const Icmpv6Header& header) {
  switch (row_of(header.type).second) {
    case Second::Other:
      return 0;
    case Second::Quotation:
      return std::uint32_t{header.quoted_units} << 24;
    case Second::Mtu:
      return header.mtu;
    case Second::Pointer:
      return header.pointer;
    case Second::Identifier:
      return std::uint32_t{header.identifier} << 16 | header.sequence;
  }
  return 0;
}

}  // namespace

std::string_view icmpv6_name(std::uint8_t type) {
  return row_of(type).name;
}

std::optional<Inspected<Icmpv6Header>> inspect_icmpv6(const IpAddress& source,
                                                      const IpAddress& destination,
                                                      std::span<const std::uint8_t> message) {
  if (message.size() < kIcmpv6Bytes) return std::nullopt;
  Icmpv6Header header{.type = message[0], .code = message[1]};
  load_second(message.data() + 4, header);
  const bool is_ours = row_of(header.type).second != Second::Other;
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

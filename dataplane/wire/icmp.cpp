#include "dataplane/wire/icmp.h"

#include <array>
#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"

namespace overlane::wire {
namespace {

/// What the second word of a message is.
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

}  // namespace overlane::wire

#include "dataplane/wire/icmp.h"

#include <array>
#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"

namespace overlane::wire {
namespace {

/// What the second word of a message is.
enum class Second : std::uint8_t { Unused, Quotation, Pointer, Gateway, Identifier };

struct Row {
  std::uint8_t type;
  std::string_view name;
  Second second;
  bool is_error;
};

constexpr std::array kRows = {
    Row{kIcmpEchoReply, "echo reply", Second::Identifier, false},
    Row{kIcmpUnreachable, "destination unreachable", Second::Quotation, true},
    Row{kIcmpSourceQuench, "source quench", Second::Unused, true},
    Row{kIcmpRedirect, "redirect", Second::Gateway, true},
    Row{kIcmpEcho, "echo", Second::Identifier, false},
    Row{kIcmpTimeExceeded, "time exceeded", Second::Quotation, true},
    Row{kIcmpParameterProblem, "parameter problem", Second::Pointer, true},
    Row{kIcmpTimestamp, "timestamp", Second::Identifier, false},
    Row{kIcmpTimestampReply, "timestamp reply", Second::Identifier, false},
    Row{kIcmpInformation, "information request", Second::Identifier, false},
    Row{kIcmpInformationReply, "information reply", Second::Identifier, false},
};

constexpr Row kUnknown{255, "", Second::Unused, false};

const Row& row_of(std::uint8_t type) {
  for (const Row& row : kRows)
    if (row.type == type) return row;
  return kUnknown;
}

bool has_mtu(const IcmpHeader& header) {
  return header.type == kIcmpUnreachable && header.code == kIcmpFragmentationNeeded;
}

void load_second(const std::uint8_t* word, IcmpHeader& header) {
  switch (row_of(header.type).second) {
    case Second::Unused:
      break;
    case Second::Quotation:
      header.quoted_words = word[1];
      if (has_mtu(header)) header.next_hop_mtu = load_be16(word + 2);
      break;
    case Second::Pointer:
      header.pointer = word[0];
      header.quoted_words = word[1];
      break;
    case Second::Gateway:
      header.gateway = {load_be32(word)};
      break;
    case Second::Identifier:
      header.identifier = load_be16(word);
      header.sequence = load_be16(word + 2);
      break;
  }
}

std::uint32_t second_of(const IcmpHeader& header) {
  const std::uint32_t quoted = std::uint32_t{header.quoted_words} << 16;
  switch (row_of(header.type).second) {
    case Second::Unused:
      return 0;
    case Second::Quotation:
      return quoted | (has_mtu(header) ? header.next_hop_mtu : 0u);
    case Second::Pointer:
      return quoted | std::uint32_t{header.pointer} << 24;
    case Second::Gateway:
      return header.gateway.bits;
    case Second::Identifier:
      return std::uint32_t{header.identifier} << 16 | header.sequence;
  }
  return 0;
}

}  // namespace

std::string_view icmp_name(std::uint8_t type) {
  return row_of(type).name;
}

bool IcmpHeader::is_error() const {
  return row_of(type).is_error;
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

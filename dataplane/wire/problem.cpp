#include "dataplane/wire/problem.h"

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"

namespace overlane::wire {

std::vector<Problem> Problems::list() const {
  std::vector<Problem> problems;
  for (const ProblemFacts& row : kProblems)
    if (has(row.problem)) problems.push_back(row.problem);
  return problems;
}

namespace {

std::optional<std::size_t> checksum_offset(std::uint8_t protocol) {
  switch (protocol) {
    case kTcp:
      return 16;
    case kUdp:
      return 6;
    case kIcmpv6:
      return 2;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<ChecksumState> checksum_state(const IpAddress& source, const IpAddress& destination,
                                            std::uint8_t protocol,
                                            std::span<const std::uint8_t> segment) {
  const auto offset = checksum_offset(protocol);
  if (!offset || segment.size() < *offset + 2) return std::nullopt;
  const std::uint16_t checksum = load_be16(segment.data() + *offset);
  if (protocol == kUdp && checksum == 0) return ChecksumState::Absent;
  if (transport_checksum(source, destination, protocol, segment) == 0) return ChecksumState::Right;
  const auto partial = pseudo_header_sum(source, destination, protocol, segment.size());
  return checksum == partial ? ChecksumState::Partial : ChecksumState::Wrong;
}

}  // namespace overlane::wire

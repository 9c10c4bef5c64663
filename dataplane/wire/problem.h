#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "results/finding/finding.h"

namespace overlane::wire {

// Problems of a header: a closed list of what a receiver can find wrong, with the drop that
// follows, if any. Parsers of this folder return the first that drops; `inspect_…` functions
// return all, for `overlane decode`. The state of TCP, UDP and ICMPv6 checksums stands here as
// well.

/// What can be wrong with a header whose fixed part is there to be read. The list is closed and in
/// the order in which Linux looks (ip_rcv_core first), so that the first one names the drop.
enum class Problem : std::uint8_t {
  WrongVersion,
  HeaderTooShort,
  HeaderTruncated,
  WrongChecksum,
  LengthTooShort,
  LengthBeyondPacket,
  MappedAddress,
  BadOption,
  IgnoredOption,
  UnknownKind,
  WrongSize,
  VniNotValid,
  BadFragment,
  ReservedBits,
};

/// What a problem is called, what it means, and what a receiver does about it.
struct ProblemFacts {
  Problem problem;
  std::string_view name;
  std::string_view meaning;  ///< One sentence for a person.
  std::optional<Drop> drop;  ///< Nothing: a receiver ignores it.
};

inline constexpr std::array kProblems = {
    ProblemFacts{Problem::WrongVersion, "wrong-version", "the version is not the header's",
                 Drop::Malformed},
    ProblemFacts{Problem::HeaderTooShort, "header-too-short",
                 "the header says that it is shorter than its fixed part", Drop::Malformed},
    ProblemFacts{Problem::HeaderTruncated, "header-truncated",
                 "the header says that it is longer than the bytes that are there",
                 Drop::Malformed},
    ProblemFacts{Problem::WrongChecksum, "wrong-checksum", "the checksum is wrong",
                 Drop::BadChecksum},
    ProblemFacts{Problem::LengthTooShort, "length-too-short",
                 "the length is less than that of the header", Drop::Malformed},
    ProblemFacts{Problem::LengthBeyondPacket, "length-beyond-packet",
                 "the length is more than the bytes that are there", Drop::Malformed},
    ProblemFacts{Problem::MappedAddress, "mapped-address",
                 "an IPv4-mapped address stands in an IPv6 header", Drop::Malformed},
    ProblemFacts{Problem::BadOption, "bad-option",
                 "an option is truncated or contradicts its length", Drop::Malformed},
    ProblemFacts{Problem::IgnoredOption, "ignored-option",
                 "an option contradicts its length; it, or what is behind it, is ignored",
                 std::nullopt},
    ProblemFacts{Problem::UnknownKind, "unknown-kind", "the type is none that is known",
                 Drop::Malformed},
    ProblemFacts{Problem::WrongSize, "wrong-size", "the size is none that the type can have",
                 Drop::Malformed},
    ProblemFacts{Problem::VniNotValid, "vni-not-valid", "the I flag is clear: there is no VNI",
                 Drop::Malformed},
    ProblemFacts{
        Problem::BadFragment, "bad-fragment",
        "a fragment before the last has a size that is no multiple of 8, or the whole would be "
        "more than 65,535 bytes",
        std::nullopt},
    ProblemFacts{Problem::ReservedBits, "reserved-bits", "bits that must be sent as zero are not",
                 std::nullopt},
};

constexpr const ProblemFacts& facts(Problem problem) {
  return kProblems[static_cast<std::size_t>(problem)];
}
constexpr std::string_view to_string(Problem problem) {
  return facts(problem).name;
}

/// A set of problems.
class Problems {
 public:
  /// Adds the problem when `found`.
  constexpr void add(Problem problem, bool found = true) {
    bits_ |= (found ? 1u : 0u) << static_cast<unsigned>(problem);
  }
  constexpr bool has(Problem problem) const {
    return (bits_ >> static_cast<unsigned>(problem) & 1) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  /// In the order of the list.
  std::vector<Problem> list() const;
  /// Why a receiver drops the packet; nothing when it does not.
  constexpr std::optional<Drop> drop() const {
    if (bits_ == 0) return std::nullopt;
    for (const ProblemFacts& row : kProblems)
      if (has(row.problem) && row.drop) return row.drop;
    return std::nullopt;
  }

  bool operator==(const Problems&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

/// A header as it stands in the packet, and all that is wrong with it: what a decoder shows, where
/// the parse_… function beside it refuses. The inspect_… functions return none of it only when the
/// header's fixed part is not there.
template <typename Header>
struct Inspected {
  Header header;
  Problems problems;
};

/// The header, or why a receiver drops it: what parse_… makes of inspect_….
template <typename Header>
Result<Header, Drop> accepted(const Header& header, Problems problems) {
  if (const auto drop = problems.drop()) return fail(*drop);
  return header;
}
template <typename Header>
Result<Header, Drop> accepted(const std::optional<Inspected<Header>>& inspected) {
  if (!inspected) return fail(Drop::Malformed);
  return accepted(inspected->header, inspected->problems);
}

/// What a length field of 0 means, which is shorter than any header. The kernel writes it into the
/// headers of a GSO super-packet of more than 65,535 bytes (iph_set_totlen, include/linux/ip.h;
/// UDP in IPv6: RFC 2675, section 4), which never leaves a host but stands in captures made on it.
enum class ZeroLength : std::uint8_t {
  Refused,     ///< What came from a wire cannot be one.
  MeansFrame,  ///< The packet is as long as the bytes that are there.
};

/// What a checksum that covers a pseudo header turns out to be.
enum class ChecksumState : std::uint8_t {
  Right,
  Absent,   ///< UDP sent 0: none was computed.
  Partial,  ///< The pseudo header's sum alone: captured before the NIC filled in the rest.
  Wrong,
};

/// The state of the checksum of a whole TCP, UDP or ICMPv6 segment between these addresses. Nothing
/// for another protocol or a segment that ends before the field.
std::optional<ChecksumState> checksum_state(const IpAddress& source, const IpAddress& destination,
                                            std::uint8_t protocol,
                                            std::span<const std::uint8_t> segment);

}  // namespace overlane::wire

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

// Problems that a receiver can find in a header: a closed list, each with the drop reason that
// follows, if any. The parse_… functions of this folder return the drop reason of the first problem
// that has one; the inspect_… functions return all problems, for `overlane decode`. This file also
// defines the state of TCP, UDP and ICMPv6 checksums.

/// A problem of a header whose fixed part is complete. The closed list follows the order of Linux's
/// checks (ip_rcv_core first), so that the first problem with a drop names the drop reason.
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

/// The name of a problem, its meaning, and the reaction of a receiver.
struct ProblemFacts {
  Problem problem;
  std::string_view name;
  std::string_view meaning;  ///< One sentence for a person.
  std::optional<Drop> drop;  ///< nullopt: a receiver ignores the problem.
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
  /// Adds the problem if `found`.
  constexpr void add(Problem problem, bool found = true) {
    bits_ |= (found ? 1u : 0u) << static_cast<unsigned>(problem);
  }
  constexpr bool has(Problem problem) const {
    return (bits_ >> static_cast<unsigned>(problem) & 1) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  /// The problems in the order of the enum.
  std::vector<Problem> list() const;
  /// The reason why a receiver drops the packet. nullopt if it accepts the packet.
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

/// A header with the values of the packet, and all its problems. A decoder shows both even if the
/// parse_… function of the header refuses it. An inspect_… function returns nullopt only if the
/// header's fixed part is incomplete.
template <typename Header>
struct Inspected {
  Header header;
  Problems problems;
};

/// The header, or the reason why a receiver drops it. Turns the result of an inspect_… function
/// into that of the parse_… function.
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

/// The meaning of a length field of 0, a value shorter than any header. The kernel writes 0 into
/// the headers of a GSO super-packet of more than 65,535 bytes (iph_set_totlen, include/linux/ip.h;
/// UDP in IPv6: RFC 2675, section 4). Such a packet never leaves its host, but captures made on the
/// host contain it.
enum class ZeroLength : std::uint8_t {
  Refused,     ///< For packets from a wire, which are never super-packets.
  MeansFrame,  ///< The packet extends to the end of the bytes.
};

/// The state of a checksum that covers a pseudo header.
enum class ChecksumState : std::uint8_t {
  Right,
  Absent,   ///< UDP's value 0: the sender computed no checksum.
  Partial,  ///< The pseudo header's sum alone: captured before the NIC filled in the rest.
  Wrong,
};

/// The state of the checksum of a whole TCP, UDP or ICMPv6 segment between these addresses. nullopt
/// for another protocol or a segment that ends before the field.
std::optional<ChecksumState> checksum_state(const IpAddress& source, const IpAddress& destination,
                                            std::uint8_t protocol,
                                            std::span<const std::uint8_t> segment);

}  // namespace overlane::wire

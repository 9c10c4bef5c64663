#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"

namespace overlane::node {

/// A packet's pieces on the way to one again (RFC 791, RFC 8200 section 4.5).
struct ReassemblyKey {
  IpAddress source;
  IpAddress destination;
  std::uint32_t identification = 0;
  std::uint8_t protocol = 0;  ///< 0 in IPv6 (RFC 8200 4.5).

  auto operator<=>(const ReassemblyKey&) const = default;
};

/// Linux's net.ipv4.ipfrag_time.
inline constexpr Picos kReassemblyTimeout = seconds(30);
/// net.ipv4.ipfrag_high_thresh (4 MiB) over the memory that one full-size fragment takes (2304
/// bytes with its socket buffer).
inline constexpr std::size_t kReassemblyPieces = (4u << 20) / 2304;

/// What the outermost headers of the first fragment say about the whole packet.
struct FirstFragment {
  std::uint8_t ttl = 0;
  std::uint8_t tos = 0;
  bool dont_fragment = false;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;

  bool operator==(const FirstFragment&) const = default;
};

/// One fragment: payload bytes [begin, end) of the packet.
struct Piece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool last = false;     ///< MF is clear.
  FirstFragment header;  ///< Of this fragment; used when `begin` is 0.
};

/// What a piece did: completed the packet, was refused, or (neither) is held.
struct Reassembled {
  std::optional<Drop> drop;
  std::optional<FirstFragment> whole;
  std::uint32_t payload_bytes = 0;  ///< Of the whole.
};

/// The packets that a node holds pieces of. Bounded in pieces and in time.
class ReassemblyTable {
 public:
  /// Pieces that overlap, end beyond 65,535 bytes, contradict the known end or (but for the last)
  /// do not hold a multiple of 8 bytes are refused as malformed. Linux drops the pieces it already
  /// holds as well.
  Reassembled add(const ReassemblyKey& key, const Piece& piece, Picos now);

  /// A packet that was given up, and how many pieces of it were held.
  struct Expired {
    ReassemblyKey key;
    std::int64_t pieces = 0;

    auto operator<=>(const Expired&) const = default;
  };
  /// Takes out what ran out of time by `now`: each piece is a Drop::ReassemblyTimeout.
  std::vector<Expired> expire(Picos now);
  /// When the oldest packet runs out of time; nothing when none is held.
  std::optional<Picos> next_expiry() const;

  std::size_t pieces() const { return pieces_; }
  bool operator==(const ReassemblyTable&) const = default;

 private:
  struct Entry {
    Picos expires;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  ///< Sorted, disjoint.
    std::uint32_t received = 0;
    std::optional<std::uint32_t> total;
    std::optional<FirstFragment> first;
    bool operator==(const Entry&) const = default;
  };
  void retire(Picos now);

  std::map<ReassemblyKey, Entry> entries_;
  std::set<std::pair<Picos, ReassemblyKey>> by_expiry_;  ///< One for each of `entries_`.
  std::vector<Expired> expired_;
  std::size_t pieces_ = 0;
};

}  // namespace overlane::node

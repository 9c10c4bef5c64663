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
#include "dataplane/node/runtime/icmp_limit.h"
#include "dataplane/node/state/device.h"

namespace overlane::node {

// IP reassembly as descriptors: which ranges of which packets have arrived
// (net/ipv4/ip_fragment.c, net/ipv6/reassembly.c), bounded in memory and in time. Bytes are not
// held here; byte_rewrite::HeldBytes and reference::HeldFragments hold them beside the table.

/// A packet's fragments on the way to one again (RFC 791, RFC 8200 section 4.5).
struct ReassemblyKey {
  IpAddress source;
  IpAddress destination;
  std::uint32_t identification = 0;
  std::uint8_t protocol = 0;  ///< 0 in IPv6 (RFC 8200 4.5).

  auto operator<=>(const ReassemblyKey&) const = default;
};

/// net.ipv4.ipfrag_time; net.ipv6.ip6frag_time and net.netfilter.nf_conntrack_frag6_timeout.
constexpr Picos reassembly_timeout(Family family) {
  return seconds(family == Family::Ipv4 ? 30 : 60);
}
/// net.ipv4.ipfrag_high_thresh (4 MiB) over the memory that one full-size fragment takes (2304
/// bytes with its socket buffer).
inline constexpr std::size_t kReassemblyFragments = (4u << 20) / 2304;

/// What the outermost headers of a fragment say, those of the first about the whole packet too.
struct FirstFragment {
  std::uint8_t protocol = 0;
  std::uint8_t ttl = 0;
  std::uint8_t tos = 0;
  bool dont_fragment = false;
  std::uint16_t option_bytes = 0;  ///< IPv4 options, IPv6 extension headers.
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t tcp_flags = 0;
  std::optional<IcmpError> icmp;

  bool operator==(const FirstFragment&) const = default;
};

/// One fragment: payload bytes [begin, end) of the packet.
struct Fragment {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool last = false;  ///< MF is clear.
  FirstFragment
      header;  ///< Header of this fragment. Except for ECN and DF, it is used when `begin` is 0.
  DeviceName device;  ///< Where it came in; empty when the node itself has sent it.
};

/// What a fragment did: completed the packet, was refused, or (neither) is held.
struct Reassembled {
  std::optional<Drop> drop;
  bool given_up = false;  ///< With the drop: the fragments that were held are lost as well.
  std::optional<FirstFragment> whole;
  std::uint32_t payload_bytes = 0;  ///< Payload of the whole packet.
  std::vector<std::uint32_t> ends;  ///< Ends of its fragments, in order, in payload bytes.
  std::uint32_t largest = 0;        ///< Bytes of its largest fragment: options and payload.
};

/// Whether IPv6 takes this fragment for an error of its sender: it is not the last and its length
/// is no multiple of 8 bytes, or it ends beyond what a packet can hold (RFC 8200 section 4.5).
bool is_uneven(Family family, const Fragment& fragment);
bool ends_too_late(Family family, const Fragment& fragment);

/// The packets that a node holds fragments of. Bounded as fragments and in time.
class ReassemblyTable {
 public:
  /// Adds a fragment like ip_frag_queue, ip6_frag_queue and inet_frag_queue_insert
  /// (net/ipv4/ip_fragment.c, net/ipv6/reassembly.c, net/ipv4/inet_fragment.c), a refused fragment
  /// being Drop::Malformed:
  /// - IPv4 cuts a fragment that is not the last to a multiple of 8 bytes, IPv6 refuses it.
  /// - Empty fragments, fragments that end beyond 65,535 bytes, and fragments that bring nothing
  /// new to what
  ///   came in one run are refused alone.
  /// - Any other overlap, and a fragment that contradicts the end, give the packet up at once.
  /// - DF is set on the whole when one of its largest fragments had it (ip_frag_reasm).
  /// - So does a whole that is too long with the options of the first fragment (out_oversize).
  /// - ECN: CE of any fragment marks the whole; fragments that can and that cannot carry the mark
  /// make no
  ///   whole, Drop::EcnCorrupted (ip_frag_ecn_table).
  Reassembled add(const ReassemblyKey& key, const Fragment& fragment, Picos now, Picos timeout);
  Reassembled add(const ReassemblyKey& key, const Fragment& fragment, Picos now) {
    return add(key, fragment, now, reassembly_timeout(key.destination.family()));
  }
  /// Gives the packet up, if a fragment of it is held.
  void give_up(const ReassemblyKey& key);

  /// A packet that will not be whole, how many fragments of it were held, and what each was lost
  /// to.
  struct Expired {
    ReassemblyKey key;
    std::int64_t fragments = 0;
    Drop drop = Drop::ReassemblyTimeout;
    /// Where the last fragment came in.
    DeviceName device;
    /// First fragment of a packet that timed out, if it was there, and where it ends.
    std::optional<FirstFragment> first;
    std::uint32_t first_end = 0;

    bool operator==(const Expired&) const = default;
  };
  /// Takes out what was given up or ran out of time by `now`.
  std::vector<Expired> expire(Picos now);
  /// When the oldest packet runs out of time; nothing when none is held.
  std::optional<Picos> next_expiry() const;

  std::size_t fragments() const { return fragments_; }
  bool operator==(const ReassemblyTable&) const = default;

 private:
  /// Fragments that came one behind the other, each at the end of all that was there: [begin, end).
  struct Run {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    bool operator==(const Run&) const = default;
  };
  struct Entry {
    Picos expires;
    std::vector<Run> runs;            ///< Sorted, disjoint.
    std::vector<std::uint32_t> ends;  ///< Ends of all fragments, sorted.
    std::size_t fragments = 0;
    std::uint32_t received = 0;
    std::uint32_t end = 0;         ///< Highest end of the fragments so far.
    bool knows_total = false;      ///< Whether `end` is the end of the whole packet.
    std::uint8_t ecn = 0;          ///< A bit for each ECN field that some fragment had.
    std::uint32_t largest = 0;     ///< Options and payload of the largest fragment …
    std::uint32_t largest_df = 0;  ///< … and of the largest with DF.
    DeviceName device;
    std::optional<FirstFragment> first;
    bool operator==(const Entry&) const = default;
  };
  using Entries = std::map<ReassemblyKey, Entry>;

  enum class Fit : std::uint8_t { New, Duplicate, Overlap };
  static Fit insert(std::vector<Run>& runs, Run fragment);
  void forget(Entries::iterator at);
  Reassembled give_up(Entries::iterator at, Drop drop);
  Reassembled complete(Entries::iterator at);
  void retire(Picos now);

  Entries entries_;
  std::set<std::pair<Picos, ReassemblyKey>> by_expiry_;  ///< One for each of `entries_`.
  std::vector<Expired> expired_;
  std::size_t fragments_ = 0;
};

}  // namespace overlane::node

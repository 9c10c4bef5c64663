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

// IP reassembly on descriptors: the ranges of each packet that have arrived
// (net/ipv4/ip_fragment.c, net/ipv6/reassembly.c), bounded in memory and in time. The table has no
// bytes; byte_rewrite::HeldBytes and reference::HeldFragments hold them next to the table.

/// Identifies the fragments of one packet (RFC 791, RFC 8200 section 4.5).
struct ReassemblyKey {
  IpAddress source;
  IpAddress destination;
  std::uint32_t identification = 0;
  std::uint8_t protocol = 0;  ///< 0 in IPv6 (RFC 8200 4.5).

  auto operator<=>(const ReassemblyKey&) const = default;
};

/// Returns the default reassembly timeout: net.ipv4.ipfrag_time; net.ipv6.ip6frag_time and
/// net.netfilter.nf_conntrack_frag6_timeout.
constexpr Picos reassembly_timeout(Family family) {
  return seconds(family == Family::Ipv4 ? 30 : 60);
}
/// Maximum number of held fragments: net.ipv4.ipfrag_high_thresh (4 MiB) divided by the memory of
/// one full-size fragment (2304 bytes with its socket buffer).
inline constexpr std::size_t kReassemblyFragments = (4u << 20) / 2304;

/// Fields of a fragment's outermost headers. Those of the first fragment also apply to the whole
/// packet.
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
  bool last = false;  ///< The flag for more fragments (MF) is clear.
  FirstFragment
      /// Header of this fragment. Only the first fragment's header is used, except for ECN and DF.
      header;
  DeviceName device;  ///< Ingress device; empty if the node itself has sent the fragment.
};

/// The result for a fragment: it completed the packet (`whole`), was rejected (`drop`), or is held
/// (neither).
struct Reassembled {
  std::optional<Drop> drop;
  bool given_up = false;  ///< With a drop: the held fragments of the packet are lost as well.
  std::optional<FirstFragment> whole;
  std::uint32_t payload_bytes = 0;  ///< Payload of the whole packet.
  std::vector<std::uint32_t> ends;  ///< Ends of its fragments, in order, in payload bytes.
  std::uint32_t largest = 0;        ///< Bytes of its largest fragment: options and payload.
};

/// Returns whether IPv6 treats the fragment as an error of its sender: is_uneven() if it is not the
/// last one and its length is no multiple of 8 bytes, ends_too_late() if it ends beyond the largest
/// packet (RFC 8200 section 4.5).
bool is_uneven(Family family, const Fragment& fragment);
bool ends_too_late(Family family, const Fragment& fragment);

/// The incomplete packets of a node, bounded by the number of fragments and in time.
class ReassemblyTable {
 public:
  /// Adds a fragment like ip_frag_queue, ip6_frag_queue and inet_frag_queue_insert
  /// (net/ipv4/ip_fragment.c, net/ipv6/reassembly.c, net/ipv4/inet_fragment.c). A rejected fragment
  /// has Drop::Malformed:
  /// - IPv4 cuts a fragment that is not the last to a multiple of 8 bytes, IPv6 rejects it.
  /// - Empty fragments, fragments that end beyond 65,535 bytes, and fragments inside one run of
  ///   received data are rejected alone.
  /// - Any other overlap, a fragment that contradicts the end, and a whole that is too long with
  ///   the options of the first fragment (out_oversize) give the packet up at once.
  /// - DF is set on the whole if one of its largest fragments had it (ip_frag_reasm).
  /// - CE of any fragment marks the whole. If some fragments can carry the mark and others cannot,
  ///   the packet is dropped: Drop::EcnCorrupted (ip_frag_ecn_table).
  Reassembled add(const ReassemblyKey& key, const Fragment& fragment, Picos now, Picos timeout);
  Reassembled add(const ReassemblyKey& key, const Fragment& fragment, Picos now) {
    return add(key, fragment, now, reassembly_timeout(key.destination.family()));
  }
  /// Gives up the packet, if any of its fragments is held.
  void give_up(const ReassemblyKey& key);

  /// A packet that was given up, with the number of its held fragments and the reason.
  struct Expired {
    ReassemblyKey key;
    std::int64_t fragments = 0;
    Drop drop = Drop::ReassemblyTimeout;
    /// Ingress device of the last fragment.
    DeviceName device;
    /// First fragment of a packet that timed out, if it had come, and its end in payload bytes.
    std::optional<FirstFragment> first;
    std::uint32_t first_end = 0;

    bool operator==(const Expired&) const = default;
  };
  /// Removes and returns the packets that were given up or have timed out by `now`.
  std::vector<Expired> expire(Picos now);
  /// Returns the next timeout; nothing if no packet is held.
  std::optional<Picos> next_expiry() const;

  std::size_t fragments() const { return fragments_; }
  bool operator==(const ReassemblyTable&) const = default;

 private:
  /// A range of received data: fragments that arrived one after the other, each at the end of the
  /// range so far, [begin, end).
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
    std::uint32_t end = 0;      ///< Highest end of the fragments so far.
    bool knows_total = false;   ///< Whether `end` is the end of the whole packet.
    std::uint8_t ecn = 0;       ///< ECN fields of the fragments, one bit for each value.
    std::uint32_t largest = 0;  ///< Bytes of options and payload of the largest fragment.
    /// Bytes of options and payload of the largest fragment with DF.
    std::uint32_t largest_df = 0;
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

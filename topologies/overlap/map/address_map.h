#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/overlap/pairs/search.h"
#include "topologies/ranges/address_number.h"

// The content of a picture of one routing domain's address space, without geometry: a row per owner
// with its ranges, and the intersections of ranges with the reasons why they matter. Shoots with
// equal ranges share a row. svg.h draws it.

// The horizontal axis of an address map. Addresses of one family span 2^32 or 2^128; a landscape
// uses few of them, and its ranges differ in size by factors of thousands. The axis therefore
// leaves out addresses outside of all ranges, and the width of a range grows with its number of
// address bits. Only the ranges given to the axis, and ranges inside them, have a position on it.
namespace overlane::overlap {

/// A horizontal axis of the addresses that some ranges of one family hold. Addresses outside of all
/// ranges are cut out. It is not to scale: between two ends of ranges the width grows with the
/// square of the number of address bits, so that a /24 is visible next to a /11. Lengths are in
/// pixels.
class MapAxis {
 public:
  struct Span {
    int x = 0;
    int width = 0;
  };
  /// Contiguous addresses.
  struct Stretch {
    IpAddress first;
    IpAddress last;
    Span span;

    /// The CIDR if the stretch is one, otherwise its first and last address.
    std::string label() const;
  };
  static constexpr int kMin = 4;   ///< Minimum width of a segment.
  static constexpr int kGap = 18;  ///< Gap between stretches, in pixels.

  /// An axis of about `width`; it is wider if the segments need that for their minimum width.
  MapAxis(std::vector<IpPrefix> ranges, int width);

  const std::vector<Stretch>& stretches() const { return stretches_; }
  int width() const;
  /// The position of a range, which must be one of the axis or lie inside one of them.
  Span of(const IpPrefix& range) const;

 private:
  struct Segment {
    ranges::AddressNumber first = 0;
    ranges::AddressNumber last = 0;
    Span span;
  };
  void cut(const std::vector<IpPrefix>& ranges);
  void lay_out(int width);
  static int x_of(const Segment& segment, ranges::AddressNumber address);

  std::vector<Segment> segments_;
  std::vector<Stretch> stretches_;
};

/// The ranges of one domain and their intersections: the content of its picture.
struct AddressMap {
  /// The ranges of one owner. Shoots with equal ranges are one row.
  struct Row {
    std::string owner;                ///< A shoot or another owner; for several shoots, the first.
    std::uint64_t members = 1;        ///< Number of shoots in the row.
    std::vector<Range> ranges;        ///< By address, outer ones first.
    std::vector<IpPrefix> pod_cidrs;  ///< Pod CIDRs of its nodes, if known.

    /// "12 shoots like garden-a/one".
    std::string label() const;
  };
  /// Addresses in several ranges, and the impact.
  struct Intersection {
    IpPrefix cidr;
    Severity severity = Severity::Note;  ///< The highest severity of `reasons`.
    /// A rule with its severity, ordered by severity. One rule may have two severities if some
    /// ranges are assumed.
    struct Cause {
      Severity severity = Severity::Note;
      std::string_view rule;  ///< Id of the rule.

      auto operator<=>(const Cause& other) const {
        return std::tie(other.severity, rule) <=> std::tie(severity, other.rule);
      }
    };
    struct Reason {
      std::string consequence;     ///< The impact between the first two owners.
      std::set<std::size_t> rows;  ///< Indices of AddressMap::rows.
    };
    std::map<Cause, Reason> reasons;
  };

  std::string domain;
  std::uint64_t shoots = 0;
  std::vector<Row> rows;  ///< Shoots by name, then other owners.
  /// Warnings and errors only, by severity, then by address.
  std::vector<Intersection> intersections;
  bool complete = true;  ///< False if there were too many pairs.
};

/// The map of a domain (Domain::key) or of a declared connection ("connection/hub"); empty for an
/// unknown name.
AddressMap map_addresses(const Comparison& comparison, const std::string& domain);

}  // namespace overlane::overlap

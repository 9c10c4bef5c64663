#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "topologies/overlap/pairs/comparison_scope.h"

// The content of a picture of one routing domain's address space, free of geometry: a row per
// owner with its ranges, and the intersections of ranges with the reasons why they matter. Shoots
// that look the same share a row. svg.h draws it.
namespace overlane::overlap {

/// The ranges of one domain and their intersections: the content of its picture.
struct AddressMap {
  /// The ranges of one owner. Shoots with equal ranges are one row.
  struct Row {
    std::string owner;                ///< A shoot or another owner; of several shoots the first.
    std::uint64_t members = 1;        ///< How many shoots.
    std::vector<Range> ranges;        ///< By address, outer ones first.
    std::vector<IpPrefix> pod_cidrs;  ///< Pod CIDRs of its nodes, if known.

    /// "12 shoots like garden-a/one".
    std::string label() const;
  };
  /// Addresses in several ranges, and the impact.
  struct Intersection {
    IpPrefix cidr;
    Severity severity = Severity::Note;  ///< The highest of `reasons`.
    /// Ordered by severity. One rule may have two severities, if some ranges are assumed.
    struct Cause {
      Severity severity = Severity::Note;
      std::string_view rule;  ///< An id.

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
  bool complete = true;  ///< False: there were too many pairs.
};

/// The map of a domain (Domain::key) or a declared connection ("connection/hub"); empty: unknown.
AddressMap map_addresses(const Comparison& comparison, const std::string& domain);

}  // namespace overlane::overlap

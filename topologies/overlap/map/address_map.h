#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "topologies/overlap/search/comparison_scope.h"

namespace overlane::overlap {

/// What uses the addresses of one domain, and where ranges meet: what a picture of it shows.
struct AddressMap {
  /// Somebody's ranges; those of shoots that use just the same ranges are one row.
  struct Row {
    std::string owner;                ///< A shoot, or who else; of several shoots the first.
    std::uint64_t members = 1;        ///< How many shoots.
    std::vector<Range> ranges;        ///< By address, outer ones first.
    std::vector<IpPrefix> pod_cidrs;  ///< Of its nodes, where they are known.

    /// "12 shoots like garden-a/one".
    std::string label() const;
  };
  /// Addresses of several ranges, and what comes of it.
  struct Piece {
    IpPrefix cidr;
    Severity severity = Severity::Note;  ///< The gravest of `reasons`.
    /// The gravest first; of one rule there may be two, where some ranges are assumed.
    struct Cause {
      Severity severity = Severity::Note;
      std::string_view rule;  ///< An id.

      auto operator<=>(const Cause& other) const {
        return std::tie(other.severity, rule) <=> std::tie(severity, other.rule);
      }
    };
    struct Reason {
      std::string consequence;     ///< Of two of the owners.
      std::set<std::size_t> rows;  ///< Of AddressMap::rows.
    };
    std::map<Cause, Reason> reasons;
  };

  std::string domain;
  std::uint64_t shoots = 0;
  std::vector<Row> rows;  ///< The shoots by name; then who else has ranges.
  /// Those of warnings and errors: the gravest first, then by address.
  std::vector<Piece> pieces;
  bool complete = true;  ///< Of too many pairs not all were looked at.
};

/// The map of a domain (Domain::key) or of a declared connection ("connection/hub"); empty if there
/// is no such thing.
AddressMap map_addresses(const Comparison& comparison, const std::string& domain);

}  // namespace overlane::overlap

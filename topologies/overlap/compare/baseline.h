#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "results/finding/result.h"
#include "topologies/document/tree/tree.h"
#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// What an earlier `overlane overlap -o json` knew, so that a later one tells only what is new.
class Baseline {
 public:
  /// Of a report that nobody had to write down.
  explicit Baseline(const OverlapReport& report);

  /// The error `invalid-baseline`: the document is no OverlapReport, or a later program's.
  static Result<Baseline> decode(const document::Tree& tree);

  /// Leaves out what the earlier report has at least as grave, and sets OverlapReport::known to how
  /// many overlaps that were. An overlap is told by its rule, kind, domain and both owners, roles
  /// and ranges; a finding by its rule, object, path and message, but for places in it and for the
  /// numbers of a list of routes. Of a group whose pairs were or are not all listed the numbers
  /// count: if there are no more pairs than before, none is new; else those that were not listed
  /// before are shown, and their group counts at least as many as there are more. Rows of route
  /// budgets stay. What weighs less than OverlapReport::least, which no report lists, is left out
  /// and not counted.
  void leave_out_known(OverlapReport& report) const;
  bool knows(const Finding& finding) const;

 private:
  Baseline() = default;

  /// What groups of any severity have in common: rule, kind and domain.
  using GroupKey = std::tuple<std::string, std::string, std::string>;
  struct KnownGroup {
    std::map<Severity, std::uint64_t> pairs;
    bool all_listed = true;
  };

  Result<void> add_overlaps(const document::Value& overlaps);
  Result<void> add_groups(const document::Value& groups);
  Result<void> add_findings(const document::Value& findings);
  bool knows(const Overlap& overlap) const;
  void leave_out_overlaps(OverlapReport& report) const;
  void leave_out_findings(OverlapReport& report) const;

  std::map<std::string, Severity> overlaps_;  ///< By all that tells one from another.
  std::map<std::string, Severity> findings_;  ///< The same.
  std::map<GroupKey, KnownGroup> groups_;
};

}  // namespace overlane::overlap

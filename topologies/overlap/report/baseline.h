#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/report/report.h"

// A baseline is an earlier report. Its overlaps and findings are removed from a later report, so
// that a pipeline fails only for new overlaps. An overlap is identified by its owners and ranges,
// not by place or text. A baseline owns its data and can be shared between threads once it is made.
namespace overlane::overlap {

/// The overlaps and findings of an earlier report, to be removed from a later one.
class Baseline {
 public:
  /// Makes a baseline from a report in memory.
  explicit Baseline(const OverlapReport& report);

  /// Makes a baseline from `overlane overlap -o json`. Fails with `invalid-baseline` for other
  /// documents and for reports of later versions.
  static Result<Baseline> decode(const document::Tree& tree);

  /// Removes overlaps and findings that the earlier report has with at least the same severity.
  /// Sets OverlapReport::known to the number of removed overlaps. An overlap is identified by rule,
  /// kind, domain and both owners, roles and ranges; a finding by rule, object, path and message,
  /// without the places in it and the numbers of a route budget. If not all pairs of a group are
  /// listed, now or before, their numbers are compared: without additional pairs none is new;
  /// otherwise pairs that were not listed before remain, and the group counts at least the
  /// additional ones. Rows of route budgets remain. Overlaps below OverlapReport::min_severity,
  /// which no report lists, are removed and not counted.
  void leave_out_known(OverlapReport& report) const;
  bool knows(const Finding& finding) const;

 private:
  Baseline() = default;

  /// Rule, kind and domain.
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

  std::map<std::string, Severity> overlaps_;  ///< Severities by an overlap's identity.
  std::map<std::string, Severity> findings_;  ///< Severities by a finding's identity.
  std::map<GroupKey, KnownGroup> groups_;
};

// "What if" these manifests were applied, or these shoots had another mode? The answer is the
// difference of two reports, with and without the change: the new, the resolved and the unchanged
// overlaps.

/// Sets Shoot::asked_about of the shoots that a "what if" changes: in `what_if` the candidates and
/// the shoots with assumed modes, in `current` the shoots of the same names. Removes manifests that
/// are not applied yet from `current` if a candidate replaces them.
void mark_asked_about(const std::map<std::string, effective::Mode>& modes, Inventory& current,
                      Inventory& what_if);

/// Reduces the report to overlaps and findings that the current landscape does not have with at
/// least the same severity, and sets OverlapReport::what_if: the resolved overlaps, and the number
/// of unchanged ones. Errors about documents remain, because the result may depend on unreadable
/// documents.
void report_changes(OverlapReport current, OverlapReport& report);

}  // namespace overlane::overlap

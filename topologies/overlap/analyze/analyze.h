#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/inventory/inventory.h"
#include "topologies/overlap/map/address_map.h"
#include "topologies/overlap/pairs/search.h"
#include "topologies/overlap/remedy/free_ranges.h"
#include "topologies/overlap/report/baseline.h"
#include "topologies/overlap/report/report.h"

// The whole of `overlane overlap` as one call: reads the documents, finds overlaps, compares with
// the current state ("what if") and a baseline, adds example packets (topologies/witness), a plan
// and proposals. The verb of the command line only reads files and prints. `analyze` uses up to
// `Request::threads` threads and returns when all are done.
namespace overlane::overlap {

/// The input of analyze(): documents that were read, and what to report about them.
struct Request {
  /// In one landscape an object's name is unique. A landscape with candidates asks "what if":
  /// the report then contains only what changes if these manifests are applied.
  std::vector<Landscape> landscapes;
  /// RoutingDomains files, in addition to those among the landscapes' documents.
  std::vector<document::Stream> declarations;
  derive::DeriveOptions derive;
  /// "What if" these shoots ("namespace/name") were switched to this mode.
  std::map<std::string, effective::Mode> assumed_modes;
  std::string domain;  ///< Key of the only routing domain to report; empty: all.
  Severity min_severity =
      Severity::Warning;                ///< Overlaps below this severity are counted, not listed.
  std::optional<Baseline> baseline;     ///< Known overlaps are left out.
  bool plan = false;                    ///< Plan which shoots to change so that no overlap of
                                        ///< `plan_for` or above remains.
  Severity plan_for = Severity::Error;  ///< Severity for `plan`.
  std::optional<Wanted> wanted;         ///< Propose free ranges for new shoots in the domain.
  unsigned threads = 0;                 ///< 0: one per core. Results do not depend on it.
  /// Reports the shoots that were read, of the documents of a landscape; then 0 of 0 once when the
  /// comparison begins.
  document::Progress progress = {};

  /// Whether a landscape has candidates, even if none of them is a shoot.
  bool has_candidates() const;
  bool asks_what_if() const { return has_candidates() || !assumed_modes.empty(); }
};

/// The result of analyze().
struct Analysis {
  Comparison comparison;  ///< All shoots that were compared, and the scopes of the comparison.
  OverlapReport report;

  /// The address map of the requested domain; without one, of the domain with the worst overlap;
  /// without overlaps, of the domain with most shoots.
  AddressMap address_map() const;
};

/// Why analyze() gives no report.
struct Refusal {
  enum class Reason : std::uint8_t {
    NoShoots,        ///< No document is a shoot that can be compared.
    InvalidRequest,  ///< The request does not fit the documents: an unknown shoot or domain.
  };
  Reason reason = Reason::NoShoots;
  std::string message;  ///< One sentence.
  Findings findings;    ///< About the documents.
};

/// Finds overlapping ranges across all shoots of the landscapes, their impact, and packets that
/// show it (witnesses). Applies "what if" and baseline, then plans and proposes ranges as
/// requested. The report does not depend on the order of documents.
Result<Analysis, Refusal> analyze(Request request);

}  // namespace overlane::overlap

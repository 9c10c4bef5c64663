#pragma once

#include <cstdint>
#include <string>

#include "results/finding/finding.h"
#include "topologies/overlap/analyze/request.h"
#include "topologies/overlap/map/address_map.h"
#include "topologies/overlap/report/report.h"

namespace overlane::overlap {

/// The result of analyze().
struct Analysis {
  Comparison comparison;  ///< All shoots that were compared, and the scopes of the comparison.
  OverlapReport report;

  /// The address map of the requested domain; else of the domain with the worst overlap; else of
  /// the one with most shoots.
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

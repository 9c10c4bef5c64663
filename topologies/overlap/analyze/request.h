#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topologies/derive/derive.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/overlap/compare/baseline.h"
#include "topologies/overlap/inventory/read.h"
#include "topologies/overlap/remedy/wanted.h"

namespace overlane::overlap {

/// The input of analyze(): documents that were read, and what to report about them.
struct Request {
  /// Those of one landscape share names of objects. A landscape with candidates asks "what if":
  /// the report then contains only what changes if these manifests are applied.
  std::vector<Landscape> landscapes;
  /// RoutingDomains files, besides those among the landscapes' documents.
  std::vector<document::Stream> declarations;
  derive::DeriveOptions derive;
  /// "What if" shoots ("namespace/name") were switched to this mode.
  std::map<std::string, effective::Mode> assumed_modes;
  std::string domain;                  ///< Key of the only routing domain to report; empty: all.
  Severity least = Severity::Warning;  ///< Overlaps below this severity are counted, not listed.
  std::optional<Baseline> baseline;    ///< Known overlaps are left out.
  bool plan = false;                   ///< Plan which shoots to change …
  Severity plan_for = Severity::Error;  ///< … so that no overlap of this severity or above remains.
  std::optional<Wanted> wanted;         ///< Propose free ranges for new shoots in the domain.
  unsigned threads = 0;                 ///< 0: one per core. Results do not depend on it.
  /// Shoots, of the documents of a landscape; then 0 of 0, once, when they are compared.
  document::Progress progress = {};

  /// Whether a landscape has candidates, even if these are no shoots.
  bool has_candidates() const;
  bool asks_what_if() const { return has_candidates() || !assumed_modes.empty(); }
};

}  // namespace overlane::overlap

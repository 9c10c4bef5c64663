#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/answer/document.h"
#include "results/finding/finding.h"
#include "results/report/formats/findings.h"
#include "topologies/check/choice.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/explain/explanation.h"
#include "topologies/manifest/spec/pod_network_spec.h"

// `overlane check`: all rules about Shoots and Networks, their updates and their running clusters,
// as one list of findings. The rules are tables elsewhere: topologies/rules (all CNIs),
// topologies/cni (one CNI), topologies/update, topologies/live, topologies/domains. This folder
// decodes the documents, runs the rules per shoot, leaves out findings that follow from fields
// that could not be read, applies the selection (`--only`, `--ignore`) and the objects'
// annotations, and sorts by place. The functions have no state and do not start threads.
namespace overlane::check {

struct CheckOptions {
  derive::DeriveOptions derive;
  Selection selection;
};

/// The answer of `overlane check`.
struct CheckReport {
  struct Shoot {
    ObjectName name;
    SourceLocation place;
  };
  std::vector<Shoot> shoots;  ///< The checked Shoots and Networks, in document order.
  Findings findings;          ///< Ordered by place; files in input order.
  /// Number of shoots that have an older version; set by check_update().
  std::optional<std::size_t> updates;
  /// Number of the cluster's objects that were compared; set by check_live().
  std::optional<std::size_t> compared;
  Findings silenced;  ///< Findings that an annotation of their object hides; ordered by place.
  /// Number of objects with an invalid value whose error the selection or an annotation hides:
  /// values that depend on it were not checked.
  std::size_t judged_in_part = 0;
  /// Number of errors about unusable documents that the selection hides.
  std::size_t left_out = 0;

  std::size_t count(Severity severity) const;
};

/// Checks every Shoot and Network of the stream against all rules. An object's annotation
/// `overlane.dev/ignore: "rule-a, rule-b"` silences those rules for it.
CheckReport check(const document::Stream& stream, const CheckOptions& options);

/// Checks the update from each object of `before` to the object of the same kind, namespace and
/// name in `after`. Checks the objects of `after` as check() does, but with admission's defaults
/// for updates, which differ from its defaults for new objects. The stage in `options` is the stage
/// of `before`.
CheckReport check_update(const document::Stream& before, const document::Stream& after,
                         const CheckOptions& options);

/// Updates of running objects in `before` to objects of the same kind, namespace and name in
/// `after` that admission refuses: a finding `not-admitted` each, with both values and places.
/// `options` apply to `before`.
Findings refused_updates(const document::Stream& before, const document::Stream& after,
                         const derive::DeriveOptions& options);

/// Treats objects of `after` as updates of the objects of the same kind, namespace and name in
/// `before`, for explain::explain(): an object whose spec differs gets the values that admission
/// writes in updates. An object that `before` lacks, or whose uid, resourceVersion or generation
/// says that it was stored at another time, is not changed. `options` apply to `before`.
explain::Admission admission_of_update(const document::Stream& before,
                                       const document::Stream& after,
                                       const derive::DeriveOptions& options);

/// Checks one shoot of `stream` (`shoot`: "namespace/name", or the only one) as check() does, and
/// compares it with the objects of its cluster. Fails if the shoot is ambiguous.
Parsed<CheckReport> check_live(const document::Stream& stream, const document::Stream& observed,
                               const std::string& shoot, const CheckOptions& options);

/// The JSON document of kind CheckReport.
nlohmann::ordered_json encode(const CheckReport& report);

/// The report as a document for Markdown and HTML: the summary, the findings, and the silenced
/// findings. The text format has one line for each finding instead, which programs parse.
answer::Document check_document(const CheckReport& report);

/// The findings for SARIF and JUnit. The result refers to the report, which must outlive it.
report::FindingSet finding_set(const CheckReport& report);

/// "2 shoots, 1 error, 3 warnings".
std::string summary(const CheckReport& report);

}  // namespace overlane::check

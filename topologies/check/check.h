#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/result.h"
#include "results/report/formats/finding_set.h"
#include "topologies/check/choice.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"

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
  std::vector<Shoot> shoots;  ///< The Shoots and Networks that were judged, in document order.
  Findings findings;          ///< In order of their places; files as they were given.
  /// Of check_update(): how many of the shoots have an older version.
  std::optional<std::size_t> updates;
  /// Of check_live(): how many objects of the cluster were compared.
  std::optional<std::size_t> compared;
  Findings silenced;  ///< Left out because an annotation of their object says so.
  /// Objects with a value that could not be read, which the selection or an annotation hides: what
  /// depends on the value was not judged.
  std::size_t judged_in_part = 0;
  /// Documents that could not be used, which the selection hides.
  std::size_t left_out = 0;

  std::size_t count(Severity severity) const;
};

/// Holds every Shoot and Network of the stream against all rules. An object's annotation
/// `overlane.dev/ignore: "rule-a, rule-b"` silences those rules for it.
CheckReport check(const document::Stream& stream, const CheckOptions& options);

/// Judges the step from the objects of `before` to those of the same kind, namespace and name in
/// `after`. Those are judged as check() does it, but as admission leaves them, which fills an
/// update otherwise than a new object. The options' stage is that of `before`.
CheckReport check_update(const document::Stream& before, const document::Stream& after,
                         const CheckOptions& options);

/// What of `after` admission refuses because the running object of its kind, namespace and name in
/// `before` cannot become so by an update: a finding `not-admitted` each, which names both values
/// and both places. `options` hold for `before`.
Findings refused_updates(const document::Stream& before, const document::Stream& after,
                         const derive::DeriveOptions& options);

/// Judges one shoot of `stream` (named "namespace/name" by `shoot`, or the only one) as check()
/// does, and compares it with the objects of its cluster. The error says why the shoot is not
/// clear.
Parsed<CheckReport> check_live(const document::Stream& stream, const document::Stream& observed,
                               const std::string& shoot, const CheckOptions& options);

/// The JSON document of kind CheckReport.
nlohmann::ordered_json encode(const CheckReport& report);

/// For SARIF and JUnit; refers to the report.
report::FindingSet finding_set(const CheckReport& report);

/// "2 shoots, 1 error, 3 warnings".
std::string summary(const CheckReport& report);

}  // namespace overlane::check

#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topologies/check/rule_book.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"

// Which findings a user sees. A selection of the command line (`--only`, `--ignore`) and
// annotations of the objects may hide findings. Hidden findings are still counted, and errors that
// make other checks impossible are never hidden silently. After construction, the objects are
// immutable and any thread may read them.
namespace overlane::check {

/// An object that is judged: its name in findings, and its metadata and spec as written.
struct JudgedObject {
  ObjectName name;
  SourceLocation place;
  document::Value metadata;
  document::Value spec;
  bool whole = true;  ///< False: only a patch, or another part of a shoot.
};

/// The objects of a stream. For a Cluster or another object that contains a Shoot, the Shoot.
std::vector<JudgedObject> judged_objects(const document::Stream& stream);

/// The annotation by which an object silences rules for itself. It may name rules whose findings
/// are warnings, notes, or errors that nothing enforces (rules::Enforcer::None).
inline constexpr std::string_view kIgnoreAnnotation = "overlane.dev/ignore";

/// Which rules the objects of a stream silence.
class Silence {
 public:
  /// Adds a finding for each unknown rule, and for each rule that an annotation cannot silence.
  Silence(const document::Stream& stream, const RuleBook& book, Findings& findings);

  /// Whether the finding's object silences its rule, in any file that has the object.
  bool covers(const Finding& finding) const;

 private:
  std::map<ObjectName, std::set<std::string, std::less<>>> rules_;
};

/// A selection of findings by rule.
struct Selection {
  std::vector<std::string> only;     ///< Empty: every rule.
  std::vector<std::string> ignored;  ///< Excluded.
};

/// Decides which findings are reported: by a selection, and by annotations of the objects. Hidden
/// findings do not stop the checks of a shoot, unless they are about a value that could not be
/// read.
class Choice {
 public:
  Choice(const document::Stream& stream, Selection selection);

  /// Whether the selection includes the finding. With `only`, errors about inputs and values that
  /// could not be read are included as well, because values that depend on them were not checked.
  bool wants(const Finding& finding) const;
  bool silences(const Finding& finding) const { return silence_.covers(finding); }
  /// Whether the finding is an error about a document that cannot be used.
  bool is_unusable(const Finding& finding) const;
  /// Whether the finding is a hidden error about a value that could not be read and therefore
  /// counts as absent.
  bool hides_lost_value(const Finding& finding) const;
  /// `derive` with a filter (DeriveOptions::overlooks) for the findings that this choice hides. The
  /// result refers to this object, which must outlive it.
  derive::DeriveOptions overlooking(const derive::DeriveOptions& derive) const;

  const RuleBook& book() const { return book_; }
  /// Findings about the annotations.
  const Findings& findings() const { return findings_; }

 private:
  bool hides(const Finding& finding) const { return !wants(finding) || silences(finding); }

  RuleBook book_;
  Selection selection_;
  Findings findings_;
  Silence silence_;
};

}  // namespace overlane::check

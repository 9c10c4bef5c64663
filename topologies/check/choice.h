#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topologies/check/rule_book.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"

// Which findings a user sees. A selection of the command line and annotations of the objects may
// hide findings. What is hidden is still counted, and errors that make other checks impossible are
// never hidden silently.
namespace overlane::check {

/// An object that is judged: as findings name it, and its parts as they are written.
struct JudgedObject {
  ObjectName name;
  SourceLocation place;
  document::Value metadata;
  document::Value spec;
  bool whole = true;  ///< False: only a patch, or another part of a shoot.
};

/// The objects of a stream. Of Clusters and of others that hold a shoot, the shoot.
std::vector<JudgedObject> judged_objects(const document::Stream& stream);

/// The annotation by which an object silences rules for itself: warnings, notes, and errors that
/// nothing enforces.
inline constexpr std::string_view kIgnoreAnnotation = "overlane.dev/ignore";

/// Which rules the objects of a stream silence.
class Silence {
 public:
  /// What is wrong with an annotation becomes a finding.
  Silence(const document::Stream& stream, const RuleBook& book, Findings& findings);

  /// Whether the finding's object, in its own file or any other, silences its rule.
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
/// read. The options that overlooking() returns refer to this object.
class Choice {
 public:
  Choice(const document::Stream& stream, Selection selection);

  /// Whether the selection includes it. With `only`, errors about inputs and values that could not
  /// be read remain, because dependent values were not checked.
  bool wants(const Finding& finding) const;
  bool silences(const Finding& finding) const { return silence_.covers(finding); }
  /// An error about a document that cannot be used.
  bool is_unusable(const Finding& finding) const;
  /// A hidden error about a value, which then counts as absent.
  bool hides_lost_value(const Finding& finding) const;
  /// `derive` with this choice, which must outlive it.
  derive::DeriveOptions overlooking(const derive::DeriveOptions& derive) const;

  const RuleBook& book() const { return book_; }
  /// About the annotations.
  const Findings& findings() const { return findings_; }

 private:
  bool hides(const Finding& finding) const { return !wants(finding) || silences(finding); }

  RuleBook book_;
  Selection selection_;
  Findings findings_;
  Silence silence_;
};

}  // namespace overlane::check

#pragma once

#include <string>
#include <vector>

#include "topologies/check/rule_book.h"
#include "topologies/check/silence.h"
#include "topologies/derive/derive.h"

namespace overlane::check {

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

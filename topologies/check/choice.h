#pragma once

#include <string>
#include <vector>

#include "topologies/check/rule_book.h"
#include "topologies/check/silence.h"
#include "topologies/derive/derive.h"

namespace overlane::check {

/// What one wants to know of the findings: by rule.
struct Selection {
  std::vector<std::string> only;     ///< Empty: every rule.
  std::vector<std::string> ignored;  ///< But none of these.
};

/// Which findings are wanted: by a selection, and by the annotations of the objects. What nobody
/// wants to know of does not end the judging of a shoot, unless a value is lost with it.
class Choice {
 public:
  Choice(const document::Stream& stream, Selection selection);

  /// Whether the selection wants it. With `only`, an error of an input or a value that could not be
  /// read stays: what depends on it was not looked at.
  bool wants(const Finding& finding) const;
  bool silences(const Finding& finding) const { return silence_.covers(finding); }
  /// An error about a document that cannot be used.
  bool is_unusable(const Finding& finding) const;
  /// An error about a value that counts as absent from then on, and that is not to be shown.
  bool hides_lost_value(const Finding& finding) const;
  /// `derive` with this choice, which must outlive it.
  derive::DeriveOptions overlooking(const derive::DeriveOptions& derive) const;

  const RuleBook& book() const { return book_; }
  /// What is wrong with the annotations.
  const Findings& findings() const { return findings_; }

 private:
  bool hides(const Finding& finding) const { return !wants(finding) || silences(finding); }

  RuleBook book_;
  Selection selection_;
  Findings findings_;
  Silence silence_;
};

}  // namespace overlane::check

#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "topologies/check/rule_book.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::check {

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

}  // namespace overlane::check

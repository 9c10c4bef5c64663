#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topologies/domains/decode.h"

namespace overlane::domains {

/// The place of a declaration in a file that is merged with others.
struct At {
  const DeclarationFile* file = nullptr;
  std::string path;  ///< From its document's root: "spec.networks[1]".
  SourceLocation place;

  At inside(const std::string& more, const SourceLocation& where) const {
    return {file, path + more, where};
  }
};

/// Collects contradictions between files.
class Diagnostics {
 public:
  /// "SUBJECT HERE here and OTHERWISE at PLACE": `subject` begins the sentence.
  void add_contradiction(const At& at, std::string_view subject, std::string_view here,
                         std::string_view otherwise, const SourceLocation& there);
  /// No file declares that project; `known` are the declared ones.
  void add_unknown_project(const At& at, const std::string& project,
                           const std::vector<std::string_view>& known);

  Findings take() { return std::move(findings_); }

 private:
  void add(const At& at, Finding finding);

  Findings findings_;
};

}  // namespace overlane::domains

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace overlane::node {

/// Collects what went and what came, line by line.
class DiffLines {
 public:
  void change(const std::optional<std::string>& before, const std::optional<std::string>& after) {
    if (before == after) return;
    if (before) text_ += "- " + *before + '\n';
    if (after) text_ += "+ " + *after + '\n';
  }

  /// Of lists whose order means nothing, or is always the same.
  void change(const std::vector<std::string>& before, const std::vector<std::string>& after);

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace overlane::node

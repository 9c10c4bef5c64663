#include "topologies/document/syntax/diagnosis.h"

#include <utility>

#include "topologies/document/tree/refusal.h"

namespace overlane::document {
namespace {

constexpr std::string_view kEllipsis = "\u2026";

/// Column (from 0) of a line's content after indentation and "- " marks.
std::size_t content_column(std::string_view line) {
  auto column = line.find_first_not_of(' ');
  while (column != line.npos && line.substr(column).starts_with("- ")) {
    const auto next = line.find_first_not_of(' ', column + 1);
    if (next == line.npos) break;
    column = next;
  }
  return column;
}

/// Whether the line ends with the `|` or `>` of a block scalar.
bool opens_block(std::string_view line) {
  const auto comment = line.find(" #");
  line = trimmed(line.substr(0, comment));
  const auto last = line.find_last_of(" \t");
  const std::string_view word = last == line.npos ? line : line.substr(last + 1);
  return !word.empty() && (word[0] == '|' || word[0] == '>') &&
         word.find_first_not_of("+-0123456789", 1) == word.npos;
}

/// Finds the lines of block scalars (`key: |`), line by line.
class BlockLines {
 public:
  bool contains(std::string_view line) {
    const auto indentation = line.find_first_not_of(' ');
    const bool blank = trimmed(line).empty();
    if (inside_ && (blank || indentation > key_column_)) return true;
    inside_ = !blank && opens_block(line);
    if (inside_) {
      key_column_ = content_column(line);
      // `- |`: the text is indented deeper than the dash, not than the bar.
      const bool bare = line[key_column_] == '|' || line[key_column_] == '>';
      if (bare) key_column_ = line.find_last_of('-', key_column_);
    }
    return false;
  }

 private:
  bool inside_ = false;
  std::size_t key_column_ = 0;
};

/// Column of a `{{` at the start of a line or value; elsewhere it is no syntax error.
std::size_t template_column(std::string_view line) {
  const auto start = content_column(line);
  if (start == line.npos) return line.npos;
  if (line.substr(start).starts_with("{{")) return start;
  const auto value = line.find(": {{");
  return value == line.npos ? line.npos : value + 2;
}

Finding template_finding(SourceLocation place) {
  return {.rule = "template",
          .message = "this is a template, not a manifest: it holds `{{`",
          .place = std::move(place),
          .hint = "render it first, for example with `helm template`"};
}

}  // namespace

std::optional<Finding> find_elision(const TextPart& document) {
  const std::string_view text = document.text;
  if (!text.starts_with("...") && text.find("\n...") == text.npos) return std::nullopt;
  std::string_view rest = text;
  const char* end_marker = nullptr;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (marks(line, "...")) {
      if (end_marker == nullptr) end_marker = line.data();
    } else if (marks(line, "---") || line.starts_with('%')) {
      end_marker = nullptr;
    } else if (end_marker != nullptr && !is_empty_line(line)) {
      return elision(static_cast<std::size_t>(end_marker - text.data()))
          .finding(text, document.origin);
    }
  }
  return std::nullopt;
}

Finding explain_failure(Finding failure, const TextPart& document) {
  if (failure.rule != "invalid-yaml") return failure;
  std::string_view rest = document.text;
  BlockLines blocks;
  for (int number = document.origin.line; number <= failure.place.line && !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    if (blocks.contains(line)) continue;
    const auto at = static_cast<std::size_t>(line.data() - document.text.data());
    const std::string_view content = trimmed(line);
    const auto indentation = line.find_first_not_of(kBlank);
    if ((content == "..." || content == kEllipsis) && indentation > 0)
      return elision(at + indentation).finding(document.text, document.origin);
    const auto brace = template_column(line);
    if (brace != line.npos)
      return template_finding(document.origin.place(document.text, at + brace));
    if (number == failure.place.line && indentation != line.npos &&
        line.substr(0, indentation).find('\t') != line.npos)
      failure.hint = "YAML forbids tabs in indentation; use spaces";
  }
  return failure;
}

}  // namespace overlane::document

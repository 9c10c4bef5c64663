#include "topologies/document/syntax/diagnosis.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "topologies/document/tree/tree_builder.h"

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

/// Column of a `{{` at the start of a line or value, or npos. Elsewhere, `{{` is no syntax error.
std::size_t template_column(std::string_view line) {
  const auto start = content_column(line);
  if (start == line.npos) return line.npos;
  if (line.substr(start).starts_with("{{")) return start;
  const auto value = line.find(": {{");
  return value == line.npos ? line.npos : value + 2;
}

bool starts_with_any(std::string_view text, std::span<const std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view one) { return text.starts_with(one); });
}

/// Column of a block of Terraform (`resource "x" "y" {`), or npos.
std::size_t terraform_column(std::string_view line) {
  constexpr std::array<std::string_view, 8> kBlocks = {"resource \"", "module \"",   "variable \"",
                                                       "data \"",     "provider \"", "output \"",
                                                       "locals {",    "terraform {"};
  return line.ends_with('{') && starts_with_any(line, kBlocks) ? 0 : line.npos;
}

/// Column of a sign of a shell script, or npos: a here document (`<<EOF`), its end, or the first
/// line of a script.
std::size_t shell_column(std::string_view line) {
  constexpr std::array<std::string_view, 3> kInterpreters = {"#!/bin/", "#!/usr/bin/", "#! /"};
  if (line == "EOF" || starts_with_any(line, kInterpreters)) return 0;
  for (auto at = line.find("<<"); at != line.npos; at = line.find("<<", at + 1)) {
    std::string_view word = line.substr(at + 2);
    while (!word.empty() && std::string_view("- '\"").find(word.front()) != word.npos)
      word.remove_prefix(1);
    if (!word.empty() && word.front() >= 'A' && word.front() <= 'Z') return at;
  }
  return line.npos;
}

std::size_t mako_column(std::string_view line) {
  constexpr std::array<std::string_view, 4> kTags = {"<%def", "<%inherit", "<%include", "<%!"};
  if (starts_with_any(line, kTags)) return 0;
  if (!line.starts_with('%')) return line.npos;
  constexpr std::array<std::string_view, 6> kStatements = {"if ",   "for ",   "while ",
                                                           "endif", "endfor", "else:"};
  return starts_with_any(trimmed(line.substr(1)), kStatements) ? 0 : line.npos;
}

std::size_t jinja_column(std::string_view line) {
  return line.find("{%");
}

std::size_t erb_column(std::string_view line) {
  const auto at = line.find("<%");
  return at != line.npos && line.find("%>", at) != line.npos ? at : line.npos;
}

std::size_t markdown_column(std::string_view line) {
  return line.starts_with("```") ? 0 : line.npos;
}

/// A format in which users keep manifests, and how to get the manifest out of it.
struct Format {
  std::size_t (*column)(std::string_view line);  ///< Column of the sign in a trimmed line, or npos.
  const char* rule;
  std::string_view message;
  std::string_view hint;
};

constexpr Format kFormats[] = {
    {terraform_column, "other-format", "this is Terraform (HCL), not a manifest",
     "give the objects that it makes, as `kubectl get shoots -A -o yaml` prints them"},
    {shell_column, "other-format", "this is a shell script with the manifest in a here document",
     "run it with `cat` in place of `kubectl apply -f -`, and give what it prints"},
    {mako_column, "template", "this is a Mako template, not a manifest",
     "render it first, for example with `mako-render`"},
    {jinja_column, "template", "this is a Jinja template, not a manifest: it holds `{%`",
     "render it first, with Ansible or `jinja2`"},
    {erb_column, "template", "this is an ERB template, not a manifest: it holds `<%`",
     "render it first, for example with `erb`"},
    {template_column, "template", "this is a Helm or Go template, not a manifest: it holds `{{`",
     "render it first, for example with `helm template`"},
    {markdown_column, "other-format", "this is Markdown, not a manifest",
     "give the text between its lines ``` alone"},
};

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

std::optional<Finding> find_other_format(const TextPart& document) {
  std::string_view rest = document.text;
  BlockLines blocks;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    if (blocks.contains(line)) continue;
    const std::string_view content = trimmed(line);
    for (const Format& format : kFormats) {
      const auto column = format.column(content);
      if (column == content.npos) continue;
      const auto at = static_cast<std::size_t>(content.data() - document.text.data()) + column;
      return Refusal{format.rule, std::string(format.message), std::string(format.hint), at}
          .finding(document.text, document.origin);
    }
  }
  return std::nullopt;
}

Finding explain_failure(Finding failure, const TextPart& document) {
  if (failure.rule != "invalid-yaml") return failure;
  if (auto other = find_other_format(document)) return *std::move(other);
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
    if (number == failure.place.line && indentation != line.npos &&
        line.substr(0, indentation).find('\t') != line.npos)
      failure.hint = "YAML forbids tabs in indentation; use spaces";
  }
  return failure;
}

}  // namespace overlane::document

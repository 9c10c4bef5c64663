#include "topologies/document/parse.h"

#include <iterator>
#include <optional>
#include <utility>

#include "topologies/document/text_check.h"
#include "topologies/document/yaml_events.h"

namespace overlane::document {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kBlank = " \t\r";

/// One line without its line end.
struct Line {
  std::string_view text;
  int number = 0;

  /// Whether the line is a document marker, alone or followed by a blank.
  bool marks(std::string_view marker) const {
    return text.starts_with(marker) &&
           (text.size() == marker.size() || kBlank.find(text[marker.size()]) != kBlank.npos);
  }
  bool is_empty() const {
    const auto start = text.find_first_not_of(kBlank);
    return start == text.npos || text[start] == '#';
  }
  std::size_t indentation() const { return text.find_first_not_of(kBlank); }
  bool is_ellipsis() const {
    const auto start = indentation();
    if (start == text.npos) return false;
    const std::string_view content = text.substr(start, text.find_last_not_of(kBlank) + 1 - start);
    return content == "..." || content == "\u2026";
  }
};

std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back({text.substr(0, end), static_cast<int>(lines.size()) + 1});
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

Place place_of(const Line& line, const std::string& file) {
  return {file, line.number, static_cast<int>(line.indentation()) + 1};
}

/// The first `...` line that is followed by content which no `---` (or directive) announces.
std::optional<Finding> find_elision(const std::vector<Line>& lines, const std::string& file) {
  const Line* end_marker = nullptr;
  for (const Line& line : lines) {
    if (line.marks("...")) {
      if (end_marker == nullptr) end_marker = &line;
    } else if (line.marks("---") || line.text.starts_with('%')) {
      end_marker = nullptr;
    } else if (end_marker != nullptr && !line.is_empty()) {
      return elision(place_of(*end_marker, file));
    }
  }
  return std::nullopt;
}

/// Lines of one document, its `---` line included.
using LineRange = std::pair<const Line*, const Line*>;

bool has_content(LineRange range) {
  for (const Line* line = range.first; line != range.second; ++line) {
    const bool marker = line->marks("---") || line->marks("...") || line->text.starts_with('%');
    if (marker ? line->marks("---") && !Line{line->text.substr(3)}.is_empty() : !line->is_empty())
      return true;
  }
  return false;
}

std::vector<LineRange> split_documents(const std::vector<Line>& lines) {
  std::vector<LineRange> ranges;
  const Line* start = lines.data();
  const Line* end = lines.data() + lines.size();
  for (const Line* line = start; line != end; ++line) {
    if (!line->marks("---")) continue;
    ranges.emplace_back(start, line);
    start = line;
  }
  ranges.emplace_back(start, end);
  std::erase_if(ranges, [](const LineRange& range) { return !has_content(range); });
  return ranges;
}

std::string_view text_of(LineRange range) {
  const char* begin = range.first->text.data();
  std::string_view last = std::prev(range.second)->text;
  if (last.ends_with('\r')) last.remove_suffix(1);
  return {begin, static_cast<std::size_t>(last.data() + last.size() - begin)};
}

/// A more telling finding than yaml-cpp's for a document that it could not parse.
Finding explain_failure(Finding failure, LineRange range) {
  const bool syntax = failure.rule == "invalid-yaml";
  if (!syntax) return failure;
  for (const Line* line = range.first; line != range.second; ++line) {
    if (line->is_ellipsis() && line->indentation() > 0)
      return elision(place_of(*line, failure.place.file));
    const auto brace = line->text.find("{{");
    if (brace != line->text.npos)
      return {.rule = "template",
              .message = "this is a template, not a manifest: it holds `{{`",
              .place = {failure.place.file, line->number, static_cast<int>(brace) + 1},
              .hint = "render it first, for example with `helm template`"};
    if (line->number == failure.place.line && line->indentation() != line->text.npos &&
        line->text.substr(0, line->indentation()).find('\t') != line->text.npos)
      failure.hint = "YAML forbids tabs in indentation; use spaces";
  }
  return failure;
}

}  // namespace

void Stream::append(Stream other) {
  documents.insert(documents.end(), std::make_move_iterator(other.documents.begin()),
                   std::make_move_iterator(other.documents.end()));
  findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                  std::make_move_iterator(other.findings.end()));
}

Stream parse(std::string_view text, const std::string& file) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (auto finding = check_encoding(text, file)) return {{}, {*std::move(finding)}};
  const std::vector<Line> lines = split_lines(text);
  if (auto finding = find_elision(lines, file)) return {{}, {*std::move(finding)}};

  Stream stream;
  for (const LineRange& range : split_documents(lines)) {
    Result<Tree> tree = parse_document(text_of(range), file, range.first->number);
    if (tree) {
      stream.documents.push_back(*std::move(tree));
      continue;
    }
    Finding finding = explain_failure(std::move(tree.error()), range);
    if (finding.rule == "elision") return {{}, {std::move(finding)}};
    stream.findings.push_back(std::move(finding));
  }
  if (stream.documents.empty() && stream.findings.empty())
    stream.findings.push_back({.rule = "empty-file",
                               .message = "the file holds no document",
                               .place = {file, 1, 1},
                               .hint = "give a Shoot or Network manifest"});
  return stream;
}

}  // namespace overlane::document

#include "topologies/document/syntax/cut.h"

#include <cstring>
#include <optional>

namespace overlane::document {
namespace {

constexpr std::string_view kMarkerLine = "\n---";

/// Offset of a leading { or [, after blanks and line ends only. Such a document may be one line of
/// gigabytes, so its end is not searched.
std::optional<std::size_t> opening(std::string_view text) {
  const auto at = text.find_first_not_of(" \t\r\n");
  if (at == text.npos || (text[at] != '{' && text[at] != '[')) return std::nullopt;
  return at;
}

bool has_content(std::string_view text) {
  if (opening(text)) return true;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (marks(line, "---")) {
      if (!is_empty_line(line.substr(3))) return true;
    } else if (!marks(line, "...") && !line.starts_with('%') && !is_empty_line(line)) {
      return true;
    }
  }
  return false;
}

/// Offset of the next `---` line after the first line, or the end.
std::size_t next_document_start(std::string_view text) {
  for (auto at = text.find(kMarkerLine); at != text.npos; at = text.find(kMarkerLine, at + 1)) {
    std::string_view rest = text.substr(at + 1);
    if (marks(take_line(rest), "---")) return at + 1;
  }
  return text.size();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kTrimmed = " \t\r\n";
  const auto begin = text.find_first_not_of(kTrimmed);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kTrimmed) + 1 - begin);
}

std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

bool marks(std::string_view line, std::string_view marker) {
  constexpr std::string_view kBehind = " \t\r\n";
  return line.starts_with(marker) &&
         (line.size() == marker.size() || kBehind.find(line[marker.size()]) != kBehind.npos);
}

bool is_empty_line(std::string_view line) {
  const auto start = line.find_first_not_of(kBlank);
  return start == line.npos || line[start] == '#';
}

std::vector<TextPart> cut_documents(const TextPart& text) {
  std::vector<TextPart> documents;
  TextPart rest = text;
  while (!rest.text.empty()) {
    const TextPart document{rest.text.substr(0, next_document_start(rest.text)), rest.origin,
                            rest.plain};
    if (has_content(document.text)) documents.push_back(document);
    rest.text.remove_prefix(document.text.size());
    if (!rest.text.empty()) rest.origin = rest.origin.after(document.text);
  }
  return documents;
}

std::size_t last_document_start(std::string_view whole) {
  constexpr std::size_t kStartBytes = 4;  // With the bytes that complete the marker.
  std::string_view text = whole;
  while (true) {
    // Faster than rfind, which compares single bytes.
    const auto* line_end = static_cast<const char*>(memrchr(text.data(), '\n', text.size()));
    if (line_end == nullptr) return std::string_view::npos;
    const auto at = static_cast<std::size_t>(line_end - text.data());
    const std::string_view behind = whole.substr(at + 1, kStartBytes);
    if (behind.size() == kStartBytes && marks(behind, "---")) return at + 1;
    text = text.substr(0, at);
  }
}

TextPart flow_content(const TextPart& document) {
  std::string_view rest = document.text;
  std::optional<std::size_t> begin = opening(rest);
  while (!begin && !rest.empty()) {
    const std::string_view line = take_line(rest);
    const std::string_view content = marks(line, "---") ? line.substr(3) : line;
    if (is_empty_line(content)) continue;
    begin = opening(content);
    if (!begin) return {};
    *begin += static_cast<std::size_t>(content.data() - document.text.data());
  }
  if (!begin) return {};
  return {document.text.substr(*begin), document.origin.after(document.text.substr(0, *begin))};
}

}  // namespace overlane::document

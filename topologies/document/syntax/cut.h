#pragma once

#include <string_view>
#include <vector>

#include "topologies/document/tree/line_map.h"

namespace overlane::document {

/// A part of a text, and where it starts.
struct TextPart {
  std::string_view text;
  Origin origin;
  bool plain = false;  ///< It is_plain(); false: nobody looked.
};

/// Blanks of a line; the line end is none.
inline constexpr std::string_view kBlank = " \t\r";

/// `text` without the blanks and line ends at both of its ends.
std::string_view trimmed(std::string_view text);
/// The first line of `text`, without its line end, which is taken off `text` too.
std::string_view take_line(std::string_view& text);
/// Whether a line is a document marker (`---`, `...`), alone or followed by a blank.
bool marks(std::string_view line, std::string_view marker);
/// Whether a line holds nothing but blanks and a comment.
bool is_empty_line(std::string_view line);

/// Cuts a text before its `---` lines, and leaves out documents without content.
std::vector<TextPart> cut_documents(const TextPart& text);
/// Where the last `---` line starts whose end is known, besides one at the very beginning; npos if
/// there is none.
std::size_t last_document_start(std::string_view text);

/// The content of a document if it is written in JSON or as a YAML flow collection, that is if it
/// starts with { or [; otherwise an empty part.
TextPart flow_content(const TextPart& document);

}  // namespace overlane::document

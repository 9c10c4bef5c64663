#pragma once

#include <string_view>
#include <vector>

#include "topologies/document/tree/source_text.h"

namespace overlane::document {

// The lowest layer of parsing: lines, blanks and document markers. It cuts a text at its `---`
// lines (YAML 1.2, section 9) without looking into documents. A TextPart refers to the text,
// which must outlive it.

/// A part of a text and its location.
struct TextPart {
  std::string_view text;
  Origin origin;
  bool plain = false;  ///< is_plain() is known to hold.
};

/// Blanks within a line; line feeds excluded.
inline constexpr std::string_view kBlank = " \t\r";

/// `text` without leading and trailing blanks and line ends.
std::string_view trimmed(std::string_view text);
/// Removes the first line from `text` and returns it without its line end.
std::string_view take_line(std::string_view& text);
/// Whether a line is a document marker (`---`, `...`), alone or followed by a blank.
bool marks(std::string_view line, std::string_view marker);
/// Whether a line holds nothing but blanks and a comment.
bool is_empty_line(std::string_view line);

/// Splits a text at its `---` lines and omits documents without content.
std::vector<TextPart> cut_documents(const TextPart& text);
/// Offset of the last complete `---` line, except one at the very beginning; npos if there is none.
std::size_t last_document_start(std::string_view text);

/// The content of a document in JSON or YAML flow style (it starts with { or [); otherwise an empty
/// part.
TextPart flow_content(const TextPart& document);

}  // namespace overlane::document

#pragma once

#include <string>
#include <string_view>

#include "results/answer/document.h"

namespace overlane::report {

// Self-contained SVG pictures without scripts. Pages embed them, and the verbs write them as files.
// All sizes are in pixels.

/// `text` as one line of an XML 1.0 attribute or element: control characters and invalid UTF-8 are
/// escaped by one_line(), markup as entities.
std::string xml_text(std::string_view text);

/// Approximate width of a text in a sans-serif font, in pixels.
int text_width(std::string_view text, int font_size);

/// A whole SVG 1.1 document with a white background. `head` (styles, definitions) and `body` are
/// markup; `title` is plain text.
std::string svg_document(int width, int height, std::string_view title, std::string_view head,
                         std::string_view body);

/// A chart as an SVG 1.1 picture: its rows with their shares, below them the lanes with their
/// events, and a time axis in seconds, minutes or hours. The same chart gives the same bytes.
std::string chart_svg(const answer::Chart& chart);

}  // namespace overlane::report

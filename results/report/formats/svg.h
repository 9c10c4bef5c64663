#pragma once

#include <string>
#include <string_view>

namespace overlane::report {

/// Approximate width of a text in a sans-serif font, in pixels.
int text_width(std::string_view text, int font_size);

/// A whole SVG 1.1 document with a white background. `head` (styles, definitions) and `body` are
/// markup; `title` is plain text.
std::string svg_document(int width, int height, std::string_view title, std::string_view head,
                         std::string_view body);

}  // namespace overlane::report

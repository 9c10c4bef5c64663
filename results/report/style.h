#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "results/answer/document.h"

namespace overlane::report {

// Colours of text on a terminal, by the meaning of the text (answer::Tone). They are those of GCC's
// diagnostics, which are legible on dark and on light backgrounds: bold, and magenta instead of
// yellow for warnings. The terminal's theme says what they look like. A colour repeats what the
// words say: without its escape sequences, a coloured text is the plain text.

enum class Style : std::uint8_t { Plain, Colour };

/// Renders `text` as a heading.
std::string heading_text(std::string_view text, Style style);

/// `text` in the colour of `tone`.
std::string toned_text(std::string_view text, answer::Tone tone, Style style);

/// `text` with the colour of `tone` for the `length` bytes from `begin`.
std::string toned_part(std::string_view text, std::size_t begin, std::size_t length,
                       answer::Tone tone, Style style);

}  // namespace overlane::report

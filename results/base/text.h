#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace overlane {

/// "1 shoot", "3 shoots": for messages of findings and of reports' last lines.
std::string counted(std::uint64_t count, std::string_view what);

/// Length of the UTF-8 sequence at the front of `text` (RFC 3629); 0 if it is malformed.
std::size_t utf8_length(std::string_view text);

/// `text` as one line that a terminal prints without side effects. Control characters (C0, DEL,
/// C1), line and paragraph separators and characters that change the writing direction
/// (Bidi_Control) become escapes (`
/// `, `\x1b`, `\u202e`); bytes that are not UTF-8 become `\xff`. Applying it twice changes nothing.
std::string one_line(std::string_view text);

}  // namespace overlane

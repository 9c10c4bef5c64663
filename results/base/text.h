#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace overlane {

// Functions on texts for every layer. They do not depend on the program's inputs or results. Texts
// of figures with units are in results/report/text.h. All are pure and may be called from any
// thread.

/// "1 shoot", "1200 shoots": for messages of findings, whose numbers have no separators. Reports
/// use report::counted_text(), "1,200 shoots".
std::string counted(std::uint64_t count, std::string_view what);

/// `text` as a single-quoted YAML scalar: 'it''s'. `text` must be one line.
std::string yaml_quoted(std::string_view text);

/// The words of a text, which white space separates.
std::vector<std::string> words_of(const std::string& text);

/// Whether `text` matches a shell pattern (fnmatch(3)) such as "run/*" or "bench-[ab]".
bool matches_pattern(const std::string& text, const std::string& pattern);

/// Length of the UTF-8 sequence at the front of `text` (RFC 3629); 0 if it is malformed. `text`
/// must not be empty.
std::size_t utf8_length(std::string_view text);

/// `text` as one line that a terminal prints without side effects. Control characters (C0, DEL,
/// C1), line and paragraph separators and characters that change the writing direction
/// (Bidi_Control) become escapes such as `\x1b`, `\u202e`, or a backslash and an n; bytes that are
/// not UTF-8 become `\xff`. The function is idempotent.
std::string one_line(std::string_view text);

}  // namespace overlane

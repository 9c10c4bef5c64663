#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace overlane::report {

// Text forms of figures in reports: rates, durations, counts, shares and changes, each in one form
// everywhere. Also line wrapping for a terminal, and escaping for CSV and Markdown. All functions
// are pure except terminal_width() and wrapped_line(), which query the terminal.

/// Number of columns of the terminal that the file descriptor refers to, at least 40; 80 if it is
/// not a terminal.
std::size_t terminal_width(int descriptor = 1);

/// Number of columns of a UTF-8 text on a terminal: one per code point.
std::size_t display_width(std::string_view text);

/// "9.415 Gbit/s", "250.0 kbit/s", "12 bit/s".
std::string rate_text(std::int64_t bits_per_second);

/// "41.3 µs", "850 ns", "2.250 s".
std::string duration_text(std::int64_t nanoseconds);

/// "12.3 s" below two minutes, "25 min 30 s" below two hours, then "3 h 25 min". page.js has the
/// same rule.
std::string elapsed_text(double seconds);

/// "1,234,567".
std::string count_text(std::int64_t count);

/// "1 shoot", "1,200 shoots". Messages of findings use counted(), without the separators.
std::string counted_text(std::uint64_t count, std::string_view what);

/// "12.5 %" for 125,000.
std::string percent_text(std::int64_t ppm);

/// The change that corresponds to a ratio: "-1.4 %" for 986,192, "+0.0 %" for 1,000,000.
std::string change_text(std::int64_t ratio_ppm);

/// `text` with its first letter in upper case if it is an ASCII letter.
std::string capitalised(std::string text);

/// `text` broken at spaces into lines of at most `width` columns. The first line begins with
/// `first`; the others are indented by the width of `first`, or less if a long word needs the room.
/// A word longer than a line gets its own line, and a number stays with its unit. Ends with a
/// newline.
std::string wrapped(std::string_view first, std::string_view text, std::size_t width);
/// wrapped() with all lines but the first indented by `indent`.
std::string wrapped(std::string_view first, std::string_view text, std::size_t width,
                    std::size_t indent);
/// wrapped() for texts from inputs: escapes control characters and uses the terminal's width.
std::string wrapped_line(std::string_view first, std::string_view text);

/// One record of a CSV file (RFC 4180), with its line end; fields are quoted where necessary. A
/// text that a spreadsheet would evaluate as a formula begins with an apostrophe.
std::string csv_record(std::span<const std::string> fields);

/// `text` for Markdown, in a paragraph or a cell of a table: markup is escaped, line ends are
/// blanks.
std::string markdown_text(std::string_view text);

}  // namespace overlane::report

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace overlane::report {

// Escaping for two text formats with cells: CSV and Markdown.

/// One record of a CSV file (RFC 4180), with its line end; fields are quoted where necessary.
std::string csv_record(std::span<const std::string> fields);

/// `text` for Markdown, in a paragraph or a cell of a table: markup is escaped, line ends are
/// blanks.
std::string markdown_text(std::string_view text);

}  // namespace overlane::report

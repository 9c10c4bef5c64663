#pragma once

#include <string>
#include <string_view>

namespace overlane::report {

/// `text` for Markdown, in a paragraph or a cell of a table: markup is escaped, line ends are
/// blanks.
std::string markdown_text(std::string_view text);

}  // namespace overlane::report

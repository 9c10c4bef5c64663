#pragma once

#include <string>

#include "results/answer/document.h"
#include "results/report/column_table.h"

namespace overlane::report {

// Two renderers of a Document (results/answer/document.h): plain text for a terminal, and GitHub
// Flavored Markdown for change requests and issues. Both escape texts from inputs, so that no name
// becomes a control sequence or markup. Lines of text are wrapped at the terminal's width
// (terminal_width()), and colour never carries information that the words do not have.

struct DocumentTextOptions {
  Style style = Style::Plain;
  bool with_title = false;    ///< Prints the document's title above the sections.
  bool with_details = false;  ///< Includes the sections of answer::Detail::OnRequest.
};

/// Renders a document for a terminal, within its width. Commands can be copied and pasted: a long
/// command is broken at blanks outside of quotes, each break after a backslash. A command without
/// such blanks stays on one long line.
std::string document_text(const answer::Document& document, const DocumentTextOptions& options);

/// Renders a blank line and the findings (answer::remarks), to follow output that is not a
/// Document. Empty if there are no findings.
std::string remarks_text(const Findings& findings, Style style);

/// Renders the rows of a chart as lines of characters, below a line with the begin and end times. A
/// darker character is a larger share.
std::string chart_text(const answer::Chart& chart);

/// Breaks a command into lines of at most `width` columns where shell syntax allows it. Every line
/// begins with `indent` blanks; continuation lines have one more.
std::string command_text(std::string_view command, std::size_t indent, std::size_t width);

/// A document (results/answer/document.h) in GitHub Flavored Markdown, for a change request or an
/// issue. Texts are escaped, so that no name from an input becomes markup. The rows of charts are
/// code blocks of characters. `with_details` adds the sections of Detail::OnRequest.
std::string document_markdown(const answer::Document& document, bool with_details = false);

}  // namespace overlane::report

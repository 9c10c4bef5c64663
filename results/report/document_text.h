#pragma once

#include <string>

#include "results/answer/document.h"
#include "results/report/column_table.h"

namespace overlane::report {

// Two renderers of a Document (results/answer/document.h): text, which the verbs print to a
// terminal, and GitHub Flavored Markdown for change requests and issues. Both escape texts from
// inputs, so that no name becomes a control sequence or markup. Lines of text are wrapped at the
// terminal's width (terminal_width()), and colour only repeats what a word says.

struct DocumentTextOptions {
  Style style = Style::Plain;
  bool with_title = false;    ///< Prints the document's title above the sections.
  bool with_details = false;  ///< Also the sections of answer::Detail::OnRequest.
};

/// A document for a terminal, within its width. Commands can be copied and pasted: a long one is
/// broken at blanks outside of quotes, behind a backslash; one without such blanks stays long.
std::string document_text(const answer::Document& document, const DocumentTextOptions& options);

/// A blank line and the findings (answer::remarks) for a text that is no document; empty without
/// any.
std::string remarks_text(const Findings& findings);

/// The rows of a chart as lines of characters, the darker the larger the share, below a line with
/// the times of both ends.
std::string chart_text(const answer::Chart& chart);

/// A command, broken into lines of at most `width` columns where the shell allows it: every line
/// begins with `indent` blanks, further ones of a broken line with one more.
std::string command_text(std::string_view command, std::size_t indent, std::size_t width);

/// A document (results/answer/document.h) in GitHub Flavored Markdown, for a change request or an
/// issue. Texts are escaped, so that no name from an input becomes markup; the rows of charts are
/// code blocks of characters. `with_details`: also the sections of Detail::OnRequest.
std::string document_markdown(const answer::Document& document, bool with_details = false);

}  // namespace overlane::report

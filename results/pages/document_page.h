#pragma once

#include <string>

#include "results/answer/document.h"

namespace overlane::pages {

// The HTML renderer of a Document (results/answer/document.h), beside those for text and Markdown
// in results/report. Charts become SVG in the page; nothing is loaded from elsewhere.

/// A section as HTML with all of its blocks; folded unless it is Detail::Always.
std::string section_html(const answer::Section& section);

/// A document as a self-contained page.
std::string document_page(const answer::Document& document);

}  // namespace overlane::pages

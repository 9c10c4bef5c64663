#pragma once

#include <string>

#include "results/answer/document.h"

namespace overlane::pages {

/// A section as HTML, all of its blocks. One that is not Detail::Always is folded.
std::string section_html(const answer::Section& section);

/// A document as a page that needs nothing but itself.
std::string document_page(const answer::Document& document);

}  // namespace overlane::pages

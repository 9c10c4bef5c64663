#pragma once

#include <string>

#include "results/answer/document.h"

namespace overlane::report {

/// A document (results/answer/document.h) in GitHub Flavored Markdown, for a change request or an
/// issue. Texts are escaped, so that no name from an input becomes markup; the rows of charts are
/// code blocks of characters. `with_details`: also the sections of Detail::OnRequest.
std::string document_markdown(const answer::Document& document, bool with_details = false);

}  // namespace overlane::report

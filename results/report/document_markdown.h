#pragma once

#include <string>

#include "results/answer/document.h"

namespace overlane::report {

/// A document in GitHub Flavored Markdown, for a change request or an issue. `with_details`: also
/// the sections of Detail::OnRequest.
std::string document_markdown(const answer::Document& document, bool with_details = false);

}  // namespace overlane::report

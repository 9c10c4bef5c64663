#pragma once

#include <string>
#include <string_view>

namespace overlane::explain {

/// docs/reference/providers.md: what each provider's profile says in numbers, with sources, and the
/// landscape's settings. For `overlane check --provider-page`.
std::string provider_page();

/// Text for a cell of a Markdown table.
std::string markdown_cell(std::string_view text);

}  // namespace overlane::explain

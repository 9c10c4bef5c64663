#pragma once

#include <string>

namespace overlane::explain {

/// docs/reference/providers.md: what each provider's profile says in numbers, with sources, and the
/// landscape's settings. For `overlane check --provider-page`.
std::string provider_page();

}  // namespace overlane::explain

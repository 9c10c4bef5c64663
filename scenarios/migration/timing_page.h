#pragma once

#include <string>

namespace overlane::migration {

/// The page of docs/reference on the parameters of a migration, as Markdown.
std::string timing_page();

}  // namespace overlane::migration

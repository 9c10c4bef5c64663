#pragma once

#include <string>
#include <string_view>

namespace overlane::command {

/// `text` behind `first`, on as many lines of a report as it takes. Names in it may hold anything.
std::string wrapped(std::string_view first, std::string_view text);

}  // namespace overlane::command

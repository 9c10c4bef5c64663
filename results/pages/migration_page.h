#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace overlane::pages {

/// The strategies of a Migration document side by side: their verdicts, and the longest outage of
/// each class of connections in the median run, the redder the longer. Throws the library's
/// exception if the document is not in its format.
std::string outage_heat_map(const nlohmann::ordered_json& migration);

/// A switch as a page: verdict, strategies, the recommended one over time (`picture`, an SVG), what
/// to do step by step, what stays behind, and the least certain assumptions. `document`: what
/// `overlane migrate -o json` prints.
std::string migration_page(const nlohmann::ordered_json& document, std::string_view picture);

}  // namespace overlane::pages

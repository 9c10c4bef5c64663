#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace overlane::pages {

/// `text` for HTML, in an element or an attribute; control characters are escaped as one_line()
/// does it.
std::string html_text(std::string_view text);

/// A table with a row of headings; cells are HTML.
std::string html_table(const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows);

/// A whole page that needs nothing but itself: style, script and uPlot are in it, and `data` is for
/// the script (page.js), which draws it into the elements of `body` that have the attribute
/// data-chart. Without scripts everything but the charts is there.
std::string html_page(std::string_view title, std::string_view body,
                      const nlohmann::ordered_json& data);

}  // namespace overlane::pages

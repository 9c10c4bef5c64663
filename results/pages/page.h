#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/model/histogram.h"
#include "results/model/run_environment.h"

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

/// What the machine of an environment did: it ran what was measured, or the simulation.
enum class HostRole { Measured, Simulated };

/// The section about the build and the machine; `more` are further rows of the table, as HTML.
std::string environment_section(const model::Environment& environment, HostRole role,
                                const std::vector<std::vector<std::string>>& more = {});

/// A line of a latency chart (page.js): at most 200 points of the cumulative distribution.
nlohmann::ordered_json latency_line(const std::string& name, const model::Histogram& latency_ns);

/// An element that page.js draws the entry at `index` of `data`'s list `kind` into.
std::string chart(const char* kind, std::size_t index);

}  // namespace overlane::pages

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/answer/document.h"
#include "results/model/histogram.h"
#include "results/model/run_environment.h"

namespace overlane::pages {

// The parts that all HTML pages of the program share: escaping, tables, the frame with style and
// script, the data of the charts, and the HTML renderer of a Document. A page is one self-contained
// file that can be mailed or attached to a CI job: its Content-Security-Policy forbids all
// requests, and without JavaScript only the charts are missing. Every text from an input goes
// through html_text().

/// `text` for HTML, in an element or an attribute; control characters are escaped by one_line().
std::string html_text(std::string_view text);

/// A table with one row of headings. The cells are HTML.
std::string html_table(const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows);

/// A whole page that contains its style, its script (page.js) and uPlot. The script draws `data`
/// into the elements of `body` that have the attribute data-chart (chart()).
std::string html_page(std::string_view title, std::string_view body,
                      const nlohmann::ordered_json& data);

/// The role of an environment's machine: it ran the measured programs, or the simulation.
enum class HostRole { Measured, Simulated };

/// The section about the build and the machine. `more` has further rows of the table, as HTML.
std::string environment_section(const model::Environment& environment, HostRole role,
                                const std::vector<std::vector<std::string>>& more = {});

/// The data of one line of a latency chart (page.js): at most 200 points of the cumulative
/// distribution.
nlohmann::ordered_json latency_line(const std::string& name, const model::Histogram& latency_ns);

/// An element into which page.js draws entry `index` of the list `kind` of html_page()'s `data`.
std::string chart(const char* kind, std::size_t index);

/// A section of a Document (results/answer/document.h) as HTML with all blocks; charts are SVG. The
/// section is folded unless it is Detail::Always.
std::string section_html(const answer::Section& section);

/// A document as a self-contained page.
std::string document_page(const answer::Document& document);

}  // namespace overlane::pages

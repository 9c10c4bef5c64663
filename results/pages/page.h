#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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

/// A table with one row of headings. The cells are HTML; the first one of a row is its heading.
/// `caption` is plain text for screen readers.
std::string html_table(std::string_view caption, const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows);

/// The header of a page: title, subject, origin and highlights; `verdict` is HTML and may be empty.
std::string page_header(std::string_view title, const answer::Overview& overview,
                        std::string_view verdict);

/// A whole page that contains its style and its script (page.js), and uPlot if it has charts.
/// `header` is page_header(). The script draws `data` into the elements of `body` that have the
/// attribute data-chart (chart()).
std::string html_page(std::string_view title, std::string_view header, std::string_view body,
                      const nlohmann::ordered_json& data);

/// The role of an environment's machine: it ran the measured programs, or the simulation.
enum class HostRole { Measured, Simulated };

/// The folded section about the build and the machine; the load of the machine only if it ran the
/// measured programs. `more` has further rows of the table, as HTML.
std::string environment_section(const model::Environment& environment, HostRole role,
                                const std::vector<std::vector<std::string>>& more = {});

/// The data of one line of a latency chart (page.js), for the variant with this number
/// (VariantNumbers): the latency in microseconds at increasing shares of the packets.
nlohmann::ordered_json latency_line(const std::string& name, std::size_t number,
                                    const model::Histogram& latency_ns);

/// Explains latency charts to a reader of the page.
inline constexpr std::string_view kLatencyNote =
    "The latency that a share of the packets does not exceed. The axis is stretched towards the "
    "slowest packets.";

/// A table of percentiles, a row for each line of a latency chart.
struct LatencyRow {
  std::string name;
  std::size_t number = 0;  ///< VariantNumbers::of().
  const model::Histogram* latency_ns = nullptr;
};
std::string latency_table(std::string_view caption, const std::vector<LatencyRow>& rows);

/// An SVG document as part of a page, which fits the width of the page or can be scrolled.
std::string embedded_svg(std::string_view svg);

/// A swatch with the colour and dash of a variant, for legends.
std::string swatch(std::size_t number);

/// A list of names with their swatches.
std::string legend(const std::vector<std::pair<std::string, std::size_t>>& names);

/// An element into which page.js draws entry `index` of the list `kind` of html_page()'s `data`,
/// with a caption (plain text), `below` (HTML: legend or table), and a line for the values at the
/// pointer.
std::string chart(const char* kind, std::size_t index, std::string_view caption,
                  std::string_view below = "");

/// A section of a Document (results/answer/document.h) as HTML with all blocks; charts are SVG. The
/// section is folded unless it is Detail::Always.
std::string section_html(const answer::Section& section);

struct Replay;  // results/pages/replay.h

/// Pictures of a page beyond the charts of its document. They follow the first section.
struct PagePictures {
  const Replay* replay = nullptr;  ///< The course of a switch; null: none.
  std::string svg = {};            ///< An SVG document, such as a map; empty: none.
};

/// A document as a self-contained page.
std::string document_page(const answer::Document& document, const PagePictures& pictures = {});

}  // namespace overlane::pages

#include "results/pages/page.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/report/text.h"

namespace overlane::pages {

namespace {

struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};

constexpr EmbeddedFile kFiles[] = {
#include "results_pages_files.inc"
};

std::string_view file(std::string_view name) {
  for (const EmbeddedFile& one : kFiles)
    if (one.name == name) return one.text;
  return "";
}

/// JSON text without `<`, which could end the script element that contains it.
std::string script_text(const nlohmann::ordered_json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace)) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string html_table(const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<table><thead><tr>";
  for (const std::string& heading : headings)
    html += fmt::format("<th>{}</th>", heading);
  html += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (const std::string& cell : row)
      html += fmt::format("<td>{}</td>", cell);
    html += "</tr>\n";
  }
  return html + "</tbody></table>\n";
}

std::string html_page(std::string_view title, std::string_view body,
                      const nlohmann::ordered_json& data) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      // Forbids to load anything, even if a name from an input contained markup.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n";
  page += fmt::format("<title>{}</title>\n", html_text(title));
  for (const std::string_view style : {"uPlot.min.css", "page.css"})
    page += fmt::format("<style>{}</style>\n", file(style));
  page += "</head><body>\n";
  page += body;
  page +=
      fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", script_text(data));
  page += fmt::format("<!-- uPlot is under the MIT License. {} -->\n", file("uPlot-LICENSE"));
  for (const std::string_view script : {"uPlot.iife.min.js", "page.js"})
    page += fmt::format("<script>{}</script>\n", file(script));
  return page + "</body></html>\n";
}

using Json = nlohmann::ordered_json;

std::string environment_section(const model::Environment& environment, HostRole role,
                                const std::vector<std::vector<std::string>>& more) {
  std::vector<std::vector<std::string>> rows{
      {"overlane",
       html_text(fmt::format("{}, commit {}", environment.overlane_version, environment.commit))},
      {"compiler", html_text(fmt::format("{}, {} ({})", environment.compiler, environment.flags,
                                         environment.build_type))},
      {"machine", html_text(fmt::format(
                      "{}, {}, kernel {}", environment.cpu_model,
                      report::counted_text(static_cast<std::uint64_t>(environment.cores), "core"),
                      environment.kernel))},
      {"memory", fmt::format("{:.1f} GiB; {} of {} hugepages free",
                             static_cast<double>(environment.memory_bytes) / (1 << 30),
                             environment.hugepages.free, environment.hugepages.total)},
      {"load at the start", fmt::format("{:.2f}", environment.load)}};
  rows.insert(rows.end(), more.begin(), more.end());
  const char* heading = role == HostRole::Measured
                            ? "<h2>Where it was measured</h2>\n"
                            : "<h2>The host that simulated</h2>\n<p class=\"soft\">It changes how "
                              "long the simulation takes, and none of the figures.</p>\n";
  return heading + html_table({"", ""}, rows);
}

Json latency_line(const std::string& name, const model::Histogram& latency_ns) {
  constexpr std::int64_t kPoints = 200;
  Json us = Json::array(), shares = Json::array();
  std::int64_t last = -1;
  for (std::int64_t i = 1; i <= kPoints; ++i) {
    const std::int64_t end = latency_ns.quantile(i, kPoints);
    const double share = static_cast<double>(i) / kPoints;
    if (end == last) {
      shares.back() = share;
      continue;
    }
    us.push_back(static_cast<double>(std::max<std::int64_t>(end, 1)) / 1000);
    shares.push_back(share);
    last = end;
  }
  return {{"name", name}, {"us", std::move(us)}, {"shares", std::move(shares)}};
}

std::string chart(const char* kind, std::size_t index) {
  return fmt::format("<div class=\"chart\" data-chart=\"{}\" data-index=\"{}\"></div>\n", kind,
                     index);
}

}  // namespace overlane::pages

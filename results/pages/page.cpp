#include "results/pages/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/one_line.h"

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

/// JSON that does not end the script element that it is in.
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
      // Nothing is loaded, whatever a name from an input tries.
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

}  // namespace overlane::pages

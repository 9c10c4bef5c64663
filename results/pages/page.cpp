#include "results/pages/page.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/report/formats/svg.h"
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

namespace {

using answer::Align;
using answer::Cell;
using answer::Command;
using answer::Tone;

/// Prose, with code between backquotes.
std::string prose(std::string_view text) {
  std::string html;
  for (const answer::Span& span : answer::spans_of(text))
    html +=
        span.is_code ? fmt::format("<code>{}</code>", html_text(span.text)) : html_text(span.text);
  return html;
}

/// ` class="bad"`, or nothing.
std::string class_of(Tone tone, std::string_view more = "") {
  std::string names(more);
  if (tone != Tone::Plain) names += fmt::format("{}{}", names.empty() ? "" : " ", to_string(tone));
  return names.empty() ? "" : fmt::format(" class=\"{}\"", names);
}

/// A shell command, line by line: html_text() would escape the line breaks.
std::string commands(const std::vector<Command>& commands) {
  if (commands.empty()) return "";
  std::string lines;
  const std::string* cluster = nullptr;
  for (const Command& command : commands) {
    if (!command.cluster.empty() && (cluster == nullptr || *cluster != command.cluster))
      lines += "# " + html_text(command.cluster) + '\n';
    cluster = &command.cluster;
    std::string_view rest = command.text;
    while (true) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      lines += html_text(rest.substr(0, end)) + '\n';
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
  }
  lines.pop_back();
  return fmt::format("<pre><code>{}</code></pre>\n", lines);
}

struct HtmlRenderer {
  std::string operator()(const answer::VerdictLine& verdict) const {
    return fmt::format("<p><span class=\"verdict {}\">{}</span> {}</p>\n", to_string(verdict.tone),
                       prose(verdict.word), prose(verdict.text));
  }

  std::string operator()(const answer::Paragraph& paragraph) const {
    const std::string label = report::capitalised(prose(paragraph.label));
    return fmt::format(
        "<p{}>{}{}</p>\n", class_of(Tone::Plain, paragraph.tone == Tone::Plain ? "" : "remark"),
        label.empty() ? "" : fmt::format("<b{}>{}</b>: ", class_of(paragraph.tone), label),
        prose(paragraph.text));
  }

  std::string operator()(const answer::Facts& facts) const {
    std::string html = "<div class=\"wide\"><table><tbody>\n";
    for (const answer::Fact& fact : facts.facts)
      html +=
          fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", prose(fact.label), prose(fact.value));
    return html + "</tbody></table></div>\n";
  }

  std::string operator()(const answer::List& list) const {
    std::string html = "<ul>\n";
    for (const std::string& item : list.items)
      html += fmt::format("<li>{}</li>\n", prose(item));
    return html + "</ul>\n";
  }

  std::string operator()(const answer::Verbatim& verbatim) const {
    std::string lines;
    for (const std::string& line : verbatim.lines)
      lines += html_text(line) + '\n';
    return fmt::format("<pre>{}</pre>\n", lines);
  }

  std::string operator()(const answer::Table& table) const {
    if (table.rows.empty()) return "";
    std::string html =
        fmt::format("<div class=\"wide\"><table><thead><tr><th>{}</th>", prose(table.title));
    for (const answer::Column& column : table.columns)
      html += fmt::format("<th{}>{}</th>", column.align == Align::Right ? " class=\"figure\"" : "",
                          prose(column.name));
    html += "</tr></thead><tbody>\n";
    for (const answer::TableRow& row : table.rows) {
      if (row.cells.empty()) {
        html += fmt::format("<tr><th colspan=\"{}\">{}</th></tr>\n", table.columns.size() + 1,
                            prose(row.label));
        continue;
      }
      html += fmt::format("<tr{}><td>{}</td>",
                          row.explanation.empty() ? "" : " class=\"explained\"", prose(row.label));
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        html += cell(row.cells[i], table.columns[i].align);
      html += "</tr>\n";
      if (!row.explanation.empty())
        html += fmt::format("<tr class=\"soft\"><td colspan=\"{}\">{}</td></tr>\n",
                            table.columns.size() + 1, prose(row.explanation));
    }
    return html + "</tbody></table></div>\n";
  }

  std::string operator()(const answer::Commands& block) const { return commands(block.commands); }

  std::string operator()(const answer::Steps& steps) const {
    std::string html = "<ol>\n";
    for (const answer::Step& step : steps.steps) {
      html += fmt::format("<li>{}\n{}", prose(step.action), commands(step.commands));
      if (!step.wait_for.empty())
        html += fmt::format("<p class=\"soft\">Go on when {}.</p>\n", prose(step.wait_for));
      html += commands(step.wait_commands);
      if (!step.undo.empty())
        html += fmt::format("<p class=\"soft\">To go back: {}</p>\n", prose(step.undo));
      html += commands(step.undo_commands) + "</li>\n";
    }
    return html + "</ol>\n";
  }

  std::string operator()(const answer::Chart& chart) const {
    // A separate SVG file begins with an XML declaration, which HTML must not contain.
    const std::string svg = report::chart_svg(chart);
    return fmt::format("<div class=\"wide\">{}</div>\n",
                       svg.substr(std::min(svg.find("<svg"), svg.size())));
  }

 private:
  static std::string cell(const Cell& cell, Align align) {
    constexpr double kMaxShade = 60;  // Percent: the text stays readable.
    const std::string shade =
        cell.share > 0 ? fmt::format(
                             " style=\"background:color-mix(in srgb, var(--bad) {:.0f}%, "
                             "transparent)\"",
                             kMaxShade * std::min(cell.share, 1.0))
                       : "";
    return fmt::format("<td{}{}>{}</td>",
                       class_of(cell.tone, align == Align::Right ? "figure" : ""), shade,
                       prose(cell.text.empty() ? answer::kNoValue : std::string_view(cell.text)));
  }
};

}  // namespace

std::string section_html(const answer::Section& section) {
  std::string html;
  for (const answer::Block& block : section.blocks)
    html += std::visit(HtmlRenderer(), block);
  const std::string heading = prose(report::capitalised(section.heading));
  if (section.detail != answer::Detail::Always)
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", heading, html);
  return heading.empty() ? html : fmt::format("<h2>{}</h2>\n{}", heading, html);
}

std::string document_page(const answer::Document& document) {
  std::string body = fmt::format("<h1>{}</h1>\n", prose(document.title));
  for (const answer::Section& section : document.sections)
    body += section_html(section);
  return html_page(document.title, body, nlohmann::ordered_json::object());
}

}  // namespace overlane::pages

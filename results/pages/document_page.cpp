#include "results/pages/document_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/pages/page.h"
#include "results/report/formats/svg.h"
#include "results/report/text.h"

namespace overlane::pages {
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

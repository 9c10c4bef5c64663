#include "results/pages/page.h"

#include <algorithm>
#include <array>
#include <cassert>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/pages/replay.h"
#include "results/pages/variant_colours.h"
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

std::string html_table(std::string_view caption, const std::vector<std::string>& headings,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string html =
      fmt::format("<div class=\"wide\"><table><caption class=\"hidden\">{}</caption>\n<thead><tr>",
                  html_text(caption));
  for (const std::string& heading : headings)
    html += heading.empty() ? std::string("<td></td>")
                            : fmt::format("<th scope=\"col\">{}</th>", heading);
  html += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (const std::string& cell : row)
      html += &cell == &row.front() ? fmt::format("<th scope=\"row\">{}</th>", cell)
                                    : fmt::format("<td>{}</td>", cell);
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string html_page(std::string_view title, std::string_view header, std::string_view body,
                      const nlohmann::ordered_json& data) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      // Forbids to load anything, even if a name from an input contained markup.
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n";
  page += fmt::format("<title>{}</title>\n", html_text(title));
  const bool has_charts = body.find("data-chart=") != body.npos;
  if (has_charts) page += fmt::format("<style>{}</style>\n", file("uPlot.min.css"));
  page += fmt::format("<style>{}{}</style>\n", file("page.css"), variant_styles());
  page += fmt::format(
      "</head><body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
      "<header>\n{}</header>\n<main id=\"main\">\n{}</main>\n",
      header, body);
  page +=
      fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", script_text(data));
  if (has_charts)
    page += fmt::format("<!-- uPlot is under the MIT License. {} -->\n<script>{}</script>\n",
                        file("uPlot-LICENSE"), file("uPlot.iife.min.js"));
  page += fmt::format("<script>{}</script>\n", file("page.js"));
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
                             environment.hugepages.free, environment.hugepages.total)}};
  if (role == HostRole::Measured)
    rows.push_back({"load at the start", fmt::format("{:.2f}", environment.load)});
  rows.insert(rows.end(), more.begin(), more.end());
  const std::string_view heading =
      role == HostRole::Measured ? "Where it was measured" : "The host that simulated";
  return fmt::format("<details><summary>{}</summary>\n{}{}</details>\n", heading,
                     role == HostRole::Measured
                         ? ""
                         : "<p class=\"soft\">It changes how long the simulation takes, and none "
                           "of the figures.</p>\n",
                     html_table(heading, {"part", "value"}, rows));
}

namespace {

/// Shares, in millionths, at which a latency chart has points: denser towards the slowest packets.
std::vector<std::int64_t> latency_shares() {
  std::vector<std::int64_t> shares;
  for (std::int64_t share = 0; share < 900'000; share += 20'000)
    shares.push_back(share);
  for (std::int64_t share = 900'000; share < 990'000; share += 2'500)
    shares.push_back(share);
  for (std::int64_t share = 990'000; share < 999'000; share += 250)
    shares.push_back(share);
  for (std::int64_t share = 999'000; share <= 999'900; share += 25)
    shares.push_back(share);
  return shares;
}

struct Percentile {
  const char* name;
  std::int64_t ppm;
};
constexpr std::array kPercentiles = {Percentile{"50 %", 500'000}, Percentile{"90 %", 900'000},
                                     Percentile{"99 %", 990'000}, Percentile{"99.9 %", 999'000}};

/// The latency that `ppm` millionths of the packets do not exceed.
std::int64_t quantile(const model::Histogram& latency_ns, std::int64_t ppm) {
  return std::max<std::int64_t>(latency_ns.quantile(std::max<std::int64_t>(ppm, 1), 1'000'000), 1);
}

}  // namespace

Json latency_line(const std::string& name, std::size_t number, const model::Histogram& latency_ns) {
  Json us = Json::array(), shares = Json::array();
  // With fewer packets, the last shares are of no packet.
  const std::int64_t last = 1'000'000 - 1'000'000 / std::max<std::int64_t>(latency_ns.count(), 2);
  for (const std::int64_t share : latency_shares()) {
    if (share > last) break;
    us.push_back(static_cast<double>(quantile(latency_ns, share)) / 1000);
    shares.push_back(static_cast<double>(share) / 1e6);
  }
  return {{"name", name}, {"slot", number}, {"us", std::move(us)}, {"shares", std::move(shares)}};
}

std::string latency_table(std::string_view caption, const std::vector<LatencyRow>& rows) {
  std::vector<std::string> headings{"variant"};
  for (const Percentile& one : kPercentiles)
    headings.emplace_back(one.name);
  headings.emplace_back("longest");
  std::vector<std::vector<std::string>> cells;
  for (const LatencyRow& row : rows) {
    std::vector<std::string> line{swatch(row.number) + html_text(row.name)};
    for (const Percentile& one : kPercentiles)
      line.push_back(report::duration_text(quantile(*row.latency_ns, one.ppm)));
    line.push_back(report::duration_text(quantile(*row.latency_ns, 1'000'000)));
    cells.push_back(std::move(line));
  }
  return html_table(caption, headings, cells);
}

std::string embedded_svg(std::string_view svg) {
  // A separate SVG file begins with an XML declaration, which HTML must not contain.
  return fmt::format("<div class=\"wide\">{}</div>\n",
                     svg.substr(std::min(svg.find("<svg"), svg.size())));
}

std::string swatch(std::size_t number) {
  const std::string_view dash = kVariantColours[number].dash;
  return fmt::format(
      "<svg class=\"key v{}\" viewBox=\"0 0 26 8\" aria-hidden=\"true\"><line x1=\"0\" y1=\"4\" "
      "x2=\"26\" y2=\"4\"{}/></svg>",
      number, dash.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

std::string legend(const std::vector<std::pair<std::string, std::size_t>>& names) {
  std::string html = "<ul class=\"legend\">";
  for (const auto& [name, number] : names)
    html += fmt::format("<li>{}{}</li>", swatch(number), html_text(name));
  return html + "</ul>\n";
}

std::string chart(const char* kind, std::size_t index, std::string_view caption,
                  std::string_view below) {
  return fmt::format(
      "<figure><figcaption>{}</figcaption><div class=\"chart\" data-chart=\"{}\" "
      "data-index=\"{}\" aria-hidden=\"true\"></div><p class=\"note\" aria-hidden=\"true\"></p>{}"
      "</figure>\n",
      html_text(caption), kind, index, below);
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
  // Long lines scroll, because a break inside an option would be typed; the keyboard scrolls what
  // has the focus.
  return fmt::format("<pre class=\"commands\" tabindex=\"0\"><code>{}</code></pre>\n", lines);
}

struct HtmlRenderer {
  std::string operator()(const answer::VerdictLine& verdict) const {
    if (verdict.badge.empty())
      return fmt::format("<p><span class=\"verdict {}\">{}</span> {}</p>\n",
                         to_string(verdict.tone), prose(verdict.word), prose(verdict.text));
    return fmt::format("<p><span class=\"verdict {}\">{}</span></p>\n<p><b>{}</b></p>\n{}",
                       to_string(verdict.tone), prose(verdict.badge), prose(verdict.word),
                       verdict.text.empty() ? "" : fmt::format("<p>{}</p>\n", prose(verdict.text)));
  }

  std::string operator()(const answer::Paragraph& paragraph) const {
    if (paragraph.label == "result")
      return fmt::format("<p><span class=\"verdict {}\">{}: {}</span></p>\n",
                         to_string(paragraph.tone), report::capitalised(paragraph.label),
                         prose(paragraph.text));
    const std::string label = report::capitalised(prose(paragraph.label));
    return fmt::format(
        "<p{}>{}{}</p>\n", class_of(Tone::Plain, paragraph.tone == Tone::Plain ? "" : "remark"),
        label.empty() ? "" : fmt::format("<b{}>{}</b>: ", class_of(paragraph.tone), label),
        prose(paragraph.text));
  }

  std::string operator()(const answer::Facts& facts) const {
    std::string html = "<div class=\"wide\"><table>" + caption() + "<tbody>\n";
    for (const answer::Fact& fact : facts.facts)
      html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", prose(fact.label),
                          prose(fact.value));
    return fold(facts.facts.size(), html + "</tbody></table></div>\n");
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
    std::string html = "<div class=\"wide\"><table>" + caption() + "<thead><tr>";
    html += table.title.empty() ? std::string("<td></td>")
                                : fmt::format("<th scope=\"col\">{}</th>", prose(table.title));
    for (const answer::Column& column : table.columns)
      html +=
          fmt::format("<th scope=\"col\"{}>{}</th>",
                      column.align == Align::Right ? " class=\"figure\"" : "", prose(column.name));
    html += "</tr></thead><tbody>\n";
    for (const answer::TableRow& row : table.rows) {
      if (row.cells.empty()) {
        html += fmt::format("<tr><th scope=\"colgroup\" colspan=\"{}\">{}</th></tr>\n",
                            table.columns.size() + 1, prose(row.label));
        continue;
      }
      html += fmt::format("<tr{}><th scope=\"row\">{}</th>",
                          row.explanation.empty() ? "" : " class=\"explained\"", prose(row.label));
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        html += cell(row.cells[i], table.columns[i].align);
      html += "</tr>\n";
      if (!row.explanation.empty())
        html += fmt::format("<tr class=\"soft\"><td colspan=\"{}\">{}</td></tr>\n",
                            table.columns.size() + 1, prose(row.explanation));
    }
    return fold(table.rows.size(), html + "</tbody></table></div>\n");
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
    return embedded_svg(report::chart_svg(chart));
  }

  std::string heading;  ///< HTML: of the section, for captions.
  bool is_folded = false;

 private:
  std::string caption() const {
    return heading.empty() ? "" : fmt::format("<caption class=\"hidden\">{}</caption>\n", heading);
  }

  /// Folds a table with many rows, unless its section is folded already.
  std::string fold(std::size_t rows, std::string table) const {
    constexpr std::size_t kMaxOpenRows = 30;
    if (is_folded || rows <= kMaxOpenRows) return table;
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                       report::counted_text(rows, "row"), table);
  }

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
  const std::string heading = prose(report::capitalised(section.heading));
  const bool is_folded = section.detail != answer::Detail::Always;
  const HtmlRenderer renderer{.heading = heading, .is_folded = is_folded};
  std::string html;
  for (const answer::Block& block : section.blocks)
    html += std::visit(renderer, block);
  if (is_folded)
    return fmt::format("<details><summary>{}</summary>\n{}</details>\n", heading, html);
  return heading.empty() ? html
                         : fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", heading, html);
}

std::string page_header(std::string_view title, const answer::Overview& overview,
                        std::string_view verdict) {
  std::string html = fmt::format("<h1>{}</h1>\n", prose(title));
  if (!overview.origin.empty() || !overview.subject.empty())
    html += fmt::format("<p class=\"about\"><span class=\"origin\">{}</span> {}</p>\n",
                        prose(overview.origin), prose(overview.subject));
  html += verdict;
  if (overview.highlights.empty()) return html;
  assert(overview.highlights.size() <= answer::kMaxHighlights);
  constexpr std::size_t kMaxShort = 70;  // Longer texts are set in smaller letters.
  html += "<dl class=\"highlights\">\n";
  for (const answer::Fact& fact : overview.highlights)
    html += fmt::format("<div><dt>{}</dt><dd{}>{}</dd></div>\n", prose(fact.label),
                        fact.value.size() > kMaxShort ? " class=\"long\"" : "", prose(fact.value));
  return html + "</dl>\n";
}

namespace {

/// Whether a page shows the block in its header: the verdict, or the result of a check.
bool is_verdict(const answer::Block& block) {
  const auto* paragraph = std::get_if<answer::Paragraph>(&block);
  return std::holds_alternative<answer::VerdictLine>(block) ||
         (paragraph != nullptr && paragraph->label == "result");
}

}  // namespace

std::string document_page(const answer::Document& document, const PagePictures& pictures) {
  std::string verdict, body;
  std::vector<answer::Section> sections = document.sections;
  if (!sections.empty() && !sections.front().blocks.empty() &&
      is_verdict(sections.front().blocks.front())) {
    std::vector<answer::Block>& blocks = sections.front().blocks;
    // The header has the subject of the document already.
    auto* line = std::get_if<answer::VerdictLine>(&blocks.front());
    if (line != nullptr && line->text == document.overview.subject) line->text.clear();
    verdict = std::visit(HtmlRenderer(), blocks.front());
    blocks.erase(blocks.begin());
  }
  for (const answer::Section& section : sections) {
    body += section_html(section);
    if (&section != &sections.front()) continue;
    if (pictures.replay != nullptr) body += replay_html(*pictures.replay);
    if (!pictures.svg.empty()) body += embedded_svg(pictures.svg);
  }
  nlohmann::ordered_json data = nlohmann::ordered_json::object();
  if (pictures.replay != nullptr) data["replay"] = replay_data(*pictures.replay);
  return html_page(document.title, page_header(document.title, document.overview, verdict), body,
                   data);
}

}  // namespace overlane::pages

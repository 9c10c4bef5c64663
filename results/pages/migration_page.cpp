#include "results/pages/migration_page.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/pages/page.h"
#include "results/report/text.h"

namespace overlane::pages {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? html_text(found->get<std::string>()) : "";
}

std::string dataplane(const Json& json) {
  return fmt::format("{}, {}, pods' MTU {}", text_of(json, "mode"), text_of(json, "encapsulation"),
                     json.at("pod_mtu").get<std::int64_t>());
}

std::string head(const Json& document) {
  const std::string verdict = text_of(document, "verdict");
  std::string html = fmt::format(
      "<h1>{}</h1>\n<p><span class=\"verdict {}\">{}</span> {} → {}</p>\n"
      "<p class=\"soft\">{}, {} nodes; recommended strategy: {}</p>\n",
      text_of(document, "shoot"), verdict == "go" ? "clean" : "regression", verdict,
      dataplane(document.at("from")), dataplane(document.at("to")), text_of(document, "provider"),
      document.at("nodes").get<std::int64_t>(), text_of(document, "recommended"));
  for (const Json& blocker : document.at("blockers"))
    html +=
        fmt::format("<p class=\"worse\">{}</p>\n",
                    html_text(blocker.is_string() ? blocker.get<std::string>() : blocker.dump()));
  return html;
}

std::string steps(const Json& document) {
  std::string html = "<h2>What to do</h2>\n<ol>\n";
  for (const Json& step : document.at("steps")) {
    html += fmt::format("<li>{}\n", text_of(step, "action"));
    for (const Json& command : step.at("commands"))
      html += fmt::format("<pre><code>{}</code></pre>\n", html_text(command.get<std::string>()));
    if (const std::string wait = text_of(step, "wait_for"); !wait.empty())
      html += fmt::format("<p class=\"soft\">Go on when {}.</p>\n", wait);
    html += "</li>\n";
  }
  html += "</ol>\n";
  std::vector<std::vector<std::string>> rows;
  for (const Json& one : document.at("leftovers"))
    rows.push_back({text_of(one, "what"), text_of(one, "remedy")});
  return rows.empty() ? html
                      : html + "<h2>What stays behind</h2>\n" + html_table({"", "remedy"}, rows);
}

std::string timeline(const Json& document) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& event : document.at("timeline"))
    rows.push_back({html_text(report::duration_text(event.at("at_ns").get<std::int64_t>())),
                    text_of(event, "component"), text_of(event, "what")});
  return fmt::format("<details><summary>What each component does: {}</summary>\n{}</details>\n",
                     report::counted_text(rows.size(), "line"),
                     html_table({"at", "component", ""}, rows));
}

/// The assumptions that move the outage, and by how much.
std::string assumptions(const Json& document) {
  const auto outage = [](const Json& range, const char* key) {
    const auto found = range.find(key);
    return found == range.end() || found->is_null()
               ? std::string("never over")
               : html_text(report::duration_text(found->get<std::int64_t>()));
  };
  std::vector<std::vector<std::string>> rows;
  for (const Json& one : document.at("assumptions")) {
    const auto range = one.find("longest_outage_ns");
    const bool moves = range != one.end() && range->is_object();
    rows.push_back({text_of(one, "parameter"), text_of(one, "value"), text_of(one, "range"),
                    moves ? outage(*range, "at_least") + " to " + outage(*range, "at_most") : "",
                    text_of(one, "source")});
  }
  return "<h2>Least certain first</h2>\n" +
         html_table({"assumption", "value", "range", "longest outage over the range", "source"},
                    rows);
}

}  // namespace

std::string outage_heat_map(const Json& migration) {
  std::vector<std::string> headings{"strategy", "verdict"};
  std::vector<std::vector<std::string>> rows;
  double longest = 1;
  const auto seconds = [](const Json& outage) {
    return outage.at("longest_outage_ns").at("median").get<double>() / 1e9;
  };
  for (const Json& strategy : migration.at("strategies"))
    for (const Json& outage : strategy.at("outages"))
      longest = std::max(longest, seconds(outage));
  for (const Json& strategy : migration.at("strategies")) {
    std::vector<std::string> row{html_text(strategy.value("name", "")),
                                 html_text(strategy.value("verdict", ""))};
    for (const Json& outage : strategy.at("outages")) {
      if (rows.empty())
        headings.push_back(html_text(outage.value("connections_between_nodes", "")));
      const bool lasts = outage.value("lasting", 0) > 0;
      const double share = lasts ? 1 : seconds(outage) / longest;
      row.push_back(
          fmt::format("<span style=\"display:block;text-align:right;background:"
                      "color-mix(in srgb, var(--bad) {:.0f}%, transparent)\">{}</span>",
                      60 * share, lasts ? "lasts" : fmt::format("{:.1f} s", seconds(outage))));
    }
    rows.push_back(std::move(row));
  }
  return html_table(headings, rows);
}

std::string migration_page(const Json& document, std::string_view picture) {
  // An SVG of its own has a declaration that HTML does not.
  const std::size_t svg = std::min(picture.find("<svg"), picture.size());
  const std::string body =
      head(document) +
      "<h2>Strategies</h2>\n<p class=\"soft\">The longest outage of connections between nodes, in "
      "the median run.</p>\n" +
      outage_heat_map(document) + "<h2>Over time</h2>\n<div class=\"picture\">" +
      std::string(picture.substr(svg)) + "</div>\n" + timeline(document) + steps(document) +
      assumptions(document);
  return html_page(text_of(document, "shoot"), body, Json::object());
}

}  // namespace overlane::pages

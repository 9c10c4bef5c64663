#include "results/pages/replay.h"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/pages/page.h"
#include "results/report/formats/svg.h"

namespace overlane::pages {

using Json = nlohmann::ordered_json;

namespace {

/// Numbers texts in order of first occurrence.
class TextNumbers {
 public:
  std::size_t of(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

Json end_of(std::int64_t end) {
  return end == kReplayEnd ? Json(nullptr) : Json(end);
}

constexpr std::string_view kElements = R"html(<div class="replay" id="replay" hidden>
<p class="picker"><label>strategy <select id="replay-course">{}</select></label></p>
<div class="wide" id="replay-chart"></div>
<div class="picker"><button type="button" id="replay-back">◀ previous change</button>
<input type="range" id="replay-time" min="0" step="1" aria-label="time">
<button type="button" id="replay-on">next change ▶</button></div>
<p id="replay-summary" aria-live="polite"></p>
<div class="columns">
<div><h3>Steps of the components</h3>
<ul class="steps" id="replay-steps" aria-label="steps of the components"></ul></div>
<div><h3>Interrupted pairs of nodes</h3>
<div class="wide" id="replay-pairs"></div></div>
</div>
<h3>What this step changes</h3>
<pre class="state" id="replay-diff"></pre>
<h3>State and routes after it</h3>
<p class="picker"><label>of <select id="replay-state"></select></label>
<label><input type="checkbox" id="replay-routes" checked> routes only</label></p>
<pre class="state" id="replay-lines"></pre>
<ul class="soft" id="replay-left-out"></ul>
</div>
)html";

}  // namespace

std::string replay_html(const Replay& replay) {
  std::string options;
  for (std::size_t i = 0; i < replay.courses.size(); ++i)
    options += fmt::format("<option value=\"{}\"{}>{}</option>", i,
                           i == replay.first ? " selected" : "", html_text(replay.courses[i].name));
  return fmt::format("<section>\n<h2>Over time</h2>\n{}{}</section>\n",
                     embedded_svg(report::chart_svg(replay.overview)),
                     fmt::format(fmt::runtime(kElements), options));
}

Json replay_data(const Replay& replay) {
  TextNumbers texts;
  Json courses = Json::array();
  for (const ReplayCourse& course : replay.courses) {
    Json steps = Json::array(), outages = Json::array(), states = Json::array();
    for (const ReplayStep& step : course.steps)
      steps.push_back({step.at, texts.of(step.actor), texts.of(step.what)});
    for (const ReplayOutage& one : course.outages)
      outages.push_back({one.from, one.to, one.begin, end_of(one.end), texts.of(one.reason)});
    for (const ReplayState& state : course.states) {
      Json lines = Json::array();
      for (const ReplayLine& line : state.lines) {
        Json encoded = Json::array({texts.of(line.text)});
        for (const auto& [begin, end] : line.present) {
          encoded.push_back(begin);
          encoded.push_back(end_of(end));
        }
        lines.push_back(std::move(encoded));
      }
      states.push_back({{"name", state.name}, {"lines", std::move(lines)}});
    }
    courses.push_back({{"name", course.name},
                       {"title", course.chart_title},
                       {"end", course.end},
                       {"steps", std::move(steps)},
                       {"outages", std::move(outages)},
                       {"states", std::move(states)},
                       {"left_out", course.left_out}});
  }
  return {{"nodes", replay.nodes}, {"courses", std::move(courses)}, {"texts", texts.take()}};
}

}  // namespace overlane::pages

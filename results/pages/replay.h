#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/answer/document.h"

namespace overlane::pages {

// The course of a switch as an interactive part of a page: the reader moves through time and sees
// the steps of the components, the interrupted pairs of nodes, the states, and what a step changed
// in them. A replay is an addition to a Document, which has all facts and a chart of each course;
// without its script, a page has the overview only. Times are milliseconds, which is also the
// resolution of the slider.

/// End of what lasts until the end of the course.
inline constexpr std::int64_t kReplayEnd = std::numeric_limits<std::int64_t>::max();

/// A line of a state, and the half-open intervals in which the state has it.
struct ReplayLine {
  std::string text;
  std::vector<std::pair<std::int64_t, std::int64_t>> present;
};

/// The state of one node, or of the network between nodes. The lines are in the order of its text.
struct ReplayState {
  std::string name;
  std::vector<ReplayLine> lines;
};

struct ReplayStep {
  std::int64_t at = 0;
  std::string actor;
  std::string what;
};

/// A time in which packets between two nodes (indexes in Replay::nodes) do not arrive.
struct ReplayOutage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int64_t begin = 0;
  std::int64_t end = kReplayEnd;
  std::string reason;
};

/// One course, such as that of one strategy.
struct ReplayCourse {
  std::string name;
  std::string chart_title;  ///< answer::Chart::title of the course in the document.
  std::int64_t end = 1;
  std::vector<ReplayStep> steps;      ///< By time.
  std::vector<ReplayOutage> outages;  ///< By begin.
  std::vector<ReplayState> states;
  std::vector<std::string> left_out;  ///< What the page does not have, as sentences.
};

struct Replay {
  answer::Chart overview;  ///< A row for each course, on one time axis.
  std::vector<std::string> nodes;
  std::vector<ReplayCourse> courses;
  std::size_t first = 0;  ///< Index of the course that is shown first.
};

/// The elements of a replay, for page.js.
std::string replay_html(const Replay& replay);

/// The data of a replay: entry "replay" of html_page()'s `data`. Each text is in it once.
nlohmann::ordered_json replay_data(const Replay& replay);

}  // namespace overlane::pages

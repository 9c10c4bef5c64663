#include "topologies/path/without.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataplane/node/text/state_diff.h"
#include "topologies/document/fields/spelling.h"
#include "topologies/path/state_entries.h"

namespace overlane::path {
namespace {

using compile::Compiled;
using node::FabricState;
using node::NodeState;

constexpr std::string_view kVpc = "vpc";

/// A whole line, or its beginning up to a colon or a space.
bool begins(const std::string& line, std::string_view text) {
  if (text.empty() || !line.starts_with(text)) return false;
  const char next = line.size() == text.size() ? '\0' : line[text.size()];
  return next == '\0' || next == ':' || next == ' ';
}

/// A searched place.
struct Looked {
  std::vector<std::string> lines;  ///< Its removable lines.
  std::vector<std::size_t> found;
};

template <typename State>
Looked look(const std::vector<Entry<State>>& entries, std::string_view text) {
  Looked looked;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    looked.lines.push_back(entries[i].line);
    if (begins(entries[i].line, text)) looked.found.push_back(i);
  }
  // A line that equals the text is preferred to those that only begin with it.
  const auto whole = std::ranges::find(looked.lines, text);
  if (whole != looked.lines.end()) {
    looked.found = {static_cast<std::size_t>(whole - looked.lines.begin())};
  }
  return looked;
}

tl::unexpected<Finding> refuse(std::string message, std::string hint) {
  return fail(Finding{.rule = "no-such-entry",
                      .severity = Severity::Error,
                      .message = std::move(message),
                      .hint = std::move(hint)});
}

tl::unexpected<Finding> ambiguous(std::string_view text, std::string_view place,
                                  const Looked& looked) {
  std::vector<std::string> lines;
  for (const std::size_t i : looked.found)
    lines.push_back("'" + looked.lines[i] + "'");
  return refuse(
      fmt::format("\"{}\" is the beginning of {} entries of {}", text, looked.found.size(), place),
      fmt::format("say which: {}", fmt::join(lines, ", ")));
}

std::string closest(std::string_view text, const std::vector<std::string>& lines) {
  std::size_t best = std::string::npos;
  std::string found;
  for (const std::string& line : lines) {
    // A prefix of a line counts as the line.
    const std::size_t distance =
        std::min(document::edit_distance(text, line),
                 document::edit_distance(text, std::string_view(line).substr(0, text.size())) + 1);
    if (distance >= best) continue;
    best = distance;
    found = line;
  }
  return found;
}

/// "node-2: " or "vpc: ".
std::optional<std::string> place_in_front(const Compiled& states, std::string_view entry) {
  const std::string_view name = entry.substr(0, entry.find(": "));
  const auto is_called = [=](const NodeState& state) { return state.member().name == name; };
  const bool is_place = name == kVpc || std::ranges::any_of(states.nodes, is_called);
  return is_place && name.size() < entry.size() ? std::optional(std::string(name)) : std::nullopt;
}

std::vector<Change> changes(std::string_view place, const std::string& diff) {
  std::vector<Change> changes;
  std::istringstream lines(diff);
  for (std::string line; std::getline(lines, line);)
    changes.push_back({std::string(place), line});
  return changes;
}

template <typename State, typename Editor>
std::vector<Change> apply(State& state, std::string_view place, const Entry<Editor>& entry) {
  const State before = state;
  Editor editor(state);
  entry.take_out(editor);
  return changes(place, node::diff(before, state));
}

}  // namespace

Result<std::vector<Change>> take_out(Compiled& states, std::string_view entry,
                                     const std::vector<std::string>& places) {
  std::vector<std::string> order = places;
  std::string_view text = entry;
  if (const auto place = place_in_front(states, entry)) {
    text = entry.substr(place->size() + 2);
    order = {*place};
  }
  std::vector<std::string> all;
  for (const std::string& place : order) {
    const auto node = std::ranges::find(states.nodes, place,
                                        [](const NodeState& state) { return state.member().name; });
    const bool is_node = node != states.nodes.end();
    const auto of_node = is_node ? entries_of(*node) : NodeEntries{};
    const auto of_vpc = is_node ? FabricEntries{} : entries_of(states.fabric);
    const Looked looked = is_node ? look(of_node, text) : look(of_vpc, text);
    if (looked.found.size() > 1) return ambiguous(text, place, looked);
    if (looked.found.size() == 1) {
      const std::size_t at = looked.found.front();
      return is_node ? apply(*node, place, of_node[at]) : apply(states.fabric, place, of_vpc[at]);
    }
    all.insert(all.end(), looked.lines.begin(), looked.lines.end());
  }
  return refuse(
      fmt::format("\"{}\" is no entry of {} that can be taken out", text, fmt::join(order, " or ")),
      fmt::format("the closest is '{}'", closest(text, all)));
}

}  // namespace overlane::path

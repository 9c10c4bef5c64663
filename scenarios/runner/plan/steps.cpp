#include "scenarios/runner/plan/steps.h"

#include <sstream>

#include <fmt/format.h>

#include "dataplane/node/text/state_diff.h"

namespace overlane::runner {
namespace {

void add_lines(const std::string& where, const std::string& diff, std::vector<std::string>& lines) {
  std::istringstream text(diff);
  for (std::string line; std::getline(text, line);)
    lines.push_back(where + ' ' + line);
}

}  // namespace

std::vector<std::string> lines_of(const node::World& before, const node::World& after,
                                  const node::WorldChange& change) {
  std::vector<std::string> lines;
  const auto name = [&](std::uint32_t node) { return after.nodes[node].member().name; };
  const auto pod = [&](const node::PodPlace& place) {
    return fmt::format("pod {} of {}", place.address.to_string(), name(place.node));
  };
  for (const std::uint32_t node : change.stopped)
    lines.push_back(name(node) + " stops");
  for (const std::uint32_t node : change.started)
    lines.push_back(name(node) + " starts");
  for (const node::PodPlace& place : change.ended)
    lines.push_back(pod(place) + " ends");
  for (const auto& [former, now] : change.restarted)
    lines.push_back(former == now ? pod(now) + " is made again"
                                  : fmt::format("{} is made again as {}", pod(former), pod(now)));
  for (const auto& [node, of_node] : change.nodes)
    add_lines(name(node), diff(before.nodes[node], after.nodes[node]), lines);
  if (change.fabric.any()) add_lines("vpc", diff(before.fabric, after.fabric), lines);
  return lines;
}

}  // namespace overlane::runner

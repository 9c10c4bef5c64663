#include "scenarios/runner/measure/flow_choice.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

std::uint64_t flows_of(const run::TrafficGroup& group) {
  return group.pairs.size() * group.flows_per_pair;
}

/// The available flows: "bulk/0…3 (100.96.0.2->100.96.1.2, …), requests/0 (…)".
std::string what_there_is(const std::vector<run::TrafficGroup>& traffic) {
  std::string text;
  for (const run::TrafficGroup& group : traffic) {
    if (group.pairs.empty()) continue;
    const run::PodPair pair = group.pairs.front();
    const std::string last = flows_of(group) > 1 ? fmt::format("…{}", flows_of(group) - 1) : "";
    text += fmt::format("{}{}/0{} ({}->{}{})", text.empty() ? "" : ", ", group.name, last,
                        pair.source.address.to_string(), pair.destination.address.to_string(),
                        group.pairs.size() > 1 ? ", …" : "");
  }
  return text.empty() ? "no traffic has a flow" : "there are " + text;
}

tl::unexpected<Finding> unknown(const std::vector<run::TrafficGroup>& traffic,
                                const std::string& selector, std::string_view why) {
  return fail(Finding{.rule = "unknown-flow",
                      .severity = Severity::Error,
                      .message = fmt::format("--trace-flow {}: {}", selector, why),
                      .hint = what_there_is(traffic)});
}

std::optional<FlowName> between(const std::vector<run::TrafficGroup>& traffic, IpAddress from,
                                IpAddress to) {
  for (const run::TrafficGroup& group : traffic) {
    const auto pair = std::ranges::find_if(group.pairs, [&](const run::PodPair& one) {
      return one.source.address == from && one.destination.address == to;
    });
    if (pair == group.pairs.end()) continue;
    const auto position = static_cast<std::uint32_t>(pair - group.pairs.begin());
    return FlowName{group.name, position * group.flows_per_pair};
  }
  return std::nullopt;
}

}  // namespace

Result<FlowName> choose_flow(const std::vector<run::TrafficGroup>& traffic,
                             const std::string& selector) {
  if (const std::size_t arrow = selector.find("->"); arrow != std::string::npos) {
    const auto from = IpAddress::parse(selector.substr(0, arrow));
    const auto to = IpAddress::parse(selector.substr(arrow + 2));
    if (!from || !to) return unknown(traffic, selector, "that is not two pods' addresses");
    if (auto found = between(traffic, *from, *to)) return *std::move(found);
    return unknown(traffic, selector, "no flow goes from the one to the other");
  }
  const std::size_t slash = selector.rfind('/');
  const std::string name = selector.substr(0, slash);
  const auto group = std::ranges::find(traffic, name, &run::TrafficGroup::name);
  if (group == traffic.end()) return unknown(traffic, selector, "there is no such traffic");
  std::uint32_t number = 0;
  if (slash != std::string::npos) {
    const std::string_view digits = std::string_view(selector).substr(slash + 1);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size())
      return unknown(traffic, selector, "behind the slash stands the number of a flow");
  }
  if (number >= flows_of(*group)) return unknown(traffic, selector, "there is no such flow");
  return FlowName{name, number};
}

}  // namespace overlane::runner

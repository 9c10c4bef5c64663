#include "tools/overlane/migrate/phrases.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "scenarios/migration/observe/tcp_recovery.h"

namespace overlane::command {
namespace {

using migration::ClassResult;
using migration::Sensitivity;
using migration::Spread;
using migration::StrategyResult;

/// " (established TCP connections resume after at most 25.4 s)".
std::string tcp_text(Picos outage) {
  const auto stall = migration::tcp_stall(outage);
  if (!stall) return " (established TCP connections give up)";
  return fmt::format(" (established TCP connections resume after at most {})",
                     seconds_text(*stall));
}

std::string longest_cell(std::uint64_t affected, std::uint64_t lasting, Picos longest) {
  if (lasting > 0) return "never over";
  return affected == 0 ? "none" : seconds_text(longest);
}

}  // namespace

std::string seconds_text(Picos time) {
  return fmt::format("{:.1f} s", static_cast<double>(time.count) / 1e12);
}

std::string spread_text(const Spread& spread) {
  const std::string most = seconds_text(spread.most);
  const std::string least = seconds_text(spread.least);
  if (least == most) return most;
  return fmt::format("{} to {}", least.substr(0, least.size() - 2), most);
}

std::string switch_text(const migration::Loaded& loaded) {
  const migration::Transition& transition = loaded.transition;
  const auto mode = [&](const effective::EffectiveDataplane& shoot) {
    std::string text(migration::mode_name(shoot.dataplane));
    if (transition.changes_families())
      text += fmt::format(" {}", fmt::join(shoot.ip_families, " and "));
    return text;
  };
  return fmt::format("{}/{}: {} to {}, {} on {}{}", transition.before.namespace_,
                     transition.before.name, mode(transition.before), mode(transition.after),
                     report::counted_text(transition.nodes_at_start(), "node"),
                     transition.before.provider_name,
                     loaded.disturbance ? fmt::format(", {}", to_string(*loaded.disturbance)) : "");
}

std::string outage_cell(const ClassResult& of) {
  return longest_cell(of.affected, of.lasting, of.longest.most);
}

std::string outage_cell(const migration::TrafficResult& of) {
  if (of.ends && of.affected > 0) return "established end";
  return longest_cell(of.affected, of.lasting, of.longest);
}

std::string outages_text(const migration::Loaded& loaded, const StrategyResult& result) {
  std::vector<std::string> parts;
  std::vector<std::string> stops;
  Picos longest;
  for (const ClassResult& of : result.classes) {
    if (of.lasting > 0) {
      parts.push_back(fmt::format(
          "{} {} are never restored ({})", report::counted_text(of.lasting, "connection"),
          to_string(of.which), overlane::facts(of.lasting_reason.value()).meaning));
    } else if (of.affected > 0) {
      stops.push_back(fmt::format("{} {}", spread_text(of.longest), to_string(of.which)));
      longest = std::max(longest, of.longest.most);
    }
  }
  if (!stops.empty())
    parts.push_back(fmt::format("connections between nodes stop for {}{}",
                                fmt::join(stops, " and "), tcp_text(longest)));
  if (parts.empty()) parts.emplace_back("no connection between nodes is interrupted");
  for (const migration::TrafficResult& of : result.other_traffic) {
    if (of.affected == 0) continue;
    if (of.ends) parts.push_back(fmt::format("established {} end", of.name));
    if (of.is_possible_only)
      parts.push_back(
          fmt::format("{} may fail {}", of.name,
                      of.lasting > 0 ? "from then on" : "for " + seconds_text(of.longest)));
  }
  const migration::Transition& transition = loaded.transition;
  if (transition.changes_families() && !transition.becomes_dual_stack())
    parts.emplace_back("connections over IPv6 end");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string ends_text(const Sensitivity& parameter) {
  const auto text = [](Picos longest) {
    return longest == migration::kNever ? "never over" : seconds_text(longest);
  };
  return fmt::format("{} to {}", text(parameter.at_least), text(parameter.at_most));
}

std::span<const Sensitivity> least_certain(const migration::Evaluation& evaluation) {
  constexpr std::ptrdiff_t kMost = 3;
  const auto& all = evaluation.sensitivities;
  const auto end =
      std::ranges::find_if(all, [](const Sensitivity& one) { return one.effect().count == 0; });
  return {all.begin(),
          std::min(end, all.begin() + std::min<std::ptrdiff_t>(kMost, std::ssize(all)))};
}

}  // namespace overlane::command

#include "scenarios/migration/strategy_result.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "scenarios/migration/inputs/timing.h"

namespace overlane::migration {
namespace {

/// "fails", "may fail", "fail": the verb for the traffic's name.
std::string_view failing(const TrafficResult& of) {
  const bool is_plural = of.name.ends_with("queries") || of.name.ends_with("datagrams");
  return of.is_possible_only ? "may fail" : is_plural ? "fail" : "fails";
}

/// "from the switch on", "for 38.8 s".
std::string for_how_long(Picos outage) {
  return outage == kNever ? "from the switch on" : "for " + outage_text(outage);
}

/// Outages at worst that differ by less differ by chance.
constexpr Picos kNoticeable = seconds(10);

/// Texts such as "connections between 6 pairs of nodes across zones are never restored (…)". If no
/// pods are interrupted, the texts describe other traffic.
std::vector<std::string> outage_texts(const StrategyResult& result) {
  std::vector<std::string> parts;
  std::vector<std::string> stops;
  for (const ClassResult& of : result.classes) {
    if (of.lasting > 0) {
      parts.push_back(fmt::format("connections between {} of nodes {} are never restored ({})",
                                  counted(of.lasting, "pair"), to_string(of.which),
                                  overlane::facts(of.lasting_reason.value()).meaning));
    } else if (of.affected > 0) {
      stops.push_back(fmt::format("{} {}", outage_text(of.longest.max), to_string(of.which)));
    }
  }
  if (!stops.empty())
    parts.push_back(
        fmt::format("connections between nodes stop for up to {}", fmt::join(stops, " and ")));
  if (!parts.empty()) return parts;
  for (const TrafficResult& of : result.other_traffic)
    if (of.lasting > 0 && !of.is_possible_only)
      parts.push_back(fmt::format("{}: never restored", of.name));
  return parts;
}

/// The outages that `--max-outage` accepts; empty if there are none.
std::string accepted_outages(const StrategyResult& result) {
  const Picos longest = result.accepted_outage();
  return longest == Picos{} ? "" : fmt::format("outages of up to {}", outage_text(longest));
}

}  // namespace

std::string impact_text(const TrafficResult& of) {
  if (of.affected == 0)
    return of.ends ? fmt::format("established {} end if assumptions do not hold", of.name)
                   : fmt::format("{} {} {} if assumptions do not hold", of.name, failing(of),
                                 for_how_long(of.longest_at_worst));
  if (of.ends) return fmt::format("established {} end", of.name);
  std::string text =
      fmt::format("{} {} {}", of.name, failing(of), for_how_long(of.longest_or_never()));
  if (of.longest_at_worst > of.longest_or_never())
    text += fmt::format(", at worst {}", of.longest_at_worst == kNever
                                             ? "from the switch on"
                                             : outage_text(of.longest_at_worst));
  return text;
}

std::string reason_of(const StrategyResult& result) {
  const auto joined = [](const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, "; "));
  };
  switch (result.verdict) {
    case MigrationVerdict::NoGo:
      return result.lasting() == 0 && !result.blockers.empty() ? result.blockers.front()
                                                               : joined(outage_texts(result));
    case MigrationVerdict::Unknown:
      return joined(result.unknowns);
    case MigrationVerdict::Outage:
      return joined(outage_texts(result));
    case MigrationVerdict::GoWithImpact: {
      std::vector<std::string> parts;
      for (const ImpactResult& one : result.impacts)
        if (!one.accepted && !one.is_at_worst_only) parts.push_back(one.what);
      if (const std::string outages = accepted_outages(result); !outages.empty())
        parts.push_back(outages + " accepted");
      return joined(parts);
    }
    case MigrationVerdict::Go:
      break;
  }
  const std::string outages = accepted_outages(result);
  std::vector<std::string> accepted;
  if (!outages.empty()) accepted.push_back(outages);
  for (const ImpactResult& one : result.impacts)
    if (!one.is_at_worst_only) accepted.push_back(one.what);
  if (accepted.empty()) return "nothing is interrupted";
  return fmt::format("{}accepted: {}",
                     outages.empty() ? "no connection between nodes is interrupted; " : "",
                     joined(accepted));
}

MigrationVerdict StrategyResult::worst() const {
  if (const WorstCase* together = several_assumptions()) return together->verdict;
  const Condition* condition = worst_condition();
  return condition == nullptr ? verdict : condition->otherwise;
}

const Condition* StrategyResult::worst_condition() const {
  const Condition* worst = nullptr;
  for (const Condition& one : conditions)
    if (one.otherwise > (worst == nullptr ? verdict : worst->otherwise)) worst = &one;
  return worst;
}

const WorstCase* StrategyResult::several_assumptions() const {
  const Condition* condition = worst_condition();
  const MigrationVerdict by_one = condition == nullptr ? verdict : condition->otherwise;
  return worst_case && worst_case->verdict > by_one ? &*worst_case : nullptr;
}

const std::string& StrategyResult::worst_reason() const {
  if (const WorstCase* together = several_assumptions()) return together->reason;
  const Condition* condition = worst_condition();
  return condition == nullptr ? reason : condition->otherwise_reason;
}

Picos StrategyResult::worst_longest() const {
  Picos worst;
  for (const ClassResult& of : classes)
    worst = std::max(worst, of.longest_at_worst);
  return worst;
}

Picos StrategyResult::accepted_outage() const {
  if (verdict > MigrationVerdict::GoWithImpact) return {};
  return worst() > MigrationVerdict::GoWithImpact ? longest() : worst_longest();
}

Picos StrategyResult::longest() const {
  Picos longest;
  for (const ClassResult& of : classes)
    longest = std::max(longest, of.longest.max);
  return longest;
}

Picos StrategyResult::longest_or_never() const {
  return lasting() > 0 ? kNever : longest();
}

std::uint64_t StrategyResult::lasting() const {
  std::uint64_t lasting = 0;
  for (const ClassResult& of : classes)
    lasting += of.lasting;
  return lasting;
}

int compare(const StrategyResult& a, const StrategyResult& b, std::string* because) {
  const auto decide = [&](const auto& of_a, const auto& of_b, const auto& text) {
    if (of_a == of_b) return 0;
    if (because != nullptr) *because = of_a < of_b ? text(of_a, of_b) : text(of_b, of_a);
    return of_a < of_b ? -1 : 1;
  };
  const auto verdicts = [](MigrationVerdict better, MigrationVerdict worse) {
    return fmt::format("{} instead of {}", to_string(better), to_string(worse));
  };
  const auto counts = [](std::string_view what) {
    return [what](std::uint64_t better, std::uint64_t worse) {
      return fmt::format("{} {} instead of {}", better, what, worse);
    };
  };
  const auto times = [](std::string_view what) {
    return [what](Picos better, Picos worse) {
      return fmt::format("{} for {} instead of {}", what, outage_text(better), outage_text(worse));
    };
  };
  if (const int order = decide(a.worst(), b.worst(), verdicts)) return order;
  const auto verdicts_as_assumed = [&](MigrationVerdict better, MigrationVerdict worse) {
    return verdicts(better, worse) + " if the assumptions hold";
  };
  if (const int order = decide(a.verdict, b.verdict, verdicts_as_assumed)) return order;
  if (const int order = decide(a.lasting(), b.lasting(),
                               counts("pairs of nodes whose connections are never restored")))
    return order;
  if (const int order = decide(a.longest(), b.longest(), times("connections between nodes stop")))
    return order;
  const auto at_worst = [](const StrategyResult& one) {
    const Picos worst = one.worst_longest();
    return worst == kNever ? worst.count : worst.count / kNoticeable.count;
  };
  const auto texts_at_worst = [&](auto, auto) {
    const auto [better, worse] = std::minmax({a.worst_longest(), b.worst_longest()});
    return fmt::format("connections between nodes stop at worst {} instead of {}",
                       for_how_long(better), for_how_long(worse));
  };
  if (const int order = decide(at_worst(a), at_worst(b), texts_at_worst)) return order;
  for (std::size_t i = 0; i < std::min(a.classes.size(), b.classes.size()); ++i) {
    const ClassResult& of_a = a.classes[i];
    const ClassResult& of_b = b.classes[i];
    const std::string where = fmt::format("connections {}", to_string(of_a.which));
    if (const int order = decide(of_a.longest.max, of_b.longest.max, times(where + " stop")))
      return order;
    if (const int order =
            decide(of_a.affected, of_b.affected,
                   counts(fmt::format("interrupted pairs of nodes {}", to_string(of_a.which)))))
      return order;
  }
  for (std::size_t i = 0; i < std::min(a.other_traffic.size(), b.other_traffic.size()); ++i) {
    const TrafficResult& of_a = a.other_traffic[i];
    const TrafficResult& of_b = b.other_traffic[i];
    if (const int order = decide(of_a.lasting, of_b.lasting,
                                 counts(fmt::format("lasting failures of {}", of_a.name))))
      return order;
    if (const int order = decide(of_a.longest, of_b.longest,
                                 times(fmt::format("{} {}", of_a.name, failing(of_a)))))
      return order;
    if (const int order = decide(of_a.affected, of_b.affected,
                                 counts(fmt::format("interrupted pairs of {}", of_a.name))))
      return order;
  }
  if (const int order = decide(a.strategy->availability, b.strategy->availability,
                               [](Availability, Availability) {
                                 return std::string("needs no feature gate of the landscape");
                               }))
    return order;
  return decide(a.manual_steps, b.manual_steps, counts("steps by hand"));
}

}  // namespace overlane::migration

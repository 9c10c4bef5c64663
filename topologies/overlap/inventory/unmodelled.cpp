#include "topologies/overlap/inventory/unmodelled.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"

namespace overlane::overlap {
namespace {

using effective::Provider;

constexpr rules::Rule kRule{
    .id = "network-not-modelled",
    .section = "domains",
    .severity = Severity::Note,
    .enforcer = rules::Enforcer::Reader,
    .title = "The provider's shared networks are not modelled.",
    .why =
        "Overlane does not model how shoots of this provider share networks and route tables. Each "
        "of these shoots is treated as alone in its network, and overlaps with "
        "other shoots are not found.",
    .remedy =
        "declare what joins their networks in a RoutingDomains file, as connections of "
        "{shoot: namespace/name}",
    .source = "topologies/provider"};

/// "garden-a/one, garden-a/two, 3 more".
std::string names_of(const std::vector<const Shoot*>& shoots) {
  constexpr std::size_t kMaxNamed = 5;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMaxNamed, shoots.size()); ++i)
    names.push_back(shoots[i]->name());
  if (shoots.size() > kMaxNamed) names.push_back(fmt::format("{} more", shoots.size() - kMaxNamed));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Findings find_unmodelled(const std::vector<Shoot>& shoots) {
  std::map<std::string_view, std::vector<const Shoot*>> by_provider;
  for (const Shoot& shoot : shoots) {
    const std::string_view key = shoot.network.key;  // "vsphere/shoot/garden-a/one".
    if (!provider::profile_of(shoot.provider).is_known() && !key.starts_with('/'))
      by_provider[key.substr(0, key.find('/'))].push_back(&shoot);
  }
  Findings findings;
  for (const auto& [provider, its] : by_provider)
    findings.push_back(
        {.rule = std::string(kRule.id),
         .severity = kRule.severity,
         .message = fmt::format("{}: shared networks of this provider are not modelled; {} {} "
                                "compared with others only over declared connections: {}",
                                provider, counted(its.size(), "shoot"),
                                its.size() == 1 ? "is" : "are", names_of(its)),
         .object = its.front()->object,
         .path = "spec.provider.type",
         .place = its.front()->place,
         .hint = std::string(kRule.remedy)});
  return findings;
}

const rules::Rule& unmodelled_rule() {
  return kRule;
}

}  // namespace overlane::overlap

#include "scenarios/runner/load/assumptions.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::runner {

namespace {

using Ranges = std::vector<IpPrefix>;

std::optional<IpPrefix> first_ipv6(const Ranges& ranges) {
  const auto found = std::ranges::find_if_not(ranges, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<model::Assumption> assume_ipv6_ranges(const effective::EffectiveDataplane& shoot,
                                                  manifest::PodNetworkSpec& spec) {
  std::vector<model::Assumption> assumed;
  const auto& supposed = provider::profile_of(shoot.provider).supposed_ipv6;
  if (shoot.dataplane_of(Family::Ipv6) == nullptr || !supposed) return assumed;
  const auto give = [&](const char* whose, const Ranges& known, const IpPrefix& range,
                        std::vector<manifest::Located<IpPrefix>>& status) {
    if (first_ipv6(known)) return;
    const std::string path = fmt::format("status.networking.{}", whose);
    status.push_back({range, {}, path});
    assumed.push_back({path, range.to_string(), "",
                       fmt::format("no document gives it; {}; the numbers are those for "
                                   "documentation (RFC 3849)",
                                   supposed->source.text()),
                       "default"});
  };
  const auto given = first_ipv6(shoot.nodes) ? first_ipv6(shoot.nodes) : first_ipv6(shoot.pods);
  const IpPrefix network = given.value_or(IpPrefix::parse(supposed->network).value());
  give("nodes", shoot.nodes, network, spec.shoot.status_nodes);
  give("pods", shoot.pods, network, spec.shoot.status_pods);
  give("services", shoot.services, IpPrefix::parse(supposed->services).value(),
       spec.shoot.status_services);
  return assumed;
}

}  // namespace overlane::runner

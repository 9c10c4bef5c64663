#include "scenarios/runner/load/assumptions.h"

#include <algorithm>

#include <fmt/format.h>

#include "topologies/effective/addressing.h"
#include "topologies/provider/profile.h"

namespace overlane::runner {

namespace {

using Ranges = std::vector<IpPrefix>;

std::optional<IpPrefix> first_ipv6(const Ranges& ranges) {
  const auto found = std::ranges::find_if_not(ranges, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

const provider::Profile& provider_profile(const manifest::PodNetworkSpec& spec) {
  return provider::profile_of(spec.shoot.provider ? spec.shoot.provider->value : "");
}

std::vector<model::Assumption> assume_ipv6_ranges(manifest::PodNetworkSpec& spec) {
  std::vector<model::Assumption> assumed;
  const provider::Profile& provider = provider_profile(spec);
  const auto& supposed = provider.supposed_ipv6;
  const effective::Families families(spec);
  if (!families.has(Family::Ipv6) || !supposed) return assumed;
  const effective::Addressing ranges = effective::decide_addressing(spec, provider, families);
  const Ranges& nodes = ranges.nodes.value;
  const Ranges& pods = ranges.pods.value;
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
  const auto given = first_ipv6(nodes) ? first_ipv6(nodes) : first_ipv6(pods);
  const IpPrefix network = given.value_or(IpPrefix::parse(supposed->network).value());
  give("nodes", nodes, network, spec.shoot.status_nodes);
  give("pods", pods, network, spec.shoot.status_pods);
  give("services", ranges.services.value, IpPrefix::parse(supposed->services).value(),
       spec.shoot.status_services);
  return assumed;
}

}  // namespace overlane::runner

#include "scenarios/runner/load/ipv6_ranges.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

using Ranges = std::vector<IpPrefix>;

/// What a cloud's infrastructure controller writes into status.networking.
struct Choice {
  effective::Provider provider;
  std::string_view network;  ///< Of nodes and pods alike.
  std::string_view services;
  std::string_view source;
};

constexpr std::array kChoices = {
    // The second /108 of the first zone's subnet is reserved for services.
    Choice{effective::Provider::Aws, "2001:db8::/56", "2001:db8::10:0/108",
           "AWS gives the VPC a /56 (gardener-extension-provider-aws "
           "pkg/controller/infrastructure/infraflow, PatchProviderStatusAndState)"},
    // The first /108 of a subnet of their own.
    Choice{effective::Provider::Gcp, "2001:db8::/64", "2001:db8:0:1::/108",
           "GCP gives the nodes' subnet a /64 (gardener-extension-provider-gcp "
           "pkg/controller/infrastructure/infraflow, PatchProviderStatusAndState)"}};

std::optional<IpPrefix> first_ipv6(const Ranges& ranges) {
  const auto found = std::ranges::find_if_not(ranges, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<model::Assumption> assume_ipv6_ranges(const effective::EffectiveDataplane& shoot,
                                                  manifest::PodNetworkSpec& spec) {
  std::vector<model::Assumption> assumed;
  const auto choice = std::ranges::find(kChoices, shoot.provider, &Choice::provider);
  if (shoot.dataplane_of(Family::Ipv6) == nullptr || choice == kChoices.end()) return assumed;
  const auto give = [&](const char* whose, const Ranges& known, const IpPrefix& range,
                        std::vector<manifest::Located<IpPrefix>>& status) {
    if (first_ipv6(known)) return;
    const std::string path = fmt::format("status.networking.{}", whose);
    status.push_back({range, {}, path});
    assumed.push_back({path, range.to_string(), "",
                       fmt::format("no document gives it; {}; the numbers are those for "
                                   "documentation (RFC 3849)",
                                   choice->source),
                       "default"});
  };
  const auto given = first_ipv6(shoot.nodes) ? first_ipv6(shoot.nodes) : first_ipv6(shoot.pods);
  const IpPrefix network = given.value_or(IpPrefix::parse(choice->network).value());
  give("nodes", shoot.nodes, network, spec.shoot.status_nodes);
  give("pods", shoot.pods, network, spec.shoot.status_pods);
  give("services", shoot.services, IpPrefix::parse(choice->services).value(),
       spec.shoot.status_services);
  return assumed;
}

}  // namespace overlane::runner

#include <algorithm>
#include <iterator>

#include "topologies/overlap/rules.h"

namespace overlane::overlap {
namespace {

struct FaultRow {
  std::string_view rule;
  std::string_view text;
};

constexpr FaultRow kFaults[] = {
    {"overlap-routes-contested", "Shoots with the same pods write their routes into one list"},
    {"overlap-routes-capture-overlay",
     "Routes to a routed shoot's pods lead to addresses that one with an overlay has, too"},
    {"overlap-hidden-by-overlay", "Shoots with overlays have the same pods"},
    {"overlap-between-clusters",
     "Routed shoots of one network have the same pods, each in routes of its own"},
    {"overlap-tables-of-their-own",
     "A routed shoot and one with an overlay have the same pods, in routes of their own"},
    {"overlap-announced-twice", "The same pods are announced twice over a connection"},
    {"overlap-not-announced",
     "The same pods are on both sides of a connection, announced by nobody"},
    {"overlap-routes-over-hosts", "Routed pods lie over addresses of hosts"},
    {"overlap-pods-hide-hosts", "Pods behind an overlay lie over addresses of hosts"},
    {"overlap-services-hide-hosts", "Services lie over addresses of hosts"},
    {"overlap-services-hide-pods", "Services lie over another shoot's pods"},
    {"overlap-services-repeated", "Shoots have the same services"},
    {"overlap-hosts-collide",
     "Two subnets of one network, or ranges in them for pods, have the same addresses"},
    {"overlap-nodes-divided", "Shoots name the same nodes; their machines are in subnets of it"},
    {"overlap-hosts-beyond-connection",
     "Hosts on both sides of a connection have the same addresses"},
    {"overlap-in-shoot", "A shoot's own ranges overlap"},
    {"overlap-with-seed", "A shoot has IPv4 ranges of its seed"},
    {"overlap-with-seed-ipv6", "A shoot has IPv6 ranges of its seed"},
    {"overlap-gardener-reserved", "A shoot has ranges that Gardener keeps for its VPN"},
    {"overlap-cloud-services", "A shoot's pods lie over services of the cloud itself"},
    {"overlap-landscape-reserved", "A shoot has ranges that the landscape's operator keeps"},
    {"domain-route-quota-by-minimum", "More routes are needed than the list may hold"},
    {"domain-route-quota-by-maximum", "More routes may be needed than the list may hold"},
};

}  // namespace

std::string_view fault(const effective::Rule& rule) {
  const auto* row = std::ranges::find(kFaults, rule.id, &FaultRow::rule);
  return row == std::end(kFaults) ? rule.title : row->text;
}

}  // namespace overlane::overlap

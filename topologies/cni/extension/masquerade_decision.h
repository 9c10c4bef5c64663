#pragma once

#include <vector>

#include "topologies/effective/network_inputs.h"

namespace overlane::cni {

/// What is masqueraded, and the basis of each list.
struct MasqueradeDecision {
  effective::Masquerade masquerade;
  effective::Provenance sources;
  effective::Provenance except;
  effective::Provenance upstream_dns;
};

/// The IPv4 ranges of a list.
std::vector<IpPrefix> ipv4_of(const std::vector<IpPrefix>& ranges);

/// Masquerades IPv6 pods as well, since `why` says so: but not towards pods, nor to nodes where
/// `nodes` is set.
void masquerade_ipv6(const effective::Addressing& addressing, const effective::Provenance& why,
                     bool nodes, MasqueradeDecision& decision);

/// What goes to nodes keeps its address, too.
void except_nodes(const effective::Addressing& addressing, effective::Masquerade& masquerade);

/// Whether the switch snatToUpstreamDNS, which adds a rule for each nameserver of resolv.conf, is
/// on; `by_default` where the overlay is off by its key. `charts` is the default's source.
effective::Decided<bool> snat_to_upstream_dns(const manifest::Field<bool>& given, bool by_default,
                                              const effective::NetworkInputs& inputs,
                                              const char* charts);

/// Where `wanted`, masquerades what goes to the nameservers that nodes get by DHCP.
void decide_upstream_dns(const effective::Decided<bool>& wanted,
                         const effective::NetworkInputs& inputs, MasqueradeDecision& decision);

/// Once all lists stand: they are as sure as the documents make their ranges.
void mark_assumed_ranges(const effective::Addressing& addressing, MasqueradeDecision& decision);

}  // namespace overlane::cni

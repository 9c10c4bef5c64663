#pragma once

#include <string>
#include <vector>

#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::cni {

// Masquerading (source NAT) of pods' packets that leave a node: source ranges, exempt destinations,
// and nameservers towards which packets are masqueraded in addition. Calico decides by natOutgoing
// of its pools, Cilium by enableIPv4Masquerade and its native routing CIDR (bpf/lib/nat.h). This
// file has the parts that both share; a CNI combines them and calls mark_assumed_ranges() last.

/// The IPv4 ranges of a list.
std::vector<IpPrefix> ipv4_of(const std::vector<IpPrefix>& ranges);

/// Also masquerades IPv6 pods, for the reason `why`, except towards pods and, if `nodes` is set,
/// nodes.
void masquerade_ipv6(const effective::Addressing& addressing, const effective::Provenance& why,
                     bool nodes, effective::DecidedMasquerade& masquerade);

/// Exempts packets to nodes: they keep their source address.
void except_nodes(const effective::Addressing& addressing,
                  effective::DecidedMasquerade& masquerade);

/// Whether snatToUpstreamDNS, which adds a rule for each nameserver of resolv.conf, is on.
/// `by_default` applies if the overlay is off by its key. `charts` is the source of the default.
effective::Decided<bool> snat_to_upstream_dns(const manifest::Field<bool>& given, bool by_default,
                                              const effective::NetworkInputs& inputs,
                                              sources::Citation charts);

/// The nameservers that the provider's nodes get by DHCP, and how they are known. Only IPv4 has
/// rules for nameservers.
struct Nameservers {
  std::vector<IpAddress> addresses;  ///< Empty: not known.
  std::string because;               ///< A clause: "to the nameserver that aws gives its machines".
};
Nameservers nameservers(const effective::NetworkInputs& inputs);

/// If `wanted`, masquerades packets to these nameservers.
void decide_upstream_dns(const effective::Decided<bool>& wanted,
                         const effective::NetworkInputs& inputs,
                         effective::DecidedMasquerade& masquerade);

/// Marks lists as assumed whose ranges are assumed. Call it when all lists are complete.
void mark_assumed_ranges(const effective::Addressing& addressing,
                         effective::DecidedMasquerade& masquerade);

}  // namespace overlane::cni

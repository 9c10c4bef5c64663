#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/prefix.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/provider/profile.h"

namespace overlane::effective {

// The address ranges of a shoot: pods, services and nodes of both IP families, the pod CIDR of a
// node, and how many nodes and pods fit. A range comes from the Shoot's spec, from its status,
// or from the seed's shootDefaults (given_ranges()); an IPv4 range that no document gives is
// assumed, and its provenance is marked so. The result refers to the spec, which must outlive it.

/// The kubelet's default of maxPods.
inline constexpr std::uint32_t kKubeletMaxPods = 110;

/// The IP families of a shoot's network, in the shoot's order; no list means IPv4. During a
/// migration to dual-stack, only the first family counts until the nodes are rolled.
class Families {
 public:
  explicit Families(const manifest::PodNetworkSpec& spec);

  Family primary() const { return primary_; }
  /// The second family, in dual-stack.
  std::optional<Family> secondary() const {
    if (!dual_stack_) return std::nullopt;
    return primary_ == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
  }
  bool has(Family family) const { return dual_stack_ || family == primary_; }
  bool is_dual_stack() const { return dual_stack_; }
  /// Whether the infrastructure is dual-stack. Also true during a migration to dual-stack and after
  /// a migration back to one family, since the status then has two node ranges.
  bool infrastructure_is_dual_stack() const { return infrastructure_dual_stack_; }

 private:
  Family primary_ = Family::Ipv4;
  bool dual_stack_ = false;
  bool infrastructure_dual_stack_ = false;
};

enum class RangeRole { Pods, Services, Nodes };
/// Which document part gives a range: the spec, `status.networking`, or a seed's shootDefaults.
enum class RangeOrigin { Spec, Status, Seed };

std::string_view to_string(RangeRole);

/// A range that a document gives for a shoot.
struct GivenRange {
  RangeRole role = RangeRole::Pods;
  RangeOrigin origin = RangeOrigin::Spec;
  const manifest::Located<IpPrefix>* given = nullptr;  ///< A part of the shoot's PodNetworkSpec.

  const IpPrefix& value() const { return given->value; }
};

/// The ranges of a shoot that documents give, by role, the first family first. The spec takes
/// precedence; the status fills gaps (in dual-stack only the status has the second range); a seed's
/// default of the shoot's first family fills what both lack (gardener/gardener
/// plugin/pkg/shoot/mutator/admission.go). The results refer to `spec`, which must outlive them.
std::vector<GivenRange> given_ranges(const manifest::PodNetworkSpec& spec,
                                     const Families& families);

/// The address ranges of a pod network and its node limit.
struct Addressing {
  std::vector<GivenRange> given;  ///< The ranges of the lists below that documents give.
  Decided<std::vector<IpPrefix>> pods;
  Decided<std::vector<IpPrefix>> services;
  Decided<std::vector<IpPrefix>> nodes;
  Decided<std::uint32_t> max_pods;
  /// The node mask in the admitted shoot's spec: of IPv4 if it is among the families.
  Decided<std::int64_t> spec_node_mask;
  /// The mask of the actual pod CIDRs, which a provider may fix in dual-stack.
  Decided<std::int64_t> node_cidr_mask_size;
  Decided<std::optional<std::int64_t>> max_nodes;  ///< Nothing: unknown.
};

/// Gardener's default node mask: a node gets twice as many addresses as it may run pods
/// (gardener/gardener pkg/apis/core/v1beta1/defaults_shoot.go).
std::int64_t default_node_mask(std::uint32_t max_pods);

/// Gardener's default node mask for IPv6 (gardener/gardener
/// pkg/apis/core/v1beta1/defaults_shoot.go).
inline constexpr std::int64_t kDefaultNodeMaskIpv6 = 64;

/// Addresses that no machine gets at the start of a subnet (network, router, two for DNS) and at
/// its end (broadcast): as many as AWS and Azure keep. GCP keeps four in all; five are assumed for
/// all providers.
inline constexpr std::uint32_t kFirstMachineOffset = 4;
inline constexpr std::uint32_t kKeptAtSubnetEnd = 1;

/// Number of machines that get an address in a subnet; at most 2^62, 0 if none does. The limit that
/// Gardener gives the cluster autoscaler is higher: it leaves out two addresses of the nodes' range
/// (gardener/gardener pkg/gardenlet/operation/botanist/clusterautoscaler.go).
std::int64_t machine_addresses(const IpPrefix& subnet);

/// Number of pod CIDRs of `mask` in `pods`.
std::int64_t pod_cidr_count(const IpPrefix& pods, std::int64_t mask);

/// Decides the ranges, masks and limits of a shoot. IPv4 ranges that no document gives come from a
/// named default and are marked as assumed. IPv6 has no default: a list without a given range is
/// empty. The result refers to `spec`, which must outlive it.
Addressing decide_addressing(const manifest::PodNetworkSpec& spec,
                             const provider::Profile& provider, const Families& families);

}  // namespace overlane::effective

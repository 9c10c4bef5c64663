#include "topologies/overlap/remedy/wanted.h"

#include <bit>

#include <fmt/format.h>

#include "results/base/text.h"
#include "topologies/effective/addressing.h"
#include "topologies/provider/profile.h"

namespace overlane::overlap {
namespace {

/// 256 nodes of Gardener's usual /24, or as many of /64.
constexpr std::uint8_t kDefaultLength = 16;
constexpr std::uint8_t kDefaultLengthIpv6 = 56;

/// The kubelet's default.
constexpr std::uint32_t kDefaultMaxPods = 110;

/// An IPv6 range has no more than 2^16 pod CIDRs (kubernetes pkg/controller/nodeipam/ipam/cidrset,
/// clusterSubnetMaxDiff).
constexpr int kMaxPodCidrBitsIpv6 = 16;

}  // namespace

std::optional<std::uint8_t> length_for(std::int64_t nodes, std::uint8_t mask) {
  const int length = mask - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(nodes - 1)));
  if (length < 1) return std::nullopt;
  return static_cast<std::uint8_t>(length);
}

std::uint8_t Wanted::node_mask() const {
  if (!is_ipv4()) return effective::kDefaultNodeMaskIpv6;
  const auto by_default = provider::profile_of(to_string(provider)).admission.default_max_pods;
  return static_cast<std::uint8_t>(
      effective::default_node_mask(max_pods.value_or(by_default.value_or(kDefaultMaxPods))));
}

std::optional<std::uint8_t> Wanted::pods_length() const {
  if (length) return length;
  if (nodes) return length_for(*nodes, node_mask());
  return is_ipv4() ? kDefaultLength : kDefaultLengthIpv6;
}

std::string Wanted::flaw() const {
  const std::int64_t least = nodes.value_or(1);
  const std::uint8_t mask = node_mask();
  const auto longest = length_for(least, mask);
  if (!longest) return fmt::format("no range of pods holds {} nodes of /{} each", least, mask);
  const std::uint8_t chosen = *pods_length();
  if (chosen > *longest)
    return fmt::format("pods of /{} are too few for {} of /{}: these need a /{}", chosen,
                       counted(static_cast<std::uint64_t>(least), "node"), mask, *longest);
  if (!is_ipv4() && mask - chosen > kMaxPodCidrBitsIpv6)
    return fmt::format(
        "pods of /{} are too many: Kubernetes gives IPv6 nodes a /{} of a /{} at most", chosen,
        mask, mask - kMaxPodCidrBitsIpv6);
  return "";
}

std::vector<IpPrefix> default_pools(effective::Provider provider) {
  const auto& reserved = provider::profile_of(provider).fabric.reserved;
  std::vector<IpPrefix> pools;
  for (const char* text : {"100.64.0.0/10", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"}) {
    const IpPrefix pool = IpPrefix::parse(text).value();
    if (!reserved || !pool.overlaps(IpPrefix::parse(reserved->cidr).value())) pools.push_back(pool);
  }
  return pools;
}

}  // namespace overlane::overlap

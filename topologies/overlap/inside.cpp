#include "topologies/overlap/inside.h"

#include <algorithm>

#include <fmt/format.h>

#include "topologies/manifest/reserved_ranges.h"

namespace overlane::overlap {
namespace {

Meaning meaning(std::string_view id, bool assumed) {
  const effective::Rule& known = rule(id);
  return {&known, assumed ? std::min(known.severity, Severity::Warning) : known.severity};
}

/// Ranges of machines lie in each other, as a subnet in its VPC; whether the subnets of the zones
/// are disjoint is Gardener's own business (`overlane check`), and with pods or services the inner
/// ones only repeat what the outer ones say. Where the cloud hands out pods' addresses, it takes
/// them from the nodes' range.
bool may_overlap(const Range& a, const Range& b) {
  return a.role == b.role || (has_hosts(a.role) && has_hosts(b.role)) || !a.outer || !b.outer ||
         a.carriage == Carriage::ByInterface || b.carriage == Carriage::ByInterface;
}

void compare_own(const Shoot& shoot, const std::function<void(const InsidePair&)>& visit) {
  for (auto a = shoot.ranges.begin(); a != shoot.ranges.end(); ++a)
    for (auto b = a + 1; b != shoot.ranges.end(); ++b)
      if (!may_overlap(*a, *b) && a->cidr.overlaps(b->cidr))
        visit({*a, *b, meaning("overlap-in-shoot", a->assumed || b->assumed), true, {}});
}

void compare_with_seed(const Shoot& shoot, const std::function<void(const InsidePair&)>& visit) {
  if (shoot.seed == nullptr) return;
  const manifest::SeedSpec& seed = *shoot.seed;
  const std::string owner = fmt::format("the seed {}", seed.name);
  const auto compare = [&](const manifest::Field<IpPrefix>& field, Role role) {
    if (!field) return;
    const Range other{.cidr = field->value, .role = role, .place = field->place};
    for (const Range& own : shoot.ranges)
      if (own.role <= Role::Services && own.cidr.overlaps(other.cidr))
        visit({own, other,
               meaning(own.cidr.is_ipv4() ? "overlap-with-seed" : "overlap-with-seed-ipv6",
                       own.assumed),
               false, owner});
  };
  compare(seed.pods, Role::SeedPods);
  compare(seed.nodes, Role::SeedNodes);
  compare(seed.services, Role::SeedServices);
}

void compare_with_reserved(const Shoot& shoot, const ReservedRanges& reserved,
                           const std::function<void(const InsidePair&)>& visit) {
  for (const ReservedRanges::Entry& entry : reserved.entries())
    for (const Range& own : shoot.ranges)
      if (own.cidr.overlaps(entry.range.cidr) &&
          (entry.is_gardeners ? own.role <= Role::Services : own.outer))
        visit({own, entry.range,
               meaning(
                   entry.is_gardeners ? "overlap-gardener-reserved" : "overlap-landscape-reserved",
                   own.assumed),
               false, entry.owner});
}

}  // namespace

ReservedRanges::ReservedRanges(const Inventory& inventory) {
  for (const manifest::ReservedRange& known : manifest::reserved_ranges())
    entries_.push_back({{.cidr = known.range, .role = Role::Reserved},
                        fmt::format("Gardener's VPN, for {}", known.purpose),
                        true});
  for (const IpPrefix& cidr : inventory.landscape_reserved)
    entries_.push_back({{.cidr = cidr, .role = Role::Reserved}, "the landscape", false});
  for (const domains::DeclaredRange& declared : inventory.declared.reserved)
    entries_.push_back({{.cidr = declared.cidr, .role = Role::Reserved, .place = declared.place},
                        declared.purpose.empty() ? "the landscape" : declared.purpose,
                        false});
}

void compare_inside(const Shoot& shoot, const ReservedRanges& reserved,
                    const std::function<void(const InsidePair&)>& visit) {
  compare_own(shoot, visit);
  compare_with_seed(shoot, visit);
  compare_with_reserved(shoot, reserved, visit);
}

}  // namespace overlane::overlap

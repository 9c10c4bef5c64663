#include "topologies/overlap/pairs/self_overlap.h"

#include <algorithm>

#include <fmt/format.h>

#include "topologies/manifest/spec/garden_spec.h"
#include "topologies/overlap/pairs/impact.h"

namespace overlane::overlap {

namespace {

constexpr std::string_view kGardeners = "overlap-gardener-reserved";
constexpr std::string_view kLandscapes = "overlap-landscape-reserved";
constexpr std::string_view kClouds = "overlap-cloud-services";

Impact impact(std::string_view id, bool warning_at_most) {
  const rules::Rule& known = rule(id);
  return {&known, warning_at_most ? std::min(known.severity, Severity::Warning) : known.severity};
}

/// Node and VPC ranges may contain each other, as a VPC its subnets; `overlane check` compares the
/// subnets of the zones. Inner ranges repeat the overlaps of outer ones. If the cloud assigns pod
/// addresses, it takes them from the node range.
bool may_overlap(const Range& a, const Range& b) {
  return a.role == b.role || (is_infrastructure(a.role) && is_infrastructure(b.role)) || !a.outer ||
         !b.outer || a.dataplane_mode == DataplaneMode::ByInterface ||
         b.dataplane_mode == DataplaneMode::ByInterface;
}

/// Overlaps in IPv6 are accepted by Gardener, and few of the addresses are in use: a warning, as
/// `ipv6-ranges-overlap` of `overlane check`.
void compare_own(const Shoot& shoot, const std::function<void(const SelfOverlap&)>& visit) {
  std::vector<const Range*> reported;  // Pods and services that overlap nodes or VPC.
  for (auto a = shoot.ranges.begin(); a != shoot.ranges.end(); ++a)
    for (auto b = a + 1; b != shoot.ranges.end(); ++b) {
      if (may_overlap(*a, *b) || !a->cidr.overlaps(b->cidr)) continue;
      const bool is_refused = !shoot.refused_by.empty() && a->cidr.is_ipv4();
      if (is_refused && (is_infrastructure(a->role) || is_infrastructure(b->role))) {
        const Range* own = is_infrastructure(a->role) ? &*b : &*a;
        if (std::ranges::find(reported, own) != reported.end()) continue;
        reported.push_back(own);
      }
      visit({*a,
             *b,
             impact("overlap-in-shoot", a->assumed || b->assumed || !a->cidr.is_ipv4()),
             true,
             {}});
    }
}

void compare_with_seed(const Shoot& shoot, const std::function<void(const SelfOverlap&)>& visit) {
  if (shoot.seed == nullptr) return;
  const manifest::SeedSpec& seed = *shoot.seed;
  const std::string owner = fmt::format("the seed {}", seed.name);
  const auto compare = [&](const manifest::Field<IpPrefix>& field, Role role) {
    if (!field) return;
    const Range other{.cidr = field->value, .role = role, .place = field->place};
    for (const Range& own : shoot.ranges)
      if (own.role <= Role::Services && own.cidr.overlaps(other.cidr))
        visit({own, other,
               impact(own.cidr.is_ipv4() ? "overlap-with-seed" : "overlap-with-seed-ipv6",
                      own.assumed),
               false, owner});
  };
  compare(seed.pods, Role::SeedPods);
  compare(seed.nodes, Role::SeedNodes);
  compare(seed.services, Role::SeedServices);
}

/// Gardener checks pods, nodes and services; cloud services conflict with pods only.
bool concerns(const Reserved& entry, const Shoot& shoot, const Range& own) {
  if (entry.provider && *entry.provider != shoot.provider) return false;
  if (entry.rule == kClouds) return own.role == Role::Pods;
  return entry.rule == kLandscapes ? own.outer : own.role <= Role::Services;
}

void compare_with_reserved(const Shoot& shoot, const std::vector<Reserved>& reserved,
                           const std::function<void(const SelfOverlap&)>& visit) {
  for (const Reserved& entry : reserved)
    for (const Range& own : shoot.ranges)
      if (own.cidr.overlaps(entry.range.cidr) && concerns(entry, shoot, own))
        visit({own, entry.range, impact(entry.rule, own.assumed), false, entry.owner});
}

}  // namespace

std::vector<Reserved> reserved_ranges(const Inventory& inventory) {
  std::vector<Reserved> entries;
  for (const manifest::ReservedRange& known : manifest::reserved_ranges())
    entries.push_back({{.cidr = known.range, .role = Role::Reserved},
                       fmt::format("Gardener's VPN, for {}", known.purpose),
                       kGardeners,
                       {}});
  for (const provider::Profile* profile : provider::profiles())
    if (const auto& kept = profile->fabric.reserved)
      entries.push_back({{.cidr = IpPrefix::parse(kept->cidr).value(), .role = Role::Reserved},
                         std::string(kept->owner),
                         kClouds,
                         profile->provider});
  for (const IpPrefix& cidr : inventory.landscape_reserved)
    entries.push_back({{.cidr = cidr, .role = Role::Reserved}, "the landscape", kLandscapes, {}});
  for (const domains::DeclaredRange& declared : inventory.declared.reserved)
    entries.push_back({{.cidr = declared.cidr, .role = Role::Reserved, .place = declared.place},
                       declared.purpose.empty() ? "the landscape" : declared.purpose,
                       kLandscapes,
                       {}});
  return entries;
}

std::string consequence(const Shoot& shoot, const SelfOverlap& pair) {
  const std::string name = shoot.name();
  const auto owner = [](const Range& range, std::string_view of) {
    return RangeOwner{std::string(of), range.role, range.dataplane_mode};
  };
  const std::string text =
      consequence(pair.impact, {}, shoot.provider, owner(pair.own, name),
                  owner(pair.other, pair.is_own ? std::string_view(name) : pair.owner));
  if (!pair.is_own || shoot.refused_by.empty() || !pair.own.cidr.is_ipv4()) return text;
  if (shoot.stage != effective::Stage::Live)
    return fmt::format("Gardener refuses {} ({})", name, shoot.refused_by.str());
  return fmt::format("Gardener refuses every update of {} ({}), and {}", name,
                     shoot.refused_by.str(), text);
}

void compare_own_ranges(const Shoot& shoot, const std::vector<Reserved>& reserved,
                        const std::function<void(const SelfOverlap&)>& visit) {
  compare_own(shoot, visit);
  compare_with_seed(shoot, visit);
  compare_with_reserved(shoot, reserved, visit);
}

}  // namespace overlane::overlap

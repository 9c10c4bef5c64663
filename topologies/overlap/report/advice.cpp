#include "topologies/overlap/report/advice.h"

#include <string_view>

#include <fmt/format.h>

namespace overlane::overlap {
namespace {

using effective::Provider;

/// Only for IPv4.
constexpr std::string_view kProposals = " (--propose names free ranges)";

/// A candidate rather than another manifest; null: all shoots exist, or nothing has to change.
const End* manifest_to_change(const Overlap& overlap) {
  if (overlap.impact.severity == Severity::Note) return nullptr;
  const End* found = nullptr;
  for (const End* end : {&overlap.b, &overlap.a})
    if (!end->created && (found == nullptr || end->candidate || !found->candidate)) found = end;
  return found;
}

bool is_seeds(Role role) {
  return role == Role::SeedPods || role == Role::SeedNodes || role == Role::SeedServices;
}

std::string change_of(const End& end, const Overlap& overlap) {
  const bool has_proposals =
      end.cidr.is_ipv4() && (end.role == Role::Pods || end.role == Role::Services);
  return fmt::format("before {} is applied, {} its {} at {}{}{}", end.owner,
                     end.assumed ? "name" : "change", to_string(end.role), end.place.to_string(),
                     has_proposals ? kProposals : "",
                     is_seeds(overlap.b.role) ? ", or choose another seed" : "");
}

constexpr std::string_view kOverlayKey = "spec.networking.providerConfig.overlay.enabled: true";

/// A tunnel needs none of the contested routes. But after a change of mode, old routes remain, and
/// running pods keep their MTU.
std::string workaround(const Overlap& overlap, bool are_many) {
  if (!overlap.intersection.is_ipv4())
    return ". There is no workaround: an overlay carries IPv4 only";
  const provider::Profile& profile = provider::profile_of(overlap.provider);
  if (!profile.routes.follow_overlay && profile.routes.has_system_table) {
    const bool has_one =
        is_overlay(overlap.a.dataplane_mode) || is_overlay(overlap.b.dataplane_mode);
    return fmt::format(
        ". Until then give {} an overlay ({}) and restart the pods, whose MTU is too large for it. "
        "The controller still writes routes and restores deleted ones, but the nodes do not need "
        "them",
        has_one    ? "the routed one"
        : are_many ? "all of them"
                   : "both",
        kOverlayKey);
  }
  const bool may_refuse = !profile.admission.calico_overlay_refused_by.empty();
  return fmt::format(
      ". Until then give {} an overlay ({}{}), delete the routes that it leaves behind, and "
      "restart its pods, whose MTU is too large for the tunnel",
      are_many ? "as many" : "one", kOverlayKey,
      may_refuse ? "; with calico only newer releases of the provider accept it" : "");
}

}  // namespace

std::string advice(const Overlap& overlap, std::uint64_t shoots) {
  if (const End* end = manifest_to_change(overlap)) return change_of(*end, overlap);
  std::string text(overlap.impact.rule->remedy);
  if (const auto at = text.find(kProposals); at != text.npos && !overlap.intersection.is_ipv4())
    text.erase(at, kProposals.size());
  if (overlap.impact.rule->id != kContested) return text;
  if (shoots > 2)
    text = "re-create shoots with other pods until no two overlap (--plan lists them)";
  return text + workaround(overlap, shoots > 2);
}

}  // namespace overlane::overlap

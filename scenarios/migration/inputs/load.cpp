#include "scenarios/migration/inputs/load.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/migration/inputs/hazards.h"
#include "scenarios/runner/plan/variant.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/overlap/analyze/analyze.h"
#include "topologies/overlap/inventory/inventory.h"

namespace overlane::migration {
namespace {

using overlap::Overlap;
using overlap::RouteBudget;

bool concerns(const Overlap& overlap, const std::string& shoot) {
  return overlap.a.shoot == shoot || overlap.b.shoot == shoot;
}

/// Number of Nodes of the shoot: each has one pod CIDR of a family.
std::uint32_t nodes_in(const overlap::Inventory& inventory, const std::string& name) {
  for (const overlap::Shoot& shoot : inventory.shoots)
    if (shoot.name() == name) {
      const auto ipv4 = std::ranges::count_if(shoot.pod_cidrs, &IpPrefix::is_ipv4);
      const auto all = static_cast<std::int64_t>(shoot.pod_cidrs.size());
      return static_cast<std::uint32_t>(std::max<std::int64_t>(ipv4, all - ipv4));
    }
  return 0;
}

std::string blocker_of(const Overlap& overlap, const std::string& shoot) {
  const overlap::End& other = overlap.a.shoot == shoot ? overlap.b : overlap.a;
  return fmt::format("{} overlaps {} of {} ({}): {}", overlap.intersection.to_string(),
                     to_string(other.role), other.owner, overlap.impact.rule->id,
                     overlap.consequence);
}

}  // namespace

Neighbours neighbours(document::Stream documents, const derive::DeriveOptions& derive,
                      const effective::EffectiveDataplane& after) {
  Neighbours result;
  const std::string shoot = fmt::format("{}/{}", after.namespace_, after.name);
  overlap::Request request;
  request.landscapes.push_back({"", std::move(documents), {}});
  request.derive = derive;
  request.assumed_modes[shoot] = after.dataplane.mode;
  auto analysis = overlap::analyze(std::move(request));
  if (!analysis) return result;
  result.given_nodes = nodes_in(analysis->comparison.inventory, shoot);
  std::ranges::copy_if(analysis->comparison.inventory.findings, std::back_inserter(result.later),
                       [](const Finding& one) { return one.rule == "node-of-no-shoot"; });
  if (analysis->report.shoots < 2) return result;
  overlap::OverlapReport& report = analysis->report;
  result.shoots = static_cast<std::uint32_t>(report.shoots - 1);
  std::erase_if(report.budgets, [&](const RouteBudget& budget) {
    return std::ranges::find(budget.shoots, shoot) == budget.shoots.end();
  });
  for (const RouteBudget& budget : report.budgets) {
    if (budget.shoots.size() < 2) continue;
    const std::int64_t routes = budget.minimum - budget.others - after.minimum_nodes();
    result.routes =
        std::max(result.routes, static_cast<std::uint32_t>(std::max<std::int64_t>(routes, 0)));
  }
  std::erase_if(report.overlaps, [&](const Overlap& one) {
    if (!concerns(one, shoot)) return true;
    const bool is_blocker =
        one.impact.severity == Severity::Error && one.urgency == overlap::Urgency::Now;
    if (is_blocker) result.blockers.push_back(blocker_of(one, shoot));
    return is_blocker;
  });
  report.groups.clear();
  report.findings.clear();
  const Findings found = findings_of(report);
  result.later.insert(result.later.end(), found.begin(), found.end());
  // The verdict is about the migration; these findings concern the time after it.
  for (Finding& finding : result.later)
    finding.severity = std::min(finding.severity, Severity::Warning);
  return result;
}

namespace {

using effective::Dataplane;
using effective::EffectiveDataplane;
using effective::Encapsulation;

/// The NetworkConfig patch for the target; empty if the target is not simulated.
std::string_view patch_to(Target to, const cni::Migration& cni) {
  switch (to) {
    case Target::Routed:
      return cni.routed;
    case Target::Ipip:
      return cni.ipip;
    case Target::Vxlan:
      return cni.vxlan;
    case Target::Geneve:
      return cni.geneve;
    case Target::DualStack:
    case Target::SingleStack:
    case Target::Ebpf:
    case Target::KubeProxy:
      return "";
  }
  return "";
}

bool is_encapsulation(Target to) {
  return to == Target::Ipip || to == Target::Vxlan || to == Target::Geneve;
}

/// The name of an encapsulation in sentences.
std::string_view title(Target to) {
  switch (to) {
    case Target::Ipip:
      return "IPIP";
    case Target::Vxlan:
      return "VXLAN";
    case Target::Geneve:
      return "Geneve";
    default:
      return to_string(to);
  }
}

/// The target that corresponds to the dataplane; nothing if no target does.
std::optional<Target> target_of(const Dataplane& dataplane) {
  if (dataplane.mode == effective::Mode::Routed) return Target::Routed;
  switch (dataplane.encapsulation) {
    case Encapsulation::Ipip:
      return Target::Ipip;
    case Encapsulation::Vxlan:
      return Target::Vxlan;
    case Encapsulation::Geneve:
      return Target::Geneve;
    default:
      return std::nullopt;
  }
}

ObjectName object_of(const EffectiveDataplane& shoot) {
  return {shoot.kind, shoot.namespace_, shoot.name};
}

tl::unexpected<runner::Failure> refuse(const EffectiveDataplane& shoot, std::string rule,
                                       std::string_view why, std::string hint) {
  return runner::unusable(
      Finding{.rule = std::move(rule),
              .severity = Severity::Error,
              .message = fmt::format("{}: {}", object_of(shoot).qualified(), why),
              .object = object_of(shoot),
              .path = "spec.networking.providerConfig",
              .place = shoot.place,
              .hint = std::move(hint)});
}

/// Why switches of this shoot are not simulated; empty if they are.
std::string not_simulated(const EffectiveDataplane& shoot, bool of_families) {
  const Dataplane& dataplane = shoot.dataplane;
  if (shoot.primary_family() != Family::Ipv4 || (shoot.secondary_dataplane && !of_families))
    return "a switch with IPv6 pods is not simulated";
  if (dataplane.is_encrypted()) return "a switch with WireGuard is not simulated";
  if (dataplane.service_routing == effective::ServiceRouting::CalicoEbpf)
    return "a switch with calico's eBPF dataplane is not simulated";
  if (dataplane.cross_subnet)
    return "a switch with encapsulation across subnets only is not simulated";
  const std::optional<Target> mode = target_of(dataplane);
  if (!mode || patch_to(*mode, cni::profile_of(shoot.agent).migration).empty())
    return fmt::format("a switch of {} from or to {} is not simulated", shoot.cni,
                       to_string(dataplane.encapsulation));
  if (mode == Target::Ipip && dataplane.routes_by != effective::RoutesBy::Bgp)
    return "a switch where Felix writes the routes of IPIP (Calico 3.33) is not simulated";
  return "";
}

/// Why another number of families is not simulated; empty if it is.
std::string no_other_families(const EffectiveDataplane& shoot) {
  if (shoot.dataplane.mode != effective::Mode::Routed)
    return "dual-stack pods are routed: a switch from an overlay is not simulated";
  if (shoot.dataplane.backend == effective::Backend::Bird)
    return "a switch to or from dual-stack with createPodRoutes is not simulated";
  return "";
}

std::vector<std::string> families_of(const EffectiveDataplane& shoot) {
  if (shoot.secondary_dataplane) return {"IPv4", "IPv6"};
  return {"IPv4"};
}
/// The IP families after a switch to or from dual-stack.
std::vector<std::string> other_families(const EffectiveDataplane& shoot) {
  if (shoot.secondary_dataplane) return {"IPv4"};
  return {"IPv4", "IPv6"};
}

/// Derives the shoot with a patched providerConfig.
Result<EffectiveDataplane> patched(const runner::DerivedSubject& shoot, Target to,
                                   std::string_view patch) {
  spec::VariantSpec variant{.name = std::string(to_string(to))};
  variant.network_config = document::parse(patch, "migrate --to").documents.at(0);
  auto dataplane = runner::variant_dataplane(shoot, variant);
  if (!dataplane) dataplane.error().place = {};  // The patch is in no file.
  return dataplane;
}

/// The targets that the API admits and that are simulated, for a hint: "--to routed or vxlan".
std::string simulated_targets(const runner::DerivedSubject& derived,
                              const runner::SubjectSpec& given) {
  const EffectiveDataplane& shoot = derived.as_written;
  const cni::Migration& cni = cni::profile_of(shoot.agent).migration;
  std::string text;
  const auto add = [&](std::string_view name) {
    text += fmt::format("{}{}", text.empty() ? "--to " : " or ", name);
  };
  if (not_simulated(shoot, false).empty() && shoot.dataplane.backend != effective::Backend::Vxlan)
    for (const auto& [name, target] : kTargets)
      if (const std::string_view patch = patch_to(target, cni);
          !patch.empty() && target != target_of(shoot.dataplane) && patched(derived, target, patch))
        add(name);
  if (not_simulated(shoot, true).empty() && no_other_families(shoot).empty() &&
      runner::derive_subject(runner::with_families(given, other_families(shoot))))
    add(to_string(shoot.secondary_dataplane ? Target::SingleStack : Target::DualStack));
  return text.empty() ? "no switch of this shoot is simulated" : text;
}

/// A patch of spec.networking.
std::string of_ip_families(const std::vector<std::string>& families) {
  return fmt::format(R"({{"ipFamilies":["{}"]}})", fmt::join(families, R"(",")"));
}
/// A merge patch of the networking whose providerConfig is patched by `patch`.
std::string of_provider_config(std::string_view patch) {
  return fmt::format(R"({{"providerConfig":{}}})", patch);
}

/// The findings about the shoot after the switch that it does not have before.
Findings new_findings(const EffectiveDataplane& before, const EffectiveDataplane& after) {
  Findings findings;
  for (const Finding& finding : after.findings)
    if (std::ranges::find(before.findings, finding.rule, &Finding::rule) == before.findings.end()) {
      findings.push_back(finding);
      findings.back().message = "after the switch: " + finding.message;
      findings.back().place = before.place;  // The patched shoot is in no file.
    }
  return findings;
}

bool is_same(const Dataplane& a, const Dataplane& b) {
  return a.mode == b.mode && a.encapsulation == b.encapsulation && a.backend == b.backend;
}

/// The shoot to be switched. Nodes in the documents are counted with the neighbours.
runner::Outcome<runner::SubjectSpec> read_shoot(const ResolvedRequest& asked,
                                                const runner::SubjectOptions& options) {
  if (!asked.manifests) return runner::read_subject(asked.scenario, options, {});
  document::Stream documents = *asked.manifests;
  documents.take_if(overlap::is_node);
  auto shoot = runner::choose_shoot(std::move(documents), options, asked.scenario.shoot);
  if (!shoot) return fail(std::move(shoot.error()));
  return runner::read_subject(asked.scenario, options, *std::move(shoot));
}

}  // namespace

runner::Outcome<DerivedSwitch> derive_switch(const LoadRequest& request) {
  auto asked = read_request(request);
  if (!asked) return fail(std::move(asked.error()));
  auto given = read_shoot(*asked, request.subject);
  if (!given) return fail(std::move(given.error()));
  auto derived = runner::derive_subject(*given);
  if (!derived) return fail(std::move(derived.error()));
  const EffectiveDataplane& before = derived->as_written;
  if (auto refused = compile::refusal(before)) return runner::unusable(*std::move(refused));
  const cni::Migration& cni = cni::profile_of(before.agent).migration;
  const auto targets = [&] { return simulated_targets(*derived, *given); };
  if (!asked->to) {
    auto refused = refuse(before, "no-target", "nothing says what to switch to", targets());
    refused.value().kind = runner::Failure::Kind::Usage;
    return refused;
  }
  const Target to = *asked->to;
  const bool of_families = to == Target::DualStack || to == Target::SingleStack;
  const auto unsupported = [&](const std::string& why, std::string hint) {
    auto refused = refuse(before, "unsupported-migration", why, std::move(hint));
    for (Finding& hazard : known_hazards(before, to))
      refused.value().findings.push_back(std::move(hazard));
    return refused;
  };
  const std::string_view patch = patch_to(to, cni);
  const auto already = [&] {
    return refuse(before, "no-switch", fmt::format("its pods are {} already", to_string(to)),
                  targets());
  };
  if (patch.empty() && !of_families)
    return unsupported(
        is_encapsulation(to)
            ? fmt::format("{} has no {}", before.cni, title(to))
            : fmt::format("a switch of Services to {} is not simulated", to_string(to)),
        targets());
  if (target_of(before.dataplane) == to && !before.dataplane.cross_subnet) return already();
  if (of_families && before.secondary_dataplane.has_value() == (to == Target::DualStack))
    return already();
  if (const std::string why = not_simulated(before, of_families); !why.empty())
    return unsupported(why, targets());
  if (before.dataplane.backend == effective::Backend::Vxlan)
    return unsupported(fmt::format("a switch of calico from backend {} is not simulated",
                                   to_string(before.dataplane.backend)),
                       targets());
  DerivedSwitch result{.asked = *std::move(asked), .accepted = request.accepted};
  const std::optional<Disturbance>& disturbance = result.asked.disturbance;
  if (of_families) {
    if (const std::string why = no_other_families(before); !why.empty())
      return unsupported(why, "--to routed comes first");
    if (disturbance)
      return unsupported(
          "what happens in the middle of a switch to or from dual-stack is not simulated",
          "leave --disturb out");
    const std::vector<std::string> families = other_families(before);
    auto other = runner::derive_subject(runner::with_families(*std::move(given), families));
    if (!other) return fail(std::move(other.error()));
    result.after = other->as_written;
    result.other_families = *std::move(other);
    result.patch = of_ip_families(families);
    result.patch_back = of_ip_families(families_of(before));
  } else {
    auto target = patched(*derived, to, patch);
    if (!target) return runner::unusable(target.error());
    result.after = *std::move(target);
    const Dataplane& after = result.after.dataplane;
    if (const std::string why = not_simulated(result.after, false); !why.empty())
      return unsupported(why, targets());
    if (is_same(before.dataplane, after)) return already();
    if (!simulates_rollback(result.after) && disturbance &&
        disturbance->kind == Disturbance::Kind::Rollback)
      return unsupported("a rollback from calico's VXLAN is not simulated", "leave --disturb out");
    result.patch = of_provider_config(patch);
    result.patch_back = of_provider_config(patch_to(*target_of(before.dataplane), cni));
  }
  if (result.asked.manifests)
    result.neighbours = neighbours(*std::exchange(result.asked.manifests, std::nullopt),
                                   derived->given.shoot.derive, result.after);
  result.before = *std::move(derived);
  return result;
}

bool simulates_rollback(const effective::EffectiveDataplane& after) {
  return after.dataplane.backend != effective::Backend::Vxlan;
}

runner::Outcome<Loaded> place_switch(const DerivedSwitch& derived, std::uint32_t nodes) {
  const ResolvedRequest& asked = derived.asked;
  const std::uint32_t joining = derived.other_families ? nodes
                                : asked.disturbance ? joining_nodes(asked.disturbance->kind, nodes)
                                                    : 0;
  const auto place = [&](runner::DerivedSubject subject) {
    if (nodes != derived.nodes()) subject.given.asked.nodes = nodes;
    return runner::place_subject(std::move(subject), asked.scenario, joining);
  };
  auto subject = place(derived.before);
  if (!subject) return fail(std::move(subject.error()));
  graph::Topology topology = subject->topology;
  if (derived.other_families) {
    auto other = place(*derived.other_families);
    if (!other) return fail(std::move(other.error()));
    topology = std::move(other->topology);
    if (!subject->as_written.secondary_dataplane)
      subject->assumptions = std::move(other->assumptions);
  }
  auto from = compile::compile(subject->topology, subject->as_written);
  if (!from) return runner::unusable(from.error());
  auto to = compile::compile(topology, derived.after);
  if (!to) return runner::unusable(to.error());
  const BeyondSubnet beyond = asked.answers.beyond_subnet.value_or(
      provider::profile_of(subject->as_written.provider).machines.host_addresses
          ? BeyondSubnet::Unreachable
          : BeyondSubnet::Gateway);
  Loaded loaded{.transition = {.before = std::move(subject->as_written),
                               .after = derived.after,
                               .from = *std::move(from),
                               .to = *std::move(to),
                               .beyond_subnet = beyond,
                               .joining = joining},
                .zones = {},
                .neighbours = derived.neighbours,
                .patch = derived.patch,
                .patch_back = derived.patch_back,
                .strategies = asked.strategies,
                .strategies_are_chosen = !asked.strategies.empty(),
                .timing = asked.timing,
                .answers = asked.answers,
                .disturbance = asked.disturbance,
                .runs = asked.runs,
                .max_outage = asked.max_outage,
                .accepted = derived.accepted,
                .nodes_are_given = subject->nodes_are_given,
                .assumptions = std::move(subject->assumptions),
                .findings = std::move(subject->findings)};
  for (const graph::Node& node : subject->topology.nodes())
    loaded.zones.push_back(node.zone);
  const auto add = [&](const Findings& findings) {
    for (const Finding& finding : findings)
      if (std::ranges::find(loaded.findings, finding) == loaded.findings.end())
        loaded.findings.push_back(finding);
  };
  // Findings of the target assume that all nodes exist at the same time, which is not so when
  // machines are replaced.
  if (joining <= 1) add(loaded.transition.to.findings);
  // The switch does not cause gaps that exist already before it.
  const std::string_view gap = effective::rule_of(loaded.transition.before.dataplane.route_gap);
  for (const Finding& finding : loaded.transition.from.findings)
    if (finding.rule == gap) add({finding});
  if (const Finding* unrouted = effective::finding_about_addresses(loaded.transition.before))
    loaded.blockers.push_back(fmt::format(
        "before the switch {}, so that pods of different nodes reach each other by "
        "chance only: a switch of such pods is not simulated ({})",
        effective::in_words(loaded.transition.before.dataplane.address_gap), unrouted->rule));
  else if (effective::finding_about_addresses(loaded.transition.after) != nullptr)
    loaded.blockers.push_back(
        fmt::format("{}, so that pods of different nodes reach each other by chance only ({})",
                    effective::in_words(loaded.transition.after.dataplane.address_gap),
                    effective::rule_of(loaded.transition.after.dataplane.address_gap)));
  add(loaded.neighbours.later);
  add(new_findings(loaded.transition.before, loaded.transition.after));
  for (compile::Compiled* states : {&loaded.transition.from, &loaded.transition.to})
    if (auto& tables = states->fabric.route_tables; tables.size() == 1)
      tables.front().counted_others += loaded.neighbours.routes;
  if (loaded.strategies.empty())
    loaded.strategies = usual_strategies(loaded.transition, loaded.may_lose_nodes());
  for (const Strategy& strategy : loaded.strategies)
    if (const std::string why = unsuitable(strategy, loaded.transition); !why.empty())
      return refuse(loaded.transition.before, "unsuitable-strategy", why,
                    "name another --strategy");
  return loaded;
}

runner::Outcome<Loaded> load(const LoadRequest& request) {
  const auto derived = derive_switch(request);
  if (!derived) return fail(derived.error());
  return place_switch(*derived, derived->nodes());
}

}  // namespace overlane::migration

#include "scenarios/runner/conclude/shared_core.h"

#include <utility>

#include <fmt/format.h>

#include "results/model/run_report.h"

namespace overlane::runner {

namespace {

/// Why flows share a core, and what would spread them.
std::string hint_for(const model::VariantDataplane& dataplane, const host::Machine& machine) {
  if (dataplane.encryption == "wireguard")
    return "WireGuard has one port for each node: rps spreads the work behind the NIC";
  if (dataplane.encapsulation == "ipip" && machine.ipip_rss == host::TunnelRss::Outer)
    return "the NIC hashes the outer header, which is the same for all flows between two nodes "
           "(ipipRss: outer): VXLAN, or rps, spreads them";
  if (machine.udp_rss == host::UdpRss::TwoTuple)
    return "the NIC hashes addresses only (udp4Rss: 2tuple)";
  return "a hash of few flows is uneven by chance: other ports, or another seed, give other cores";
}

Finding note(std::string rule, std::string message, const spec::Scenario& scenario,
             std::string hint) {
  return {.rule = std::move(rule),
          .severity = Severity::Note,
          .message = std::move(message),
          .object = {"Scenario", "", scenario.name},
          .path = "spec.traffic",
          .place = scenario.place,
          .hint = std::move(hint)};
}

std::string name_of_node(const LaidOut& variant, std::uint32_t node) {
  return variant.network->nodes[node].member().name;
}

double percent(std::int64_t ppm) {
  return static_cast<double>(ppm) / 1e4;
}

}  // namespace

Findings shared_cores(const spec::Scenario& scenario, const Plan& plan,
                      const Measurements& measured) {
  Findings findings;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    if (run.repetition > 0 || !measured[i] || !*measured[i]) continue;
    const auto& shared = (*measured[i])->shared_core;
    if (!shared) continue;
    const LaidOut& variant = plan.variants[run.variant];
    std::string message = fmt::format(
        "variant {}, {}: core {} of {} receives {} flows and is busy for {:.1f} % of the time, "
        "while {} of the {} cores with receive queues receive{} none",
        variant.variant.name, name_of(plan.traffic(run)), shared->core,
        name_of_node(variant, shared->node), shared->flows, percent(shared->busy_ppm),
        shared->idle_cores, shared->queues, shared->idle_cores == 1 ? "s" : "");
    if (shared->more_nodes > 0)
      message += fmt::format("; the same on {} more node{}", shared->more_nodes,
                             shared->more_nodes == 1 ? "" : "s");
    findings.push_back(note("shared-receive-core", std::move(message), scenario,
                            hint_for(variant.variant.dataplane.value_or(model::VariantDataplane{}),
                                     variant.network->machines[shared->node])));
  }
  return findings;
}

Findings requests_behind_streams(const spec::Scenario& scenario, const Plan& plan,
                                 const Measurements& measured) {
  Findings findings;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const PlannedRun& run = plan.runs[i];
    if (run.repetition > 0 || !measured[i] || !*measured[i]) continue;
    const auto& queued = (*measured[i])->queued_requests;
    if (!queued) continue;
    const LaidOut& variant = plan.variants[run.variant];
    findings.push_back(note(
        "requests-behind-streams",
        fmt::format("variant {}: {} and streams share core {} of {}, which is busy for {:.1f} % of "
                    "the time, so their latency is an upper bound",
                    variant.variant.name, plan.traffic(run)[queued->group].name, queued->core,
                    name_of_node(variant, queued->node), percent(queued->busy_ppm)),
        scenario,
        "a core works in the order of arrival here; Linux lets an application that wakes up run "
        "first. concurrent: false measures requests alone"));
  }
  return findings;
}

}  // namespace overlane::runner

#include "tools/reference_pages/migration_pages.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/mixed_nodes.h"
#include "topologies/path/reach/reachability.h"

namespace overlane::reference_pages {

using migration::MixedCase;
using migration::OldRoute;
using migration::Timing;
using migration::TimingFact;
using migration::Transition;

namespace {

constexpr const char* kTimingHead = R"(# Durations of a migration

How long the components take that [`overlane migrate`](migrate.md) simulates, with the range in which the value is
plausible. `tools/write-docs` writes this page from `scenarios/migration/inputs/timing.cpp`, and a test fails when they
differ.

| parameter | value | range | meaning | source |
|---|---|---|---|---|
)";

constexpr const char* kMixedNodesHead = R"(# Nodes in the middle of a switch

Which packets arrive between two nodes of a calico shoot while it is switched from IPIP to routed pods. The *old* node has
the route to the other's pods that its calico-node pod has left so far; the *new* one's pod is replaced, and its packets
follow the default route. `rp_filter` is that of `eth0` and `tunl0` on both; the distributions set 2 (loose) for new
devices, and `net.ipv4.conf.all.rp_filter`, of which and the device's the larger one counts, is 0. "Cloud route" is that to
the receiver's pods.

Each outcome is that of `overlane trace` for these states, and a test asks Linux for every one of them: nodes of
user-mode Linux, with the fabric's decisions between them. `tools/write-docs` writes this page, and a test fails when it is
old.
)";

std::string cell(const Transition& transition, const MixedCase& mixed) {
  const migration::MixedWorld at = migration::mixed_world(transition, mixed);
  const path::PairOutcome outcome = path::Reachability(at.world).outcome(at.from, at.to);
  return outcome.drop ? std::string(to_string(*outcome.drop)) : "arrives";
}

}  // namespace

std::string timing_page() {
  const Timing defaults;
  std::string text = kTimingHead;
  for (const TimingFact& fact : migration::timing_facts()) {
    const std::string range = fact.least == fact.most
                                  ? "fixed"
                                  : fmt::format("{} to {}", migration::duration_text(fact.least),
                                                migration::duration_text(fact.most));
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", fact.name,
                        migration::duration_text(defaults.*fact.value), range, fact.meaning,
                        fact.source.dated());
  }
  return text;
}

std::string mixed_nodes_page(const Transition& transition) {
  std::string text = kMixedNodesHead;
  std::vector<MixedCase> cases = migration::mixed_cases();
  for (const bool to_new : {true, false}) {
    text += fmt::format(
        "\n## From the {} node to the {} one\n\n"
        "| old node's route | new node's `tunl0` | cloud route | rp_filter 0 | 1 (strict) | 2 "
        "(loose) "
        "|\n|---|---|---|---|---|---|\n",
        to_new ? "old" : "new", to_new ? "new" : "old");
    for (std::size_t i = 0; i < cases.size(); i += 3) {
      const MixedCase& mixed = cases[i];
      if (mixed.to_new != to_new) continue;
      const auto name = std::ranges::find(migration::kOldRoutes, mixed.route,
                                          &std::pair<std::string_view, OldRoute>::second);
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name->first,
                          mixed.new_has_tunnel ? "kept" : "removed",
                          mixed.has_cloud_route ? "present" : "absent", cell(transition, cases[i]),
                          cell(transition, cases[i + 1]), cell(transition, cases[i + 2]));
    }
  }
  return text;
}

}  // namespace overlane::reference_pages

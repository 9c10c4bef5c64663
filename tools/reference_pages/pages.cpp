#include "tools/reference_pages/pages.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "dataplane/net/drop.h"
#include "scenarios/migration/inputs/timing.h"
#include "scenarios/migration/mixed_nodes.h"
#include "scenarios/spec/regimes.h"
#include "topologies/effective/landscape.h"
#include "topologies/path/reach/reachability.h"
#include "topologies/provider/machines/machine_types.h"
#include "topologies/provider/machines/nics.h"
#include "topologies/provider/profile.h"
#include "topologies/sources/citation.h"

namespace overlane::reference_pages {

namespace {

/// The text with the characters escaped that Markdown would take for markup.
std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*') out += '\\';
    out += c;
  }
  return out;
}

std::string markdown_cell(std::string_view text) {
  return text.empty() ? "–" : markdown(text);
}

using rules::Rule;

constexpr const char* kRulesPageHead =
    R"(# Rules

Every finding names one of these rules. `overlane check --explain-rule ID` prints one of them;
[check.md](check.md) says how to choose among them. `tools/write-docs` writes this page from the
tables that the program runs, and a test fails when the two differ.

A section is one of [gardener.md](gardener.md), which says what Gardener does; N1 to N8 are in its
§1.1, and T, D and C are rows of [effective-dataplane.md](effective-dataplane.md). An error that
depends on an assumed value is reported as a warning.

)";

std::string rule_section(const Rule& rule) {
  return fmt::format(
      "\n## {}\n\n{}\n\n{}\n\n"
      "- section {}, {}\n- noticed by: {}\n- what to do: {}\n- source: {}\n",
      rule.id, markdown(rule.title), markdown(rule.why), rule.section, to_string(rule.severity),
      check::noticed_by(rule.enforcer), markdown(rule.remedy), markdown(rule.source.dated()));
}

}  // namespace

std::string rules_page(const check::RuleBook& book) {
  std::string text = kRulesPageHead;
  text += "| section | rule | severity | what is wrong |\n|---|---|---|---|\n";
  for (const Rule* rule : book.rules())
    text += fmt::format("| {} | [{}](#{}) | {} | {} |\n", rule->section, rule->id, rule->id,
                        to_string(rule->severity), markdown(rule->title));
  for (const Rule* rule : book.rules())
    text += rule_section(*rule);
  return text;
}

namespace {

using provider::Profile;

constexpr const char* kProviderPageHead =
    R"(# Providers

The default numbers of each provider. A manifest, a Topology file or a setting overrides them.
`tools/write-docs` writes this page from `topologies/provider` and `topologies/effective`, and a test
fails when they differ. [effective-dataplane.md](effective-dataplane.md) describes which values use them.
)";

/// A section with one row for each provider.
template <typename Row>
std::string provider_table(std::string_view title, std::string_view text,
                           const std::vector<std::string_view>& columns, const Row& row) {
  std::string section = fmt::format("\n## {}\n\n{}\n\n| provider | {} |\n|---", title, text,
                                    fmt::join(columns, " | "));
  for (std::size_t i = 0; i < columns.size(); ++i)
    section += "|---";
  section += "|\n";
  for (const Profile* profile : provider::profiles()) {
    std::vector<std::string> cells;
    for (const std::string& value : row(*profile))
      cells.push_back(markdown_cell(value));
    section += fmt::format("| {} | {} |\n", profile->name, fmt::join(cells, " | "));
  }
  return section;
}

using ProviderCells = std::vector<std::string>;

ProviderCells link_cells(const Profile& profile) {
  const provider::Fabric& fabric = profile.fabric;
  return {std::to_string(fabric.link_mtu), fabric.link_mtu_source.dated(),
          std::to_string(fabric.egress_mtu), fabric.egress_mtu_source.dated()};
}

ProviderCells subnet_cells(const Profile& profile) {
  const auto layout = [&] {
    switch (profile.node_subnets.kind) {
      case provider::SubnetLayout::Kind::PerZone:
        return "one per zone";
      case provider::SubnetLayout::Kind::One:
        return "one for all zones";
      case provider::SubnetLayout::Kind::OneUnlessZones:
        return "one for all zones, or one per zone with `networks.zones`";
    }
    return "";
  };
  return {layout(), profile.node_subnets.source.dated(),
          profile.machines.host_addresses ? "/32" : "in the subnet",
          profile.machines.host_addresses_source.dated()};
}

ProviderCells quota_cells(const Profile& profile) {
  const auto& quota = profile.routes.quota;
  if (!quota) return {"", "no table holds routes of nodes", "", "", ""};
  const auto number = [](std::int64_t routes, const sources::Citation& source) {
    return routes == 0 ? std::string("unknown") : fmt::format("{} ({})", routes, source.dated());
  };
  return {std::string(quota->holder), number(quota->usual, quota->source),
          quota->lowest == 0 ? "" : number(quota->lowest, quota->lowest_source),
          std::to_string(quota->own_routes),
          profile.routes.families_share_quota ? "together" : "each by itself"};
}

ProviderCells controller_cells(const Profile& profile) {
  const provider::Routes& routes = profile.routes;
  const bool writes = routes.pods == provider::PodPath::RouteTable;
  std::string when = !writes                 ? "no routes"
                     : routes.follow_overlay ? "only with overlay.enabled: false"
                                             : "always";
  if (!routes.off_with_bird.empty()) when += ", without calico's backend bird";
  if (const auto& choice = routes.manager_choice)
    when += fmt::format(", with the cloud controller manager {} (default: {})", choice->with_routes,
                        choice->preset);
  return {when, routes.controller.dated()};
}

ProviderCells latency_cells(const Profile& profile) {
  const provider::PathLatency& latency = profile.fabric.latency;
  return {fmt::format("{} µs ({})", latency.within_zone, latency.within_zone_range),
          fmt::format("{} µs ({})", latency.across_zones, latency.across_zones_range),
          latency.source.dated()};
}

/// Which header of a tunnel's packets the NIC hashes, and the source.
ProviderCells rss_cells(const Profile& profile) {
  if (profile.machines.virtio)
    return {"inner", "outer", "Linux 6.1 drivers/net/tun.c: tun_automq_select_queue (2022-12)"};
  const provider::Nic* nic = provider::find_nic(profile.machines.nic);
  if (nic == nullptr) return {"outer", "outer", "assumed: the NIC is not known"};
  const auto header = [](bool is_inner) { return is_inner ? "inner" : "outer"; };
  return {header(nic->hashes_inside_ipip), header(nic->hashes_inside_udp_tunnels),
          nic->rss_source.dated()};
}

ProviderCells flow_allowance_cells(const Profile& profile) {
  const auto& limit = profile.machines.flow_allowance;
  if (!limit) return {"not documented", "", ""};
  std::string number = fmt::format("{} {}", limit->flows, limit->what);
  if (limit->cores > 0)
    number += fmt::format(", {} with less than {} cores", limit->flows_of_small, limit->cores);
  return {std::move(number), std::string(limit->effect), limit->source.dated()};
}

ProviderCells machine_cells(const Profile& profile) {
  const provider::Machines& machines = profile.machines;
  const std::string wire = machines.virtio ? "virtio" : "nic";
  if (!machines.single_flow) return {std::string(machines.nic), wire, "", "", ""};
  return {std::string(machines.nic), wire,
          fmt::format("{} Gbit/s", static_cast<double>(*machines.single_flow) / 1e9),
          std::string(machines.single_flow_range), machines.single_flow_source.dated()};
}

/// A machine type's series and its place in it: ("m5", "large"), ("Standard_D<n>s_v5", "4").
std::pair<std::string, std::string> series_and_size(const provider::MachineType& type) {
  const std::string name(type.name);
  if (const auto dot = name.rfind('.'); dot != name.npos)
    return {name.substr(0, dot), name.substr(dot + 1)};
  const std::string cores = std::to_string(type.cores);
  // In "g_c4_m16" and "n4-*-4" the number of cores comes behind the series' own number.
  const auto at = name.find(cores, name.find_first_of("-_") + 1);
  if (name.find_first_of("-_") == name.npos || at == name.npos) return {name, ""};
  return {name.substr(0, at) + "<n>" + name.substr(at + cores.size()), cores};
}

/// "large: 2 cores, 0.75 to 10 Gbit/s, 900000 packets/s".
std::string machine_figures(const provider::MachineType& type, const std::string& size) {
  const auto gbps = [](std::uint32_t mbps) { return fmt::format("{:g}", mbps / 1000.0); };
  std::string text = size.empty() || size == std::to_string(type.cores) ? "" : size + ": ";
  text += fmt::format("{} core{}", type.cores, type.cores == 1 ? "" : "s");
  if (type.threads_per_core == 1 && type.cores > 1) text += " of one thread";
  if (type.bursts())
    text += fmt::format(", {} to {} Gbit/s", gbps(type.baseline_mbps), gbps(type.burst_mbps));
  else if (type.baseline_mbps > 0)
    text += fmt::format(", {} Gbit/s", gbps(type.baseline_mbps));
  if (type.packets_per_second > 0) text += fmt::format(", {} packets/s", type.packets_per_second);
  return text;
}

/// One provider's machine types, a row for each series.
std::string machine_types_of(const provider::MachineTable& table) {
  std::vector<std::pair<std::string, std::vector<std::string>>> series;
  for (const provider::MachineType& type : table.types) {
    const auto [name, size] = series_and_size(type);
    auto known = std::ranges::find(series, name, &decltype(series)::value_type::first);
    if (known == series.end()) known = series.insert(known, {name, {}});
    known->second.push_back(machine_figures(type, size));
  }
  std::string section =
      fmt::format("\n### {}\n\n{} types. Source: {}. {}\n\n| series | types |\n|---|---|\n",
                  table.cloud, table.types.size(), table.source.dated(), table.remark);
  for (const auto& [name, types] : series)
    section += fmt::format("| {} | {} |\n", markdown_cell(name),
                           markdown_cell(fmt::format("{}", fmt::join(types, "; "))));
  return section;
}

std::string machine_types() {
  std::string section =
      "\n## Machine types\n\n"
      "Cores (as Linux counts CPUs), the rate that a node's network sustains and, where it is "
      "another one, the rate of bursts, and packets per second where they are published. A `run` "
      "takes the type of the worker pool with the largest minimum. Its nodes send at the burst "
      "rate, "
      "where an overlay costs most; `--set landscape.network-burst=false` limits them to the "
      "sustained rate, which is left when the credits for bursts are used up. The cores of a "
      "CloudProfile "
      "among the manifests win over these, a Topology's `machine` wins over all. A type that is "
      "not listed gets 4 cores and a NIC of 10 Gbit/s, which the run's summary says.\n";
  for (const provider::MachineTable* table : provider::machine_tables())
    section += machine_types_of(*table);
  return section;
}

std::string settings() {
  std::string section =
      "\n## Settings of the landscape\n\n"
      "`--set landscape.KEY=VALUE` says how the operator has set up Gardener.\n\n"
      "| key | value | default | meaning | source |\n|---|---|---|---|---|\n";
  for (const effective::LandscapeSetting& setting : effective::landscape_settings())
    section += fmt::format("| `{}` | {} | {} | {} | {} |\n", setting.key,
                           markdown_cell(setting.value), markdown_cell(setting.default_value),
                           markdown_cell(setting.meaning), markdown_cell(setting.source.dated()));
  return section;
}

}  // namespace

std::string provider_page() {
  return kProviderPageHead +
         provider_table(
             "Link MTU",
             "The IP MTU of the nodes' uplinks, in bytes (`landscape.link-mtu` sets it), and the "
             "IP MTU of the path to the internet; the smaller one limits packets to the internet.",
             {"link MTU", "source", "egress MTU", "source"}, link_cells) +
         provider_table("Subnets of nodes",
                        "The subnets of a shoot's nodes, and the prefix of a machine's address. A "
                        "machine with a /32 address has no neighbours.",
                        {"subnets", "source", "addresses", "source"}, subnet_cells) +
         provider_table(
             "Route quota",
             "The number of routes that one table, network or router can hold: the usual limit, "
             "and "
             "the lowest one that a document gives. Two kinds of routes count towards the quota: "
             "the nodes' routes and \"others\", the routes of the provider or of Gardener in the "
             "same table. "
             "`landscape.route-quota.<provider>` sets the quota.",
             {"holder", "usual", "lowest", "others", "families"}, quota_cells) +
         provider_table("Route controller",
                        "When the cloud's controller writes the routes to the nodes' pods.",
                        {"writes routes", "source"}, controller_cells) +
         provider_table(
             "Latency",
             "The one-way latency between two nodes without load, with its range in parentheses.",
             {"within a zone", "across zones", "source"}, latency_cells) +
         provider_table(
             "Machines",
             "The usual NIC driver, the `wire` of a Topology by which a run models it, and "
             "the limit on the rate of one flow.",
             {"NIC", "wire", "single flow", "other values", "source"}, machine_cells) +
         provider_table(
             "Receive queues of tunnels",
             "The header that the usual NIC hashes to select the receive queue of a tunnel's "
             "packet (`ipipRss` and `udpTunnelRss` of a Topology). If it hashes the outer header "
             "of IP in IP, all flows between two nodes share one core.",
             {"IP in IP", "VXLAN, Geneve", "source"}, rss_cells) +
         provider_table(
             "Limits on flows",
             "The number of flows of one machine from which on a run reports that the cloud's "
             "limit is [not modelled](regimes.md).",
             {"number", "effect", "source"}, flow_allowance_cells) +
         machine_types() + settings();
}

namespace {

using sources::Fact;
using sources::Source;
using sources::SourceGroup;

constexpr const char* kFactsPageHead =
    R"(# Sources of facts

The sources of the program's facts: files of repositories at a commit; and documents, issues and pull
requests with the day or month when they were read (standards: when they were published). The values
themselves are in [providers.md](providers.md), [migration-timing.md](migration-timing.md),
[rules.md](rules.md) and the output of `explain`. `tools/check-facts DIR` compares the files with newer copies of
their repositories; [how to](../how-to/add-a-provider.md#sources-of-facts). `tools/write-docs` writes
this page from `topologies/sources`, and a test fails when they differ.
)";

std::string facts_of(const Source& source) {
  std::string text;
  for (const Fact& fact : source.facts())
    text += fmt::format("{}{}", text.empty() ? "" : "; ", fact.what);
  return text;
}

std::string commit_of(const Source& source) {
  return source.is_file() ? fmt::format("`{}`", source.at.commit.substr(0, 10)) : "–";
}

nlohmann::ordered_json row_of(const Source& source) {
  nlohmann::ordered_json facts = nlohmann::ordered_json::array();
  for (const Fact& fact : source.facts())
    facts.push_back({{"what", fact.what}, {"passage", fact.passage}});
  return {{"name", source.name},
          {"repository", source.is_file() ? source.repository() : ""},
          {"path", source.is_file() ? source.path() : ""},
          {"commit", source.at.commit},
          {"date", source.at.date},
          {"blob", source.blob},
          {"facts", std::move(facts)}};
}

}  // namespace

std::string facts_page() {
  std::string page = kFactsPageHead;
  for (const SourceGroup& group : sources::kSources) {
    page += fmt::format("\n## {}\n\n| source | commit | date | facts |\n|---|---|---|---|\n",
                        group.title);
    for (const Source& source : group.sources)
      page += fmt::format("| {} | {} | {} | {} |\n", markdown_cell(source.name), commit_of(source),
                          source.at.date, markdown_cell(facts_of(source)));
  }
  return page;
}

std::string facts_json() {
  std::string lines;
  for (const SourceGroup& group : sources::kSources)
    for (const Source& source : group.sources)
      lines += row_of(source).dump() + '\n';
  return lines;
}

using migration::MixedCase;
using migration::OldRoute;
using migration::Timing;
using migration::TimingFact;
using migration::Transition;

namespace {

constexpr const char* kTimingHead = R"(# Durations of a migration

The durations of the components that [`overlane migrate`](migrate.md) simulates: the default, and the range of plausible
values. `tools/write-docs` writes this page from `scenarios/migration/inputs/timing.cpp`, and a test fails when they
differ.

| parameter | value | range | meaning | source |
|---|---|---|---|---|
)";

constexpr const char* kMixedNodesHead = R"(# Nodes in the middle of a switch

Which packets arrive between two nodes of a calico shoot while it is switched from IPIP to routed pods. On the *old* node
the calico-node pod is not yet replaced; the table lists the routes to the *new* node's pods that it can have left. On the
*new* node the pod is replaced, and its packets to the old node's pods follow the default route. `rp_filter` is the setting
of `eth0` and `tunl0` on both nodes. Linux uses the larger of it and `net.ipv4.conf.all.rp_filter`, which is 0 here; the
distributions set 2 (loose) for new devices. "Cloud route" is the VPC's route to the receiver's pods.

The outcomes are those of `overlane trace` for these states. A test checks each of them on Linux: nodes of user-mode
Linux, with the fabric's decisions between them. `tools/write-docs` writes this page, and a test fails when it is out of
date.
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
    const std::string range = fact.min == fact.max
                                  ? "fixed"
                                  : fmt::format("{} to {}", migration::duration_text(fact.min),
                                                migration::duration_text(fact.max));
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

namespace {

constexpr const char* kDropsHead =
    R"(# Drop reasons

The closed list of reasons for which a packet is dropped. Reports count drops by these names, and the simulator, the byte
path, the fast path and the comparison with Linux all use the same list. `tools/write-docs` writes this page from
`dataplane/net/drop.h`, and a test fails when they differ.

- *gate*: the condition that the packet did not pass, by what an operator has to fix. Malformed packets, overload and
  injected faults have none.
- *congestion*: whether the loss comes from load or chance. No change of a state causes it.
- *needed*: what would let the packet pass. `{source}`, `{destination}`, `{protocol}` and `{size}` are those of the
  outermost header, `{encapsulation}` is the packet's, `{node}` is the node that dropped or sent it. For reasons without
  an entry, `overlane trace` derives it from the states.
- *kernel counters*: the counters of a Linux node of which one increases when the node drops a packet for this reason.
  A leading `*` stands for any prefix.

| reason | meaning | gate | congestion | needed | kernel counters |
|---|---|---|---|---|---|
)";

std::string counters_of(const DropFacts& reason) {
  std::string text;
  for (const std::string_view counter : reason.counters)
    if (!counter.empty()) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", counter);
  return text.empty() ? "–" : text;
}

}  // namespace

std::string drops_page() {
  std::string text = kDropsHead;
  for (const DropFacts& reason : kDrops)
    text += fmt::format(
        "| `{}` | {} | {} | {} | {} | {} |\n", reason.name, markdown_cell(reason.meaning),
        reason.gate ? to_string(*reason.gate) : std::string_view("–"),
        reason.is_congestion ? "yes" : "no", markdown_cell(reason.needed), counters_of(reason));
  return text;
}

namespace {

constexpr const char* kRegimesHead =
    "# Regimes that are not modelled\n\n"
    "Settings of kernels, NICs, CNIs and clouds that change how packets are carried, and that a "
    "run leaves out. If an input asks for one, the report has the warning `unsupported-regime` "
    "with the setting, its place and the effect, and its first lines name the regime; the figures "
    "are those without it. Other unknown keys of this project's files are errors, and so are "
    "settings that Gardener's admission refuses, such as `bpf` in Cilium's NetworkConfig. "
    "cilium-config is the ConfigMap of a cluster, given among the manifests; the keys of "
    "`machine` are those of a [Topology](scenarios.md#topology) or a [measurement "
    "table](calibration.md#a-table-of-your-own).\n\n"
    "`tools/write-docs` writes this page from `scenarios/spec/regimes.cpp`.\n\n"
    "| regime | meaning | asked for by | left out | source |\n|---|---|---|---|---|\n";

}  // namespace

std::string regimes_page() {
  std::string text = kRegimesHead;
  for (const spec::RegimeFacts& regime : spec::regimes())
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", regime.name, regime.title,
                        regime.asked_by, markdown_cell(regime.left_out), regime.source.dated());
  return text;
}

}  // namespace overlane::reference_pages

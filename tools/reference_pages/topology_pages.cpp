#include "tools/reference_pages/topology_pages.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "topologies/effective/landscape.h"
#include "topologies/provider/machines/machine_types.h"
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
§1.1, and T, D and C are rows of [effective-dataplane.md](effective-dataplane.md). An error counts
as a warning where it rests on a value that no document gives.

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

The numbers that hold for each provider where no manifest, Topology file or setting gives another.
`tools/write-docs` writes this page from `topologies/provider` and `topologies/effective`, and a test
fails when they differ. [effective-dataplane.md](effective-dataplane.md) says where they count.
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
             "The IP MTU of the nodes' uplinks, in bytes (`landscape.link-mtu` sets it), and of "
             "the way out to the internet, which binds where it is smaller.",
             {"link MTU", "source", "egress MTU", "source"}, link_cells) +
         provider_table("Subnets of nodes",
                        "The subnets that a shoot's nodes get, and whether a machine's address is "
                        "that of a host alone: then it has no neighbours.",
                        {"subnets", "source", "addresses", "source"}, subnet_cells) +
         provider_table(
             "Route quota",
             "How many routes one table, network or router holds: usually, and by the document "
             "that gives the lowest number. Beside the routes of nodes, \"others\" count: those "
             "of the provider or of Gardener in the same list. "
             "`landscape.route-quota.<provider>` sets the quota.",
             {"holder", "usual", "lowest", "others", "families"}, quota_cells) +
         provider_table("Route controller", "When the cloud's controller writes routes to pods.",
                        {"writes routes", "source"}, controller_cells) +
         provider_table("Latency",
                        "One way between two nodes without load; the range in parentheses.",
                        {"within a zone", "across zones", "source"}, latency_cells) +
         provider_table("Machines",
                        "The usual NIC driver, what a run takes it for (`wire` of a Topology), and "
                        "the cap on the rate of one flow.",
                        {"NIC", "wire", "single flow", "other values", "source"}, machine_cells) +
         machine_types() + settings();
}

namespace {

using sources::Fact;
using sources::Source;
using sources::SourceGroup;

constexpr const char* kFactsPageHead =
    R"(# Sources of facts

Where the program's facts come from: files of repositories at a commit, and documents, issues and
pull requests with the day or month of reading (of standards: of publication). The values stand where
they are used: [providers.md](providers.md), [migration-timing.md](migration-timing.md),
[rules.md](rules.md) and `explain`. `tools/check-facts DIR` compares the files with newer copies of
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

}  // namespace overlane::reference_pages

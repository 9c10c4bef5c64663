#include "topologies/explain/provider_page.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/effective/landscape.h"
#include "topologies/provider/profile.h"

namespace overlane::explain {
namespace {

using provider::Profile;

constexpr const char* kProviderPageHead =
    R"(# Providers

The numbers that hold for each provider where no manifest, Topology file or setting gives another.
`tools/write-docs` writes this page from `topologies/provider` and `topologies/effective`, and a test
fails when they differ. [effective-dataplane.md](effective-dataplane.md) says where they count.
)";

/// Text for a cell of a Markdown table.
std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*') out += '\\';
    out += c;
  }
  return out.empty() ? "–" : out;
}

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
  return {std::to_string(profile.fabric.link_mtu), std::string(profile.fabric.link_mtu_source)};
}

ProviderCells quota_cells(const Profile& profile) {
  const auto& quota = profile.routes.quota;
  if (!quota) return {"", "no table holds routes of nodes", "", "", ""};
  const auto number = [](std::int64_t routes, std::string_view source) {
    return routes == 0 ? std::string("unknown") : fmt::format("{} ({})", routes, source);
  };
  return {std::string(quota->holder), number(quota->usual, quota->source),
          quota->lowest == 0 ? "" : number(quota->lowest, quota->lowest_source),
          std::to_string(quota->own_routes),
          profile.routes.families_share_quota ? "together" : "each by itself"};
}

ProviderCells controller_cells(const Profile& profile) {
  const provider::Routes& routes = profile.routes;
  const bool writes = routes.pods == provider::PodPath::RouteTable;
  return {!writes                 ? "no routes"
          : routes.follow_overlay ? "only with overlay.enabled: false"
                                  : "always",
          std::string(routes.controller)};
}

ProviderCells latency_cells(const Profile& profile) {
  const provider::PathLatency& latency = profile.fabric.latency;
  return {fmt::format("{} µs ({})", latency.within_zone, latency.within_zone_range),
          fmt::format("{} µs ({})", latency.across_zones, latency.across_zones_range),
          std::string(latency.source)};
}

ProviderCells machine_cells(const Profile& profile) {
  const provider::Machines& machines = profile.machines;
  const std::string wire = machines.virtio ? "virtio" : "nic";
  if (!machines.single_flow) return {std::string(machines.nic), wire, "", "", ""};
  return {std::string(machines.nic), wire,
          fmt::format("{} Gbit/s", static_cast<double>(*machines.single_flow) / 1e9),
          std::string(machines.single_flow_range), std::string(machines.single_flow_source)};
}

std::string settings() {
  std::string section =
      "\n## Settings of the landscape\n\n"
      "`--set landscape.KEY=VALUE` says how the operator has set up Gardener.\n\n"
      "| key | value | default | meaning | source |\n|---|---|---|---|---|\n";
  for (const effective::LandscapeSetting& setting : effective::landscape_settings())
    section += fmt::format("| `{}` | {} | {} | {} | {} |\n", setting.key,
                           markdown_cell(setting.value), markdown_cell(setting.default_value),
                           markdown_cell(setting.meaning), markdown_cell(setting.source));
  return section;
}

}  // namespace

std::string provider_page() {
  return kProviderPageHead +
         provider_table("Link MTU",
                        "The IP MTU of the nodes' uplinks, in bytes; `landscape.link-mtu` sets it.",
                        {"link MTU", "source"}, link_cells) +
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
         settings();
}

}  // namespace overlane::explain

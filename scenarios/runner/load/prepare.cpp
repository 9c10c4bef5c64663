#include "scenarios/runner/load/prepare.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "scenarios/library/library.h"
#include "scenarios/runner/load/given_files.h"
#include "scenarios/runner/load/subject.h"
#include "scenarios/spec/cost_profile.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/traffic/expand.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/read/read.h"
#include "topologies/document/read/reading_limit.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/library/library.h"

namespace overlane::runner {
namespace {

/// A library Scenario whose manifests are replaced by the given ones. Its line for editors then
/// names a schema in the same folder (`overlane schema scenario > scenario.json`).
std::string with_manifests(std::string_view file, const std::vector<std::string>& manifests) {
  constexpr std::string_view kKey = "\n  manifests:\n";
  constexpr std::string_view kItem = "  - ";
  constexpr std::string_view kSchemas = "../../docs/reference/schemas/";
  std::string text(*library::find(file));
  if (const std::size_t schemas = text.find(kSchemas); schemas != std::string::npos)
    text.erase(schemas, kSchemas.size());
  std::string list;
  for (const std::string& path : manifests) {
    list += fmt::format("  - {}\n", yaml_quoted(path));
  }
  const std::size_t begin = text.find(kKey) + kKey.size();
  std::size_t end = begin;
  while (text.compare(end, kItem.size(), kItem) == 0)
    end = text.find('\n', end) + 1;
  return text.replace(begin, end - begin, list);
}

/// Hint for a network type without a comparison: the types that have one, or how to write a
/// Scenario.
std::string known_comparisons(const std::string& type) {
  const bool in_library = topology_library::library_network_provider(type).has_value();
  const std::string_view meant = topology_library::meant_network_type(type);
  if (!in_library && !meant.empty()) return fmt::format("did you mean {}?", meant);
  std::vector<std::string> types;
  for (const cni::Profile* cni : cni::profiles())
    types.push_back(fmt::format("for {}", cni->type()));
  return fmt::format("there is one {}; for {} write a Scenario with manifests: [SHOOT_FILE, {}]",
                     fmt::join(types, " and "), type, in_library ? type : "NETWORK_PROVIDER_FILE");
}

struct ScenarioFile {
  std::string text;
  document::Tree tree;
  /// The shoot of the command line; empty: the shoot of the file.
  std::optional<ChosenShoot> shoot;
};

/// The library's comparison for the shoot in the given manifests.
Outcome<ScenarioFile> fitting_comparison(const Request& request, document::Stream manifests) {
  auto shoot = choose_shoot(std::move(manifests), request.subject);
  if (!shoot) return fail(std::move(shoot.error()));
  const auto& type = shoot->spec.type;
  const cni::Profile* cni = cni::find_profile(type.value);
  if (cni == nullptr) {
    return unusable(Finding{
        .rule = "unsupported-cni",
        .message = fmt::format("{}: there is no built-in comparison for the network type {}",
                               shoot->spec.object.qualified(), type.value),
        .object = shoot->spec.object,
        .path = type.path,
        .place = type.place,
        .hint = known_comparisons(type.value)});
  }
  std::string text = with_manifests(cni->run.scenario, request.paths);
  auto stream = document::parse(text, library::display_name(cni->run.scenario));
  if (stream.documents.size() != 1) return unusable(std::move(stream.findings));
  return ScenarioFile{.text = std::move(text),
                      .tree = std::move(stream.documents.front()),
                      .shoot = *std::move(shoot)};
}

Outcome<ScenarioFile> find_scenario(const Request& request) {
  auto given = read_given(request.paths);
  if (!given) return fail(std::move(given.error()));
  if (given->scenario)
    return ScenarioFile{.text = std::move(given->scenario->text),
                        .tree = std::move(given->scenario->tree),
                        .shoot = {}};
  if (given->manifests) return fitting_comparison(request, *std::move(given->manifests));
  auto manifests = read_manifests(request.paths);
  if (!manifests) return fail(std::move(manifests.error()));
  return fitting_comparison(request, *std::move(manifests));
}

/// Finds a CostProfile by its name in the library or its path relative to `file`. `path` and
/// `place` say where `name` is written.
Outcome<document::Tree> find_profile(const std::string& name, const std::string& file,
                                     const std::string& path, const SourceLocation& place) {
  const std::string in_library = name + ".yaml";
  if (const auto text = library::find(in_library))
    return document::parse(*text, library::display_name(in_library)).documents.at(0);
  const std::string named = spec::relative_to(file, name);
  if (!document::refused_by_reading_limit(named) && !std::filesystem::exists(named))
    return unusable(Finding{
        .rule = "unknown-cost-profile",
        .message =
            fmt::format("{} is no cost profile of the library, and there is no such file", name),
        .path = path,
        .place = place,
        .hint = "the library has " + library::profile_names()});
  auto read = document::read_one(named);
  if (!read) return unusable(read.error());
  return *std::move(read);
}

/// The scenario's CostProfile; nothing if it names none.
Outcome<std::optional<document::Tree>> find_costs(const spec::Scenario& scenario,
                                                  const document::Value& named) {
  if (scenario.cost_profile.empty()) return std::optional<document::Tree>{};
  auto found =
      find_profile(scenario.cost_profile, scenario.file, "spec.costProfile", named.place());
  if (!found) return fail(std::move(found.error()));
  return *std::move(found);
}

/// The profiles of the hosts whose mean is `profile`.
Outcome<std::vector<cost::CostProfile>> find_hosts(const document::Tree& profile,
                                                   const spec::CostProfileFile& mean) {
  std::vector<cost::CostProfile> hosts;
  const SourceLocation place = profile.root()["spec"]["hosts"].place();
  for (const std::string& name : mean.hosts) {
    const auto tree = find_profile(name, place.file.str(), "spec.hosts", place);
    if (!tree) return fail(tree.error());
    auto costs = spec::decode_cost_profile(*tree);
    if (!costs) return unusable(std::move(costs.error()));
    hosts.push_back(*std::move(costs));
  }
  return hosts;
}

/// The source of each stage's costs, as given in the profile.
std::map<std::string, std::string> sources_of(const document::Tree& profile) {
  std::map<std::string, std::string> sources;
  const document::Value stages = profile.root()["spec"]["stages"];
  for (const cost::StageFacts& facts : cost::kStages)
    sources[fmt::format("stage {}", facts.name)] = stages[facts.name]["source"].text();
  return sources;
}

/// True if a round trip takes no simulated time at all.
bool nothing_takes_time(const Subject& subject, const std::optional<cost::CostProfile>& costs) {
  return subject.wire == cost::Wire::Veth && costs &&
         std::ranges::all_of(costs->stages,
                             [](const cost::StageCost& cost) { return cost == cost::StageCost{}; });
}

/// Warns if nodes have virtio NICs and the cost profile has no stage vhost: hypervisors then take
/// no time.
void check_vhost(const Subject& subject, const std::optional<cost::CostProfile>& costs,
                 const document::Tree& scenario, Findings& findings) {
  const bool is_free = costs && (*costs)[cost::Stage::Vhost] == cost::StageCost{};
  if (subject.wire != cost::Wire::Virtio || !is_free) return;
  findings.push_back({.rule = "no-vhost-cost",
                      .severity = Severity::Warning,
                      .message = fmt::format("cost profile {} has no stage vhost, and the nodes "
                                             "have virtio NICs: their hypervisors take no time",
                                             costs->name),
                      .object = document::object_of(scenario),
                      .path = "spec.costProfile",
                      .place = scenario.root()["spec"]["costProfile"].place(),
                      .hint = "copy the stage from scenarios/library/kvm.yaml, or set wire: nic"});
}

/// The CPU costs under the nodes' kernel.
Result<std::optional<cost::CostProfile>> costs_on(
    const Subject& subject, const std::optional<spec::CostProfileFile>& file) {
  if (subject.kernel.empty() && !file) return std::nullopt;
  if (subject.kernel.empty()) return file->costs;
  auto costs = file ? spec::costs_under(*file, subject.kernel) : std::nullopt;
  if (costs) return costs;
  std::string known = file ? file->kernel : "";
  if (file)
    for (const spec::KernelScale& kernel : file->kernels)
      known += (known.empty() ? "" : ", ") + kernel.name;
  Finding finding{.rule = "unknown-kernel",
                  .message = file ? fmt::format("cost profile {} says nothing about kernel {}",
                                                file->costs.name, subject.kernel)
                                  : "without a cost profile a kernel changes nothing",
                  .object = {},
                  .path = "spec.shoots[0].kernel",
                  .place = subject.kernel_place,
                  .hint = known.empty() ? "leave it out" : "it has " + known};
  return fail(std::move(finding));
}

/// Pods of a dual-stack shoot can use either family.
void assume_family(const spec::Scenario& scenario, Subject& subject) {
  const effective::EffectiveDataplane& shoot = subject.as_written;
  const bool all_say = std::ranges::all_of(scenario.variants, [](const spec::VariantSpec& variant) {
    return variant.family.has_value();
  });
  if (!shoot.secondary_dataplane || all_say) return;
  subject.assumptions.push_back({"traffic.ip_family", shoot.ip_families.front(), "IPv4 or IPv6",
                                 "pods talk in the shoot's first family", "default"});
}

/// Sets tcp_mtu_probing if the CNI sets this sysctl in its pods and the traffic gives no value.
void assume_mtu_probing(spec::Scenario& scenario, Subject& subject) {
  const cni::Profile* cni = cni::find_profile(subject.as_written.cni);
  if (cni == nullptr || !cni->run.mtu_probing) return;
  const auto& [value, source] = *cni->run.mtu_probing;
  bool is_assumed = false;
  for (spec::Traffic& traffic : scenario.traffic) {
    const bool by_tcp = traffic.kind != model::TrafficKind::Udp && !traffic.over_udp;
    if (!by_tcp || traffic.mtu_probing) continue;
    traffic.mtu_probing = value;
    is_assumed = true;
  }
  if (is_assumed)
    subject.assumptions.push_back({"tcp.mtu_probing",
                                   fmt::format("{}, where traffic gives none", value), "0 to 2",
                                   std::string(source), "default"});
}

/// Errors `unknown-node` for events on nodes that do not exist.
Findings unknown_nodes(const std::vector<spec::Event>& events,
                       const std::vector<std::string>& nodes) {
  Findings findings;
  for (const spec::Event& event : events)
    for (const std::string& name : {event.node, event.to}) {
      if (name.empty() || std::ranges::find(nodes, name) != nodes.end()) continue;
      findings.push_back(
          {.rule = "unknown-node",
           .message = fmt::format("event {}: there is no node {}", event.to_string(), name),
           .path = "spec.events",
           .place = event.place,
           .hint = nodes.size() == 1
                       ? "the only node is " + nodes.front()
                       : fmt::format("the nodes are {} to {}", nodes.front(), nodes.back())});
    }
  return findings;
}

/// Error `no-node-left` for the first event after which no node runs.
Findings without_nodes(const std::vector<spec::Event>& events, std::size_t nodes) {
  struct Turn {
    Picos at;
    bool starts = false;
    const spec::Event* event = nullptr;
  };
  std::vector<Turn> turns;
  std::map<std::string, bool> runs;
  for (const spec::Event& event : events) {
    const bool starts = event.kind == spec::EventKind::AddNode;
    if (!starts && event.kind != spec::EventKind::RemoveNode) continue;
    turns.push_back({event.at, starts, &event});
    if (event.lasts) turns.push_back({event.at + *event.lasts, !starts, &event});
  }
  std::ranges::stable_sort(turns, {}, &Turn::at);
  for (const Turn& turn : turns)
    runs.try_emplace(turn.event->node,
                     !turn.starts);  // A node whose first event is that it joins is absent before.
  const auto is_any_left = [&] {
    const auto gone = std::ranges::count(runs, false, &std::pair<const std::string, bool>::second);
    return static_cast<std::size_t>(gone) < nodes;
  };
  const auto fault = [](const spec::Event& event, const char* when) {
    return Findings{{.rule = "no-node-left",
                     .message = fmt::format("event {}: no node runs {}", event.to_string(), when),
                     .path = "spec.events",
                     .place = event.place,
                     .hint = "leave a node running"}};
  };
  if (!is_any_left()) return fault(*turns.front().event, "before");
  for (const Turn& turn : turns) {
    runs[turn.event->node] = turn.starts;
    if (!is_any_left()) return fault(*turn.event, "then");
  }
  return {};
}

/// Whether the event changes the cloud route to this destination. The event names the destination
/// itself, or the node with this pod CIDR.
bool changes_cloud_route(const spec::Event& event, const IpPrefix& destination,
                         const graph::Topology& topology) {
  if (event.kind != spec::EventKind::RemoveCloudRoute &&
      event.kind != spec::EventKind::AddCloudRoute)
    return false;
  if (event.destination) return *event.destination == destination;
  const auto node = std::ranges::find(topology.nodes(), event.node, &graph::Node::name);
  if (node == topology.nodes().end()) return false;
  return std::ranges::any_of(graph::kFamilies, [&](Family family) {
    const auto* addresses = node->addresses.in(family);
    return addresses != nullptr && addresses->pod_cidr == destination;
  });
}

/// Finds pairs of events that name the same cloud route in two ways: one by a node, the other by
/// the pod CIDR of this node.
Findings contradictory_routes(const std::vector<spec::Event>& events,
                              const graph::Topology& topology) {
  Findings findings;
  for (std::size_t i = 0; i < events.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const spec::Event& a = events[j];
      const spec::Event& b = events[i];
      if (a.destination.has_value() == b.destination.has_value()) continue;
      const spec::Event& by_destination = a.destination ? a : b;
      const spec::Event& by_node = a.destination ? b : a;
      if (!overlap_in_time(a, b) ||
          !changes_cloud_route(by_destination, *by_destination.destination, topology) ||
          !changes_cloud_route(by_node, *by_destination.destination, topology))
        continue;
      findings.push_back({.rule = std::string(spec::kContradictoryEvents),
                          .message = contradiction(a, b),
                          .path = "spec.events",
                          .place = b.place,
                          .hint = std::string(spec::kContradictionHint)});
    }
  return findings;
}

}  // namespace

Outcome<Prepared> prepare(const Request& request) {
  auto file = find_scenario(request);
  if (!file) return fail(std::move(file.error()));
  auto scenario = spec::decode_scenario(file->tree);
  if (!scenario) return unusable(std::move(scenario.error()));
  if (scenario->migration)
    return unusable(Finding{.rule = "is-migration",
                            .severity = Severity::Error,
                            .message = "the scenario is a migration, which has no traffic to run",
                            .object = document::object_of(file->tree),
                            .path = "spec.migration",
                            .place = scenario->migration->place,
                            .hint = "overlane migrate simulates it"});
  if (file->shoot) scenario->file.clear();  // Paths are relative to the working directory then.
  const auto profile = find_costs(*scenario, file->tree.root()["spec"]["costProfile"]);
  if (!profile) return fail(profile.error());
  std::optional<spec::CostProfileFile> costs_file;
  std::vector<cost::CostProfile> hosts;
  if (*profile) {
    auto decoded = spec::decode_cost_profile_file(**profile);
    if (!decoded) return unusable(std::move(decoded.error()));
    costs_file = *std::move(decoded);
    auto found = find_hosts(**profile, *costs_file);
    if (!found) return fail(std::move(found.error()));
    hosts = *std::move(found);
  }
  auto subject = load_subject(*scenario, request.subject, std::move(file->shoot));
  if (!subject) return fail(std::move(subject.error()));
  auto costs = costs_on(*subject, costs_file);
  if (!costs) return unusable(std::move(costs.error()));
  if (nothing_takes_time(*subject, *costs))
    return unusable(Finding{
        .rule = "nothing-takes-time",
        .severity = Severity::Error,
        .message = fmt::format("all costs of profile {} are zero, and veth pairs take no time: "
                               "the run would never end",
                               (*costs)->name),
        .object = document::object_of(file->tree),
        .path = "spec.costProfile",
        .place = file->tree.root()["spec"]["costProfile"].place(),
        .hint = "remove costProfile: CPU time is free then"});
  check_vhost(*subject, *costs, file->tree, subject->findings);
  std::vector<std::string> nodes;
  for (const graph::Node& node : subject->topology.nodes())
    nodes.push_back(node.name);
  if (auto unknown = unknown_nodes(scenario->events, nodes); !unknown.empty())
    return unusable(std::move(unknown));
  if (auto refused = without_nodes(scenario->events, nodes.size()); !refused.empty())
    return unusable(std::move(refused));
  if (auto refused = contradictory_routes(scenario->events, subject->topology); !refused.empty())
    return unusable(std::move(refused));
  assume_family(*scenario, *subject);
  assume_mtu_probing(*scenario, *subject);
  auto traffic =
      traffic::expand(scenario->traffic, subject->topology, subject->as_written.primary_family(),
                      seed_of(request, *scenario), subject->findings);
  if (!traffic) return unusable(traffic.error());
  const std::uint64_t seed = seed_of(request, *scenario);
  return Prepared{
      .scenario = *std::move(scenario),
      .subject = *std::move(subject),
      .costs = *std::move(costs),
      .cost_sources = *profile ? sources_of(**profile) : std::map<std::string, std::string>{},
      .cost_hosts = std::move(hosts),
      .traffic = *std::move(traffic),
      .show_steps = request.show_steps,
      .seed = seed,
      .text = std::move(file->text)};
}

}  // namespace overlane::runner

#include "scenarios/runner/load/subject.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/runner/load/given_files.h"
#include "scenarios/runner/load/machine.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/spec/topology_file.h"
#include "sim/host/machine.h"
#include "topologies/compile/compile.h"
#include "topologies/document/read/read.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/library/library.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::runner {

namespace {

std::string names(const std::vector<manifest::PodNetworkSpec>& clusters) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(clusters.size(), kShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", clusters[i].object.qualified());
  }
  if (clusters.size() > kShown) text += fmt::format(" and {} more", clusters.size() - kShown);
  return text;
}

Finding usage(std::string message, std::string hint) {
  return {.rule = "choose-shoot",
          .severity = Severity::Error,
          .message = std::move(message),
          .hint = std::move(hint)};
}

/// The statements of the documents about one shoot: its own, and those of the cluster's agents.
std::vector<spec::RegimeStatement> regimes_about(const document::Stream& documents,
                                                 const manifest::PodNetworkSpec& shoot) {
  std::vector<spec::RegimeStatement> all;
  for (const document::Tree& document : documents.documents) {
    for (spec::RegimeStatement& statement : spec::regimes_of(document)) {
      const bool is_agents = statement.object.kind == "ConfigMap" && shoot.type.value == "cilium";
      if (is_agents || statement.object == shoot.object) all.push_back(std::move(statement));
    }
  }
  return all;
}

}  // namespace

Outcome<ChosenShoot> choose_shoot(document::Stream documents, const SubjectOptions& options,
                                  const std::string& named_by_file) {
  derive::DeriveOptions derive = options.derive;
  derive::take_network_providers(documents, derive.declarative);
  const std::string& wanted = options.shoot.empty() ? named_by_file : options.shoot;
  manifest::ManifestSet manifests = manifest::decode(documents);
  auto& clusters = manifests.clusters;
  if (clusters.empty()) {
    if (!any_at_or_above(manifests.findings, Severity::Error)) {
      manifests.findings.push_back({.rule = "no-shoot",
                                    .severity = Severity::Error,
                                    .message = "no Shoot or Network to run was found",
                                    .hint = "give a file with one"});
    }
    return unusable(std::move(manifests.findings));
  }
  auto chosen = clusters.begin();
  if (!wanted.empty()) {
    chosen = std::ranges::find_if(
        clusters, [&](const auto& spec) { return spec.object.qualified() == wanted; });
    if (chosen == clusters.end()) {
      return fail(Failure{options.shoot.empty() ? Failure::Kind::Input : Failure::Kind::Usage,
                          {usage(fmt::format("there is no shoot {} in the input", wanted),
                                 "there is " + names(clusters))}});
    }
  } else if (clusters.size() > 1) {
    return fail(Failure{Failure::Kind::Usage,
                        {usage(fmt::format("the input holds {} shoots", clusters.size()),
                               "choose one with --shoot NAMESPACE/NAME: " + names(clusters))}});
  }
  std::vector<spec::RegimeStatement> regimes = regimes_about(documents, *chosen);
  return ChosenShoot{std::move(*chosen), std::move(derive), std::move(manifests.findings),
                     std::move(regimes)};
}

namespace {

using effective::EffectiveDataplane;

/// Traffic between nodes requires two nodes.
constexpr std::uint32_t kFewestNodes = 2;
constexpr std::uint32_t kDefaultPodsPerNode = 2;

/// The default number of pods per node: as many as the traffic needs.
std::uint32_t pods_needed(const spec::Scenario& scenario) {
  std::uint32_t most = kDefaultPodsPerNode;
  for (const spec::Traffic& traffic : scenario.traffic)
    most = std::max(most, traffic.pods_per_node);
  return most;
}

/// Reads a Topology file, by its path or its name in the library.
Outcome<spec::TopologyFile> read_topology(const std::string& name, const std::string& path) {
  const auto tree = topology_library::read_topology_named(name, path);
  if (!tree) return unusable(tree.error());
  auto file = spec::decode_topology(*tree);
  if (!file) return unusable(std::move(file.error()));
  return *std::move(file);
}

/// Adds the values of a Topology file to the shoot's documents.
void apply(const spec::VpcSpec& vpc, manifest::PodNetworkSpec& spec) {
  const auto from_topology = [&]<typename T>(T value, const char* path) {
    return manifest::Located<T>{std::move(value), vpc.place, path};
  };
  if (vpc.provider && !spec.shoot.provider) {
    spec.shoot.provider = from_topology(*vpc.provider, "spec.vpcs[0].provider");
  }
  if (vpc.mtu) spec.shoot.link_mtu = from_topology(std::int64_t{*vpc.mtu}, "spec.vpcs[0].mtu");
}

/// Checks that the Topology file and the shoot's documents name the same provider.
Result<void> check_provider(const spec::VpcSpec& vpc, const EffectiveDataplane& shoot) {
  if (!vpc.provider || *vpc.provider == shoot.provider_name) return {};
  return fail(Finding{
      .rule = "provider-mismatch",
      .severity = Severity::Error,
      .message = fmt::format("VPC \"{}\" is of provider {}, but {}/{} runs on {}", vpc.name,
                             *vpc.provider, shoot.namespace_, shoot.name, shoot.provider_name),
      .object = {"Topology", "", vpc.name},
      .path = "spec.vpcs[0].provider",
      .place = vpc.place,
      .hint = fmt::format("write provider: {}, or leave it out", shoot.provider_name)});
}

/// Records the number of nodes as an assumption if the minimum of the worker pools is too small for
/// traffic.
void assume_nodes(const spec::ShootSpec& asked, const EffectiveDataplane& shoot,
                  Assumptions& assumptions) {
  const std::int64_t minimum = shoot.minimum_nodes();
  if (asked.nodes || minimum >= kFewestNodes) return;
  assumptions.add(
      "nodes", std::to_string(kFewestNodes), "1 or more",
      fmt::format("the worker pools' minimum is {}; traffic between nodes needs two", minimum),
      "default");
}

/// Returns the number of Services. It is an assumption only if traffic uses a Service.
std::uint32_t services(const spec::ShootSpec& asked, const spec::Scenario& scenario,
                       Assumptions& assumptions) {
  constexpr std::uint32_t kServices = 100;
  if (asked.services) return *asked.services;
  if (std::ranges::any_of(scenario.traffic, &spec::Traffic::to_service)) {
    assumptions.add("services", std::to_string(kServices), "10 to 10000",
                    "no document gives the number of Services", "default");
  }
  return kServices;
}

fabric::Racks racks(const spec::RacksSpec& asked, Assumptions& assumptions) {
  if (!asked.gives_queue) {
    assumptions.add("racks.queue", fmt::format("{} packets", asked.racks.queue_packets),
                    "50 to 10000", "of each link between a leaf and a spine", "default");
  }
  assumptions.add("racks.ecmp", "hash of the outermost addresses, protocol and ports",
                  "some switches also look into tunnels, or at IPv6 flow labels",
                  "RFC 2992 and the usual setting of switches", "default");
  return asked.racks;
}

/// Warns if all nodes are in one rack, because then no packet uses the uplinks of the rack.
void check_racks(const spec::VpcSpec& vpc, const graph::Topology& topology, Findings& findings) {
  const std::vector<graph::Node>& nodes = topology.nodes();
  const auto is_elsewhere = [&](const graph::Node& node) {
    return node.zone != nodes.front().zone;
  };
  if (!vpc.racks || nodes.size() > vpc.racks->racks.nodes_per_rack ||
      std::ranges::any_of(nodes, is_elsewhere))
    return;
  findings.push_back({.rule = "one-rack",
                      .severity = Severity::Warning,
                      .message = fmt::format("all {} nodes are in one rack, so nothing goes by "
                                             "its uplinks",
                                             nodes.size()),
                      .object = {"Topology", "", vpc.name},
                      .path = "spec.vpcs[0].racks",
                      .place = vpc.racks->place,
                      .hint = "a smaller nodesPerRack makes more racks"});
}

/// Sets the latencies between nodes: from the file, the landscape or the provider, in this order.
void set_latencies(const spec::VpcSpec& vpc, const provider::PathLatency& usual,
                   const effective::Landscape& landscape, std::size_t zones, fabric::Paths& paths,
                   Assumptions& assumptions) {
  const auto latency = [](std::optional<Picos> given, std::optional<std::uint32_t> of_landscape,
                          std::uint32_t of_provider) {
    return given.value_or(microseconds(of_landscape.value_or(of_provider)));
  };
  const auto assume = [&](const char* parameter, std::uint32_t value, std::string_view range) {
    assumptions.add(parameter, fmt::format("{} µs", value), std::string(range),
                    std::string(usual.source.text()), "default");
  };
  paths.within_zone =
      latency(vpc.latency_within_zone, landscape.latency_within_zone, usual.within_zone);
  paths.across_zones =
      latency(vpc.latency_across_zones, landscape.latency_across_zones, usual.across_zones);
  if (!vpc.latency_within_zone && !landscape.latency_within_zone)
    assume("latency.within_zone", usual.within_zone, usual.within_zone_range);
  if (zones > 1 && !vpc.latency_across_zones && !landscape.latency_across_zones)
    assume("latency.across_zones", usual.across_zones, usual.across_zones_range);
  if (vpc.latency_jitter) {
    paths.jitter = *vpc.latency_jitter;
    return;
  }
  assumptions.add("latency.jitter", fmt::format("{} µs", paths.jitter.count / 1'000'000),
                  "0 to 20 µs", "uniform; keeps senders of equal rates from sending in step",
                  "default");
}

fabric::Paths paths(const spec::VpcSpec& vpc, cost::Wire wire, effective::Provider provider,
                    const effective::Landscape& landscape, std::size_t zones,
                    Assumptions& assumptions) {
  fabric::Paths paths;
  if (wire == cost::Wire::Veth) {
    paths.within_zone = paths.across_zones = paths.jitter = {};
  } else {
    set_latencies(vpc, provider::profile_of(provider).fabric.latency, landscape, zones, paths,
                  assumptions);
  }
  assumptions.add("udp.timer_jitter", "10 µs, within the gap", "0 to 50 µs",
                  "a sender's timer; keeps senders of equal rates from sending in step", "default");
  if (vpc.racks) paths.racks = racks(*vpc.racks, assumptions);
  const host::Machine defaults;
  assumptions.add("queue.nic", fmt::format("{} packets", defaults.nic_queue_packets),
                  "256 to 10000", "Linux's txqueuelen; the fabric's port to a NIC has the same",
                  "default");
  assumptions.add("tcp.window", "3 MiB, where traffic gives none", "64 KiB to 16 MiB",
                  "half of Linux's net.ipv4.tcp_rmem", "default");
  return paths;
}

/// Rejects patches that do not decode: these are errors in the scenario, not results of a variant.
Result<void> check_patches(const spec::Scenario& scenario, const manifest::PodNetworkSpec& shoot,
                           const derive::DeriveOptions& options) {
  for (const spec::VariantSpec& variant : scenario.variants) {
    const document::Value patch = variant.network_config.root();
    if (!patch) continue;
    if (auto finding = derive::undecodable_config(shoot, options, patch)) {
      return fail(*std::move(finding));
    }
  }
  return {};
}

/// Rejects loss and restrictions of the fabric if nodes are namespaces of one machine, which have
/// no fabric.
Result<void> check_fabric(const spec::Scenario& scenario, const spec::VpcSpec& vpc,
                          cost::Wire wire) {
  if (wire != cost::Wire::Veth) return {};
  const auto loses = [](const spec::VariantSpec& variant) { return variant.loss.any(); };
  const auto hinders = [&](const spec::VariantSpec& variant) {
    return variant.fabric.or_else(vpc.fabric).any();
  };
  const bool loss = std::ranges::any_of(scenario.variants, loses);
  if (!loss && std::ranges::none_of(scenario.variants, hinders)) return {};
  return fail(Finding{.rule = "bad-value",
                      .severity = Severity::Error,
                      .message = fmt::format("{} a fabric's, and veth pairs join these nodes",
                                             loss ? "loss is" : "pathMtu and deny are"),
                      .object = {"Scenario", "", scenario.name},
                      .path = loss ? "spec.loss" : "spec",
                      .place = scenario.place,
                      .hint = "remove it, or set wire: nic in the topology"});
}

/// Rejects CNIs that can be explained but have no states.
Result<void> check_known(const effective::EffectiveDataplane& shoot) {
  if (!shoot.opaque) return {};
  const ObjectName object{shoot.kind, shoot.namespace_, shoot.name};
  return fail(Finding{.rule = "unsupported-cni",
                      .message = fmt::format(
                          "{}: Overlane does not model what the network type {} does with packets",
                          object.qualified(), shoot.cni),
                      .object = object,
                      .place = shoot.place,
                      .hint = topology_library::describe_network_type(shoot.cni)});
}

/// Whether the dataplane has the host routing that the agents' setting asks for.
bool has_host_routing(const spec::RegimeStatement& asked, const EffectiveDataplane& shoot) {
  const bool is_ebpf = shoot.dataplane.service_routing == effective::ServiceRouting::Cilium;
  return asked.setting.ends_with(is_ebpf ? "false" : "true");
}

/// Adds a finding for each setting of the shoot or its machines that is not modelled.
void report_regimes(SubjectSpec& subject, const EffectiveDataplane& shoot) {
  for (const spec::RegimeStatement& statement : subject.shoot.regimes) {
    if (statement.regime == spec::Regime::HostRouting && has_host_routing(statement, shoot))
      continue;
    subject.shoot.findings.push_back(spec::unsupported(statement));
  }
  for (const spec::RegimeStatement& statement : subject.asked.machine.regimes)
    subject.shoot.findings.push_back(spec::unsupported(statement));
}

}  // namespace

Outcome<SubjectSpec> read_subject(const spec::Scenario& scenario, const SubjectOptions& options,
                                  std::optional<ChosenShoot> given) {
  SubjectSpec subject;
  std::string topology;  // The file's path.
  if (scenario.topology) {
    auto file =
        read_topology(*scenario.topology, spec::relative_to(scenario.file, *scenario.topology));
    if (!file) return fail(std::move(file.error()));
    subject.vpc = std::move(file->vpc);
    subject.asked = std::move(file->shoot);
    topology = std::move(file->file);
  }
  document::Stream documents;
  if (!given) {
    auto read = scenario.topology ? read_named_manifests(topology, {subject.asked.manifest})
                                  : read_named_manifests(scenario.file, scenario.manifests);
    if (!read) return fail(std::move(read.error()));
    documents = *std::move(read);
  }
  if (auto possible =
          check_fabric(scenario, subject.vpc, subject.asked.wire.value_or(cost::Wire::Nic));
      !possible)
    return unusable(possible.error());
  if (!given) {
    auto chosen = choose_shoot(std::move(documents), options,
                               subject.asked.shoot.empty() ? scenario.shoot : subject.asked.shoot);
    if (!chosen) return fail(std::move(chosen.error()));
    given = *std::move(chosen);
  }
  subject.shoot = *std::move(given);
  if (options.nodes) subject.asked.nodes = options.nodes;
  apply(subject.vpc, subject.shoot.spec);
  return subject;
}

SubjectSpec with_families(SubjectSpec subject, const std::vector<std::string>& families) {
  manifest::PodNetworkSpec& spec = subject.shoot.spec;
  const effective::Families now(spec);
  const effective::Addressing known =
      effective::decide_addressing(spec, provider_profile(spec), now);
  const auto keep = [&](manifest::Field<IpPrefix>& field, const std::vector<IpPrefix>& ranges,
                        const char* path) {
    if (!field && !ranges.empty())
      field = manifest::Located<IpPrefix>{ranges.front(), spec.place, path};
  };
  keep(spec.pods, known.pods.value, "spec.networking.pods");
  keep(spec.services, known.services.value, "spec.networking.services");
  keep(spec.shoot.nodes, known.nodes.value, "spec.networking.nodes");
  if (now.is_dual_stack()) {
    assume_ipv6_ranges(spec);
    auto& status = spec.shoot.status_nodes;
    if (status.size() == 1)
      status.insert(status.begin(),
                    {known.nodes.value.front(), spec.place, "status.networking.nodes"});
  }
  spec.is_changed = true;
  spec.ip_families = manifest::Located<std::vector<std::string>>{families, spec.place,
                                                                 "spec.networking.ipFamilies"};
  return subject;
}

Outcome<DerivedSubject> derive_subject(SubjectSpec subject) {
  const spec::VpcSpec& vpc = subject.vpc;
  const spec::ShootSpec& asked = subject.asked;
  const std::vector<model::Assumption> ranges = assume_ipv6_ranges(subject.shoot.spec);
  auto as_written = derive::derive(subject.shoot.spec, subject.shoot.derive);
  if (!as_written) return unusable(as_written.error());
  if (auto known = check_known(*as_written); !known) return unusable(known.error());
  if (auto agreed = check_provider(vpc, *as_written); !agreed) return unusable(agreed.error());
  if (!vpc.zones.empty()) {
    as_written->zones = vpc.zones;
    // A single subnet for all zones also applies to the zones of the file.
    if (!as_written->has_one_subnet()) as_written->node_subnets.given.clear();
  }

  report_regimes(subject, *as_written);
  Assumptions assumptions(*as_written, ranges);
  const cost::Wire wire = asked.wire ? *asked.wire : default_wire(*as_written, assumptions);
  const host::Machine machine = runner::machine(asked, wire, *as_written, assumptions);
  return DerivedSubject{.given = std::move(subject),
                        .as_written = *std::move(as_written),
                        .wire = wire,
                        .machine = machine,
                        .assumptions = std::move(assumptions)};
}

std::uint32_t DerivedSubject::nodes() const {
  if (given.asked.nodes) return *given.asked.nodes;
  // Larger numbers exceed every pod range, and Topology::build reports them.
  constexpr std::int64_t kMax = 1 << 28;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(as_written.minimum_nodes(), kFewestNodes, kMax));
}

Outcome<Subject> place_subject(DerivedSubject derived, const spec::Scenario& scenario,
                               std::uint32_t joining) {
  const std::uint32_t nodes = derived.nodes() + joining;
  auto& [given, as_written, wire, machine, assumptions] = derived;
  auto& [shoot, options, findings, regimes] = given.shoot;
  const spec::VpcSpec& vpc = given.vpc;
  const spec::ShootSpec& asked = given.asked;
  assume_nodes(asked, as_written, assumptions);
  auto topology =
      graph::Topology::build({.shoot = &as_written,
                              .nodes = nodes,
                              .pods_per_node = asked.pods_per_node.value_or(pods_needed(scenario)),
                              .machine = {.cores = machine.cores, .nic = machine.nic_rate},
                              .route_quota = vpc.route_quota.value_or(0),
                              .foreign_routes = vpc.foreign_routes});
  if (!topology) return unusable(topology.error());
  std::optional<Finding> no_states = compile::refusal(as_written);
  if (no_states && std::ranges::none_of(scenario.variants, &spec::VariantSpec::changes_dataplane))
    return unusable(*std::move(no_states));
  if (auto admitted = check_patches(scenario, shoot, options); !admitted)
    return unusable(admitted.error());
  const fabric::Paths latencies = paths(vpc, wire, as_written.provider, options.landscape,
                                        topology->zones().size(), assumptions);
  // This finding is no error here, because patches of variants may resolve it.
  if (const Finding* unrouted = effective::finding_about_addresses(as_written))
    findings.push_back(*unrouted);
  if (!no_states) check_racks(vpc, *topology, findings);
  const fabric::Limits limits =
      runner::limits(vpc, asked, machine, as_written, options.landscape, assumptions);
  const auto facts = machine_facts(asked.machine, wire, as_written.machine, machine, limits);
  const AssumedRss rss = assumed_rss(asked.machine, wire, as_written, machine);
  const std::uint32_t service_count = services(asked, scenario, assumptions);
  return Subject{.spec = std::move(shoot),
                 .derive = std::move(options),
                 .as_written = std::move(as_written),
                 .topology = *std::move(topology),
                 .machine = machine,
                 .assumed_rss = rss,
                 .machine_facts = facts,
                 .wire = wire,
                 .kernel = asked.kernel,
                 .kernel_place = asked.kernel_place,
                 .services = service_count,
                 .nodes_are_given = asked.nodes.has_value(),
                 .paths = latencies,
                 .limits = limits,
                 .fabric = vpc.fabric,
                 .assumptions = assumptions.list(),
                 .findings = std::move(findings),
                 .no_states = std::move(no_states)};
}

Outcome<Subject> load_subject(const spec::Scenario& scenario, const SubjectOptions& options,
                              std::optional<ChosenShoot> given) {
  auto subject = read_subject(scenario, options, std::move(given));
  if (!subject) return fail(std::move(subject.error()));
  auto derived = derive_subject(*std::move(subject));
  if (!derived) return fail(std::move(derived.error()));
  return place_subject(*std::move(derived), scenario);
}

}  // namespace overlane::runner

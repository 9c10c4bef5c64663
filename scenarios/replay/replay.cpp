#include "scenarios/replay/replay.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/place.h"
#include "dataplane/kernel/namespaces/user_ipip.h"
#include "dataplane/kernel/routing/bird_mesh.h"
#include "dataplane/kernel/set_up/changes.h"
#include "dataplane/kernel/set_up/cluster_namespaces.h"
#include "dataplane/kernel/traffic/connections.h"
#include "dataplane/kernel/traffic/probes.h"
#include "dataplane/node/state/world.h"
#include "scenarios/migration/actors/components.h"
#include "scenarios/replay/cloud.h"
#include "topologies/kernel_trace/reach.h"

namespace overlane::replay {
namespace {

using migration::Components;
using migration::SwitchComponents;
using migration::Transition;

/// Real time before the first change, in which the probes see the cluster at rest.
constexpr Picos kBefore = seconds(1);
/// Real time after the last change.
constexpr Picos kAfter = seconds(2);
/// How long the route controller may be behind the simulated one at the end.
constexpr Picos kPatience = seconds(30);
/// Only small datagrams between pods are sent in every interval, all others in every second.
constexpr std::uint32_t kSeldom = 2;
/// IPv4 and UDP headers of a probe.
constexpr std::uint32_t kHeaders = 28;

bool writes_routes(const Transition& transition) {
  return transition.after.dataplane.cloud_routes == effective::CloudRoutes::Written;
}

/// When the route controller of these components starts; nothing while that is not known.
std::optional<Picos> routes_begin_at(const Components& components, const Transition& transition,
                                     const migration::Timing& timing) {
  const auto& ready = components.objects().control_plane_ready_at;
  if (!ready || !writes_routes(transition)) return std::nullopt;
  return *ready + timing.route_controller_start;
}

/// Why the replay cannot make a change of the world; empty if it can.
std::string obstacle_to(const node::WorldChange& change, const node::World& world) {
  if (!change.stopped.empty() || !change.started.empty() || !change.ended.empty() ||
      !change.restarted.empty())
    return "nodes join or leave during the switch";
  if (change.fabric.all || !change.fabric.instances.empty() || !change.fabric.groups.empty())
    return "the switch changes interfaces or firewalls of the cloud";
  for (const auto& [table, prefix] : change.fabric.destinations) {
    const node::FabricRoute* route = world.fabric.route_tables.at(table).routes.find(prefix);
    if (route != nullptr && route->owner == node::FabricRouteOwner::Bgp)
      return "nodes announce their pods to the network by BGP";
  }
  return "";
}

/// The first and the last time at which something happens in a planned switch.
struct Extent {
  std::optional<Picos> begin;
  Picos end;
  std::string obstacle;
};

Extent extent_of(const ReplayPlan& plan) {
  const migration::Loaded& loaded = plan.loaded;
  Extent extent;
  node::World world = world_at_start(loaded.transition, plan.strategy);
  node::WorldEditor editor(world);
  SwitchComponents components(loaded.transition, plan.strategy, loaded.timing, plan.seed,
                              loaded.disturbance);
  const auto begins = [&](Picos at) { extent.begin = std::min(extent.begin.value_or(at), at); };
  while (const std::optional<Picos> now = components.next()) {
    components.act(editor, *now);
    const node::WorldChange change = editor.take();
    if (change.any()) {
      begins(*now);
      extent.end = *now;
    }
    if (const auto at = routes_begin_at(components.there(), loaded.transition, loaded.timing))
      begins(*at);
    if (extent.obstacle.empty()) extent.obstacle = obstacle_to(change, world);
  }
  return extent;
}

/// The commands of set_up(), and those for the NodePorts of the replay.
kernel::SetUp set_up_of(const node::NodeState& state,
                        const std::optional<ReplayedServices>& services) {
  kernel::SetUp made = kernel::set_up(state);
  if (services) kernel::add_node_ports(services->node_ports, made.commands);
  return made;
}

/// The commands that made the namespace of a node in this state, without the neighbours on the
/// uplink, whose link-layer addresses are those of the fabric.
std::vector<kernel::Command> commands_of(const node::NodeState& state,
                                         const std::optional<ReplayedServices>& services) {
  std::vector<kernel::Command> commands = set_up_of(state, services).commands;
  const node::Device* uplink = state.uplink();
  if (uplink == nullptr) return commands;
  const std::string device = fmt::format(" dev {} ", uplink->name.view());
  std::erase_if(commands, [&](const kernel::Command& command) {
    return command.program == kernel::Program::Ip && command.arguments.starts_with("neigh ") &&
           command.arguments.find(device) != std::string::npos;
  });
  return commands;
}

/// The address of the client of NodePorts, in a range for documentation (RFC 5737).
constexpr Ipv4Address kOutside{198u << 24 | 51u << 16 | 100u << 8 | 1};

/// The cluster of a replay in namespaces, with one pod on each node, and a client outside if it has
/// NodePorts.
class ReplayedCluster {
 public:
  /// `has_ipip`: the kernel has IPIP devices; otherwise threads of this process are in their place.
  /// `services` must outlive this object.
  static Parsed<std::unique_ptr<ReplayedCluster>> make(
      const node::World& world, const std::optional<ReplayedServices>& services, bool has_ipip);

  const kernel::NetworkNamespace& fabric() const { return nodes_.fabric(); }
  const std::vector<kernel::SetUp>& set_ups() const { return set_ups_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(pods_.size()); }
  /// The ends of probes: the pods of all nodes, then the nodes, then the client outside.
  std::vector<kernel::ProbeEnd> ends() const;
  const IpAddress& address_of(std::uint32_t node) const { return node_addresses_[node]; }
  const std::optional<ReplayedServices>& services() const { return services_; }

  /// Brings the namespace of a node to this state.
  Result<void, std::string> change(std::uint32_t node, const node::NodeState& state);

  /// Starts BIRD on all nodes, which from then on writes the routes that are left to it.
  Result<void, std::string> start_bird(const node::World& world, const migration::Loaded& loaded);
  /// Ends the BIRD of a node if there is one.
  void end_bird(std::uint32_t node) {
    if (bird_) bird_->end(node);
  }

 private:
  ReplayedCluster(kernel::ClusterNamespaces nodes, const std::optional<ReplayedServices>& services)
      : nodes_(std::move(nodes)), services_(services) {}

  Result<void, std::string> add_pod(const node::NodeState& state);

  kernel::ClusterNamespaces nodes_;
  const std::optional<ReplayedServices>& services_;
  std::optional<kernel::NetworkNamespace> outside_;
  std::vector<kernel::UserIpip> tunnels_;
  std::vector<kernel::SetUp> set_ups_;  ///< At the start.
  std::optional<kernel::BirdMesh> bird_;
  std::vector<kernel::NetworkNamespace> pods_;
  std::vector<IpAddress> pod_addresses_, node_addresses_;
  std::vector<std::vector<kernel::Command>> commands_;  ///< What made each node as it is now.
};

Parsed<std::unique_ptr<ReplayedCluster>> ReplayedCluster::make(
    const node::World& world, const std::optional<ReplayedServices>& services, bool has_ipip) {
  std::vector<kernel::SetUp> set_ups;
  for (const node::NodeState& state : world.nodes)
    set_ups.push_back(set_up_of(state, services));
  const auto fabric = kernel::fabric_set_up(world.fabric, set_ups);
  if (!fabric) return fail(fabric.error());
  std::vector<kernel::UserIpip> tunnels;
  const auto add_ipip = [&](const kernel::NetworkNamespace& node) -> Result<void, std::string> {
    auto made = kernel::UserIpip::make(node);
    if (!made) return fail(made.error());
    tunnels.push_back(*std::move(made));
    return {};
  };
  auto nodes = kernel::ClusterNamespaces::make(
      set_ups, *fabric, has_ipip ? kernel::ClusterNamespaces::Prepare() : add_ipip);
  if (!nodes) return fail(nodes.error());
  std::unique_ptr<ReplayedCluster> made(new ReplayedCluster(*std::move(nodes), services));
  made->tunnels_ = std::move(tunnels);
  made->set_ups_ = std::move(set_ups);
  for (const node::NodeState& state : world.nodes)
    if (const auto done = made->add_pod(state); !done) return fail(done.error());
  if (services) {
    auto outside = kernel::make_outside_client(world.fabric, made->fabric(), kOutside);
    if (!outside) return fail(outside.error());
    made->outside_.emplace(*std::move(outside));
  }
  return made;
}

Result<void, std::string> ReplayedCluster::add_pod(const node::NodeState& state) {
  const std::size_t node = pods_.size();
  const IpAddress pod = state.pods.front().address;
  auto made = kernel::make_pod(state, set_ups_[node], nodes_.world(node), pod);
  if (!made) return fail(made.error());
  pods_.push_back(*std::move(made));
  pod_addresses_.push_back(pod);
  node_addresses_.push_back(*state.address(pod.family()));
  commands_.push_back(commands_of(state, services_));
  if (auto done = kernel::wait_until_running(pods_.back(), "eth0"); !done) return done;
  const std::string uplink(state.uplink()->name.view());
  return kernel::wait_until_running(nodes_.node(node), uplink);
}

std::vector<kernel::ProbeEnd> ReplayedCluster::ends() const {
  std::vector<kernel::ProbeEnd> ends;
  for (std::size_t i = 0; i < pods_.size(); ++i)
    ends.push_back({&pods_[i], pod_addresses_[i]});
  for (std::size_t i = 0; i < pods_.size(); ++i)
    ends.push_back({&nodes_.node(i), node_addresses_[i]});
  if (outside_) ends.push_back({&*outside_, kOutside});
  return ends;
}

/// The pod CIDRs of peers to which BIRD writes routes of this state that need no tunnel.
std::set<IpPrefix> left_to_bird(const node::NodeState& state) {
  std::set<IpPrefix> prefixes;
  for (const node::RouteMatch& match : node::main_table(state)) {
    const node::Route& route = match.route;
    const bool needs_no_tunnel = route.device.empty() || route.device == state.uplink()->name;
    const bool is_own = match.destination == state.member().ipv4->pod_cidr;
    if (route.protocol == node::RouteProtocol::Bird && needs_no_tunnel && !is_own)
      prefixes.insert(match.destination);
  }
  return prefixes;
}

Result<void, std::string> ReplayedCluster::start_bird(const node::World& world,
                                                      const migration::Loaded& loaded) {
  std::vector<kernel::BirdNode> nodes;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const node::NodeState& state = world.nodes[i];
    const node::Subnet& subnet = world.fabric.subnets[world.fabric.instances[i].subnet];
    const auto cidr = std::ranges::find_if(
        subnet.cidrs, [&](const IpPrefix& one) { return one.contains(node_addresses_[i]); });
    if (cidr == subnet.cidrs.end()) return fail("a node's address is in no subnet");
    nodes.push_back({.place = &nodes_.node(i),
                     .uplink = std::string(state.uplink()->name.view()),
                     .address = node_addresses_[i],
                     .subnet = *cidr,
                     .pod_cidr = state.member().ipv4->pod_cidr});
    if (loaded.transition.beyond_subnet == migration::BeyondSubnet::Gateway)
      nodes.back().gateway = node::router(subnet, true);
  }
  const std::int64_t restart_time = loaded.timing.graceful_restart.whole_nanoseconds();
  auto mesh = kernel::BirdMesh::start(
      std::move(nodes),
      std::chrono::round<std::chrono::seconds>(std::chrono::nanoseconds(restart_time)));
  if (!mesh) return fail(mesh.error());
  bird_.emplace(*std::move(mesh));
  for (std::uint32_t i = 0; i < size(); ++i)
    if (auto done = change(i, world.nodes[i]); !done) return done;
  return {};
}

Result<void, std::string> ReplayedCluster::change(std::uint32_t node,
                                                  const node::NodeState& state) {
  std::vector<kernel::Command> after = commands_of(state, services_);
  if (bird_) {
    const std::set<IpPrefix> prefixes = left_to_bird(state);
    // A BIRD that runs withdraws routes by itself. After its end, cleanup-routes removes them.
    auto done = bird_->runs(node)  ? bird_->write_routes(node, prefixes)
                : prefixes.empty() ? bird_->remove_routes(node)
                                   : Result<void, std::string>();
    if (!done) return done;
    for (const IpPrefix& prefix : prefixes)
      std::erase_if(after, [&](const kernel::Command& command) {
        return command.arguments.starts_with("route ") &&
               command.arguments.find(' ' + prefix.to_string() + ' ') != std::string::npos;
      });
  }
  const auto changes = kernel::commands_between(commands_[node], after);
  commands_[node] = std::move(after);
  return kernel::run_commands(changes, nodes_.node(node), nodes_.world(node));
}

/// The probes and connections between all nodes of a cluster.
class Watch {
 public:
  static Parsed<std::unique_ptr<Watch>> start(const ReplayedCluster& cluster,
                                              const node::World& world,
                                              std::uint32_t probes_per_second);

  /// Stops, and adds what was seen.
  void finish(const ReplayClock& clock, Observation& observation);

 private:
  /// A kind of traffic, and its two nodes.
  struct Pair {
    Traffic traffic{};
    std::uint32_t from = 0, to = 0;
  };

  void add_paths(const ReplayedCluster& cluster, const node::World& world);
  void add_connections(const ReplayedCluster& cluster);
  std::chrono::milliseconds interval_for(std::uint32_t probes_per_second) const;

  std::vector<kernel::ProbePath> paths_;
  std::vector<Pair> pairs_;  ///< By path.
  std::vector<kernel::ProbeConnection> connections_;
  std::vector<Pair> connected_pairs_;  ///< By connection.
  std::optional<kernel::Probes> probes_;
  std::optional<kernel::Connections> connected_;
  std::chrono::milliseconds interval_{};
};

/// The path of a kind of traffic between two nodes; nothing if the cluster has none.
std::optional<kernel::ProbePath> path_of(Traffic traffic, std::uint32_t from, std::uint32_t to,
                                         const ReplayedCluster& cluster, const node::World& world) {
  const std::uint32_t nodes = cluster.size();
  kernel::ProbePath path{.from = from, .to = to, .every = kSeldom};
  switch (traffic) {
    case Traffic::PodToPod:
      path.every = 1;
      return path;
    case Traffic::FullSize:
      path.payload_bytes = world.nodes[from].pods.front().mtu - kHeaders;
      return path;
    case Traffic::NodeToPod:
      path.from += nodes;
      break;
    case Traffic::PodToNode:
      path.to += nodes;
      break;
    case Traffic::Dns:
      if (cluster.services()) path.service = cluster.services()->dns_of(to);
      if (!path.service) return std::nullopt;
      break;
    case Traffic::NodePort:
      if (!cluster.services()) return std::nullopt;
      path.from = 2 * nodes;
      path.service = ReplayedServices::node_port_of(to, cluster.address_of(from));
      break;
  }
  path.is_answered = true;
  return path;
}

void Watch::add_paths(const ReplayedCluster& cluster, const node::World& world) {
  for (const Traffic traffic : kTraffic)
    for (std::uint32_t from = 0; from < cluster.size(); ++from)
      for (std::uint32_t to = 0; to < cluster.size(); ++to) {
        if (from == to) continue;
        const auto path = path_of(traffic, from, to, cluster, world);
        if (!path) continue;
        pairs_.push_back({traffic, from, to});
        paths_.push_back(*path);
      }
}

/// Connections of pods with requests and silent ones for each pair of nodes, and in both directions
/// streams and connections by NodePorts.
void Watch::add_connections(const ReplayedCluster& cluster) {
  using kernel::ConnectionUse;
  const std::uint32_t nodes = cluster.size();
  const auto add = [&](const Pair& pair, const kernel::ProbeConnection& connection) {
    connected_pairs_.push_back(pair);
    connections_.push_back(connection);
  };
  for (std::uint32_t client = 0; client < nodes; ++client)
    for (std::uint32_t server = 0; server < nodes; ++server) {
      if (client == server) continue;
      const Pair pods{Traffic::PodToPod, client, server};
      if (client < server)
        for (const ConnectionUse use : {ConnectionUse::Requests, ConnectionUse::Idle})
          add(pods, {client, server, use});
      add(pods, {client, server, ConnectionUse::Stream});
      if (cluster.services())
        add({Traffic::NodePort, client, server},
            {2 * nodes, server, ConnectionUse::Requests,
             ReplayedServices::node_port_of(server, cluster.address_of(client))});
    }
}

std::chrono::milliseconds Watch::interval_for(std::uint32_t probes_per_second) const {
  constexpr double kShortest = 10;  // In milliseconds.
  double per_interval = 0;
  for (const kernel::ProbePath& path : paths_)
    per_interval += 1.0 / path.every;
  return std::chrono::milliseconds(
      std::lround(std::max(kShortest, per_interval * 1000 / probes_per_second)));
}

Parsed<std::unique_ptr<Watch>> Watch::start(const ReplayedCluster& cluster,
                                            const node::World& world,
                                            std::uint32_t probes_per_second) {
  auto made = std::make_unique<Watch>();
  made->add_paths(cluster, world);
  made->add_connections(cluster);
  made->interval_ = made->interval_for(probes_per_second);
  const std::vector<kernel::ProbeEnd> ends = cluster.ends();
  auto connected = kernel::Connections::start(ends, made->connections_, made->interval_ * 2);
  if (!connected) return fail(connected.error());
  made->connected_.emplace(*std::move(connected));
  auto probes = kernel::Probes::start(ends, made->paths_, made->interval_);
  if (!probes) return fail(probes.error());
  made->probes_.emplace(*std::move(probes));
  return made;
}

void Watch::finish(const ReplayClock& clock, Observation& observation) {
  observation.interval = nanoseconds(std::chrono::nanoseconds(interval_ * kSeldom).count());
  connected_->stop();
  observation.end = clock.now();
  for (const Pair& pair : pairs_)
    if (std::ranges::count(observation.traffic, pair.traffic) == 0)
      observation.traffic.push_back(pair.traffic);
  const auto gaps = probes_->finish();
  for (std::size_t path = 0; path < gaps.size(); ++path)
    for (const kernel::ProbeGap& gap : gaps[path]) {
      const auto& [traffic, from, to] = pairs_[path];
      observation.interruptions.push_back(
          {traffic, from, to, clock.of(gap.begin),
           gap.end ? std::optional(clock.of(*gap.end)) : std::nullopt});
    }
  constexpr std::chrono::milliseconds kLastAnswers{3000};
  const auto outcomes = connected_->finish(kLastAnswers);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const auto& [traffic, client, server] = connected_pairs_[i];
    observation.connections.push_back(
        {.traffic = traffic,
         .use = connections_[i].use,
         .client = client,
         .server = server,
         .longest_wait = nanoseconds(outcomes[i].longest_wait.count()),
         .is_answered = outcomes[i].is_answered,
         .failure = outcomes[i].failure});
  }
}

/// The route controllers of a switch, and of its rollback.
class RouteLoops {
 public:
  RouteLoops(const ReplayPlan& plan, const ReplayClock& clock, CloudApi& api)
      : plan_(plan), clock_(clock), api_(api) {}

  /// Starts and stops them as the components say.
  void follow(const SwitchComponents& components) {
    if (!components.acts_there() && there_) there_->stop();
    if (components.acts_there()) start(there_, components.there(), plan_.loaded.transition);
    if (components.back() != nullptr) start(back_, *components.back(), *components.reversed());
  }
  bool are_idle() const {
    return std::ranges::all_of(all(), [](const RouteLoop* loop) { return loop->is_idle(); });
  }
  /// Stops them, and adds their steps. Fails if one of them failed.
  Result<void, std::string> finish(std::vector<migration::Step>& steps) {
    for (RouteLoop* loop : all()) {
      loop->stop();
      steps.insert(steps.end(), loop->steps().begin(), loop->steps().end());
      if (!loop->failure().empty()) return fail(loop->failure());
    }
    return {};
  }

 private:
  void start(std::unique_ptr<RouteLoop>& loop, const Components& components,
             const Transition& transition) {
    if (loop) return;
    if (const auto at = routes_begin_at(components, transition, plan_.loaded.timing))
      loop = std::make_unique<RouteLoop>(transition, plan_.loaded.timing, *at, clock_, api_);
  }
  std::vector<RouteLoop*> all() const {
    std::vector<RouteLoop*> loops;
    for (const auto* loop : {&there_, &back_})
      if (*loop) loops.push_back(loop->get());
    return loops;
  }

  const ReplayPlan& plan_;
  const ReplayClock& clock_;
  CloudApi& api_;
  std::unique_ptr<RouteLoop> there_, back_;
};

}  // namespace

Parsed<ReplayPlan> plan_replay(migration::Loaded loaded, const migration::Strategy& strategy,
                               std::uint64_t seed) {
  using Kind = migration::Disturbance::Kind;
  if (loaded.disturbance && loaded.disturbance->kind != Kind::Rollback)
    return fail("nodes join or leave during the switch");
  Transition& transition = loaded.transition;
  ReplayPlan plan;
  plan.strategy = strategy;
  plan.seed = seed;
  plan.left_out = kernel::left_to_the_model(transition.from.fabric);
  for (compile::Compiled* states : {&transition.from, &transition.to}) {
    states->fabric = kernel::without_what_is_left(std::move(states->fabric));
    if (std::string reason = testbed::obstacle(*states); !reason.empty()) return fail(reason);
    for (const node::NodeState& node : states->nodes)
      if (node.pods.empty()) return fail("a node has no pod to probe");
  }
  plan.services = add_services(transition);
  if (!plan.services) plan.left_out.emplace_back("Services and NodePorts");
  plan.loaded = std::move(loaded);
  const Extent extent = extent_of(plan);
  if (!extent.obstacle.empty()) return fail(extent.obstacle);
  if (!extent.begin) return fail("the switch changes nothing");
  plan.begin = *extent.begin - kBefore;
  plan.end = extent.end;
  plan.predicted =
      simulate(plan.loaded.transition, plan.strategy, plan.loaded.timing, seed,
               {.watched = migration::Watched::AllTraffic, .disturbance = plan.loaded.disturbance});
  return plan;
}

namespace {

constexpr std::string_view kIpip = "ipip";

/// The abilities that the switch needs and this kernel does not have.
std::vector<std::string> missing_abilities(const ReplayPlan& plan, const kernel::Answer& able) {
  std::vector<std::string> missing;
  for (const compile::Compiled* states : {&plan.loaded.transition.from, &plan.loaded.transition.to})
    for (const std::string& name : testbed::needed_abilities(*states)) {
      const auto at = std::ranges::find(able.abilities, name, &kernel::Ability::name);
      const bool has = at != able.abilities.end() && at->missing.empty();
      if (!has && std::ranges::count(missing, name) == 0) missing.push_back(name);
    }
  return missing;
}

}  // namespace

Parsed<NodeKernel> kernel_for(const ReplayPlan& plan) {
  const kernel::Answer able = kernel::answer({.probe = true});
  NodeKernel made{.release = able.kernel};
  for (const std::string& name : missing_abilities(plan, able)) {
    if (name != kIpip) return fail(fmt::format("this kernel has no {}", name));
    made.has_ipip = false;
  }
  return made;
}

std::string obstacle_to_bird(const ReplayPlan& plan) {
  if (!plan.loaded.transition.drops_bird_tunnel())
    return "BIRD writes no routes without a tunnel in this switch";
  if (plan.loaded.disturbance)
    return "after a rollback BIRD writes routes through tunl0, which only Calico's fork can";
  return "";
}

Parsed<Observation> replay(const ReplayPlan& plan, const NodeKernel& nodes,
                           const ReplayOptions& options) {
  const migration::Loaded& loaded = plan.loaded;
  node::World world = world_at_start(loaded.transition, plan.strategy);
  const auto cluster = ReplayedCluster::make(world, plan.services, nodes.has_ipip);
  if (!cluster) return fail(cluster.error());
  if (options.has_bird)
    if (const auto done = (*cluster)->start_bird(world, loaded); !done) return fail(done.error());
  const auto watch = Watch::start(**cluster, world, options.probes_per_second);
  if (!watch) return fail(watch.error());

  const ReplayClock clock(plan.begin, *options.stop);
  Observation observation{
      .place = options.place, .kernel = nodes.release, .seed = plan.seed, .begin = plan.begin};
  if (!nodes.has_ipip) observation.place += " with IPIP by a process";
  if (options.has_bird) observation.place += ", routes without tunnel by BIRD 2";
  for (const node::NodeState& node : world.nodes)
    observation.nodes.emplace_back(node.member().name);
  CloudApi api(
      world.fabric, (*cluster)->set_ups(), (*cluster)->fabric(),
      provider::call_limit(provider::profile_of(loaded.transition.after.provider).routes.writes));
  node::WorldEditor editor(world);
  SwitchComponents components(loaded.transition, plan.strategy, loaded.timing, plan.seed,
                              loaded.disturbance);
  RouteLoops routes(plan, clock, api);

  std::size_t birds_ended = 0;
  for (std::optional<Picos> due; (due = components.next()) && *due <= plan.end;) {
    while (clock.now() < *due && !clock.is_stopped()) {
      if (options.on_progress) options.on_progress(clock.now(), plan.end);
      clock.wait_until(std::min(*due, clock.now() + seconds(1)));
    }
    if (clock.is_stopped()) return fail("stopped");
    components.act(editor, *due);
    routes.follow(components);
    const auto& ended = components.there().objects().birds_ended;
    for (; birds_ended < ended.size(); ++birds_ended)
      (*cluster)->end_bird(ended[birds_ended].node);
    for (const auto& [node, change] : editor.take().nodes) {
      const auto done = (*cluster)->change(node, world.nodes[node]);
      if (!done) return fail(fmt::format("{}: {}", observation.nodes[node], done.error()));
    }
    if (*due >= plan.begin)
      observation.latest_action = std::max(observation.latest_action, clock.now() - *due);
  }
  const Picos patience = plan.end + kPatience;
  while (!routes.are_idle() && clock.now() < patience && !clock.is_stopped())
    clock.wait_until(clock.now() + milliseconds(100));
  clock.wait_until(std::max(clock.now(), plan.end) + kAfter);
  if (clock.is_stopped()) return fail("stopped");
  (*watch)->finish(clock, observation);
  observation.events = components.take_steps();
  // The simulated route controller acts beside the real one, whose steps count.
  std::vector<migration::Step> real;
  if (const auto done = routes.finish(real); !done) return fail(done.error());
  if (!real.empty())
    std::erase_if(observation.events, [&](const migration::Step& step) {
      return step.component == real.front().component;
    });
  observation.events.insert(observation.events.end(), real.begin(), real.end());
  std::ranges::stable_sort(observation.events, {}, &migration::Step::at);
  return observation;
}

}  // namespace overlane::replay

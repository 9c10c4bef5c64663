#include "scenarios/runner/plan/events.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "dataplane/node/state/world.h"
#include "dataplane/node/text/state_diff.h"
#include "topologies/graph/topology.h"

namespace overlane::runner {

namespace {

void add_lines(const std::string& where, const std::string& diff, std::vector<std::string>& lines) {
  std::istringstream text(diff);
  for (std::string line; std::getline(text, line);)
    lines.push_back(where + ' ' + line);
}

}  // namespace

std::vector<std::string> lines_of(const node::World& before, const node::World& after,
                                  const node::WorldChange& change) {
  std::vector<std::string> lines;
  const auto name = [&](std::uint32_t node) { return after.nodes[node].member().name; };
  const auto pod = [&](const node::PodPlace& place) {
    return fmt::format("pod {} of {}", place.address.to_string(), name(place.node));
  };
  for (const std::uint32_t node : change.stopped)
    lines.push_back(name(node) + " stops");
  for (const std::uint32_t node : change.started)
    lines.push_back(name(node) + " starts");
  for (const node::PodPlace& place : change.ended)
    lines.push_back(pod(place) + " ends");
  for (const auto& [former, now] : change.restarted)
    lines.push_back(former == now ? pod(now) + " is made again"
                                  : fmt::format("{} is made again as {}", pod(former), pod(now)));
  for (const auto& [node, of_node] : change.nodes)
    add_lines(name(node), diff(before.nodes[node], after.nodes[node]), lines);
  if (change.fabric.any()) add_lines("vpc", diff(before.fabric, after.fabric), lines);
  return lines;
}

namespace {

using node::WorldEditor;
using spec::Event;
using spec::EventKind;
using Change = std::function<void(WorldEditor&)>;
using Changes = std::vector<Change>;

std::uint8_t value_of(spec::Sysctl sysctl, const node::Sysctls& sysctls) {
  switch (sysctl) {
    case spec::Sysctl::IpForward:
      return sysctls.ip_forward ? 1 : 0;
    case spec::Sysctl::Ipv6Forwarding:
      return sysctls.ipv6_forwarding ? 1 : 0;
    case spec::Sysctl::RpFilter:
      return sysctls.rp_filter_all;
  }
  return 0;
}

/// The kind of a route in the main table. A local route is in another table.
node::RouteKind kind_of(spec::RouteType type) {
  switch (type) {
    case spec::RouteType::Unicast:
    case spec::RouteType::Local:
      return node::RouteKind::Unicast;
    case spec::RouteType::Blackhole:
      return node::RouteKind::Blackhole;
    case spec::RouteType::Unreachable:
      return node::RouteKind::Unreachable;
    case spec::RouteType::Prohibit:
      return node::RouteKind::Prohibit;
  }
  return node::RouteKind::Unicast;
}

struct CloudRoute {
  std::uint32_t table = 0;
  IpPrefix destination;
};

/// The changes of an event, and the changes that undo it.
struct Step {
  Changes changes;
  Changes undo;
  std::vector<CloudRoute> returning;  ///< Cloud routes that the undo brings back.
  /// Link MTUs that agents detected, by node. They apply to pods that are created later.
  std::map<std::uint32_t, std::uint32_t> detected;
  std::string refusal;  ///< Why the cloud refuses a route; empty if it does not.
};

/// Addresses of a node's pod CIDRs after those of its pods. Each address is allocated once in a
/// run.
class FreeAddresses {
 public:
  explicit FreeAddresses(const node::NodeState& state) {
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      const node::MemberAddresses* addresses = state.member().in(family);
      if (addresses == nullptr) continue;
      Range& range = of(family);
      range.next = addresses->pod_cidr.network() + graph::kFirstPodOffset;
      range.last = last_of(addresses->pod_cidr);
    }
    for (const node::LocalPod& pod : state.pods)
      of(pod.address.family()).next = pod.address + 1;
  }

  /// Whether there is a free address for each of these pods.
  bool have_room_for(const std::vector<node::LocalPod>& pods) const {
    const auto fits = [&](Family family, const Range& range) {
      const auto wanted = static_cast<std::uint64_t>(std::ranges::count_if(
          pods, [=](const node::LocalPod& pod) { return pod.address.family() == family; }));
      if (wanted == 0) return true;
      return range.next && *range.next <= range.last && range.last.high == range.next->high &&
             range.last.low - range.next->low >= wanted - 1;
    };
    return fits(Family::Ipv4, ipv4_) && fits(Family::Ipv6, ipv6_);
  }
  IpAddress take(Family family) {
    Range& range = of(family);
    const IpAddress address = *range.next;
    range.next = address + 1;
    return address;
  }

 private:
  struct Range {
    std::optional<IpAddress> next;
    IpAddress last;
  };
  Range& of(Family family) { return family == Family::Ipv4 ? ipv4_ : ipv6_; }
  /// The last address that host-local IPAM allocates: without the broadcast address of IPv4.
  static IpAddress last_of(const IpPrefix& pod_cidr) {
    const int host_bits = std::min((pod_cidr.is_ipv4() ? 32 : 128) - pod_cidr.length(), 63);
    const std::uint64_t size = std::uint64_t{1} << host_bits;
    return pod_cidr.network() + (size - (pod_cidr.is_ipv4() && size > 2 ? 2 : 1));
  }

  Range ipv4_;
  Range ipv6_;
};

/// Translates events into changes, each against the states that hold at its time.
class Planner {
 public:
  Planner(const run::Network& network, const ConfiguredNodes& configured, std::string variant,
          bool show_steps)
      : original_(network),
        configured_(configured),
        world_{network.nodes, network.fabric},
        variant_(std::move(variant)),
        show_steps_(show_steps) {}

  PlannedEvents plan(const std::vector<Event>& events) {
    stop_newcomers(events);
    for (const Event& event : events)
      due_.emplace(std::pair(event.at, Order::Begins), [this, &event] { begin(event); });
    while (!due_.empty()) {
      const auto next = due_.extract(due_.begin());
      now_ = next.key().first;
      next.mapped()();
    }
    return std::move(planned_);
  }

 private:
  /// Stops the nodes whose first event is that they join: they are absent before it.
  void stop_newcomers(const std::vector<Event>& events) {
    std::map<std::uint32_t, const Event*> first;
    for (const Event& event : events) {
      if (event.kind != EventKind::AddNode && event.kind != EventKind::RemoveNode) continue;
      const auto [known, is_new] = first.try_emplace(number_of(event.node), &event);
      if (!is_new && event.at < known->second->at) known->second = &event;
    }
    for (const auto& [number, event] : first) {
      if (event->kind != EventKind::AddNode) continue;
      planned_.joins.push_back({number, event->at});
      world_.stopped.insert(number);
    }
  }

  void begin(const Event& event) {
    Step step = step_of(event);
    // An event without changes is also a change, so that flows are judged by the same event in
    // every variant.
    if (step.changes.empty()) step.changes.push_back([](WorldEditor&) {});
    const bool has_effect = carry_out(step, event.to_string());
    if (!step.refusal.empty())
      report(event, "event-refused", Severity::Warning, step.refusal, "change the event");
    else if (!has_effect)
      report(event, "event-without-effect", Severity::Note, "it changes nothing",
             is_lifecycle(event.kind)
                 ? "the node or its pods are at that time as it would have them, or not there"
                 : "ignore this if the variant does not have what the event changes");
    if (event.lasts)
      due_.emplace(std::pair(event.at + *event.lasts, Order::Ends),
                   [this, &event, step = std::move(step)] { end(event, step); });
  }

  void end(const Event& event, const Step& step) {
    carry_out({.changes = step.undo}, "end of " + event.to_string());
    for (const auto& [table, destination] : step.returning)
      if (world_.fabric.route_tables[table].routes.find(destination) == nullptr)
        return report(event, "event-refused", Severity::Warning,
                      "the cloud refuses to take the route back: the quota of the route table is "
                      "reached",
                      "raise the topology's routeQuota, or add fewer routes meanwhile");
  }

  /// Applies the changes to the planned states. Returns false if nothing changed.
  bool carry_out(const Step& step, const std::string& what) {
    std::optional<node::World> before;
    if (show_steps_) before = world_;
    WorldEditor editor(world_);
    for (const Change& change : step.changes) {
      change(editor);
      planned_.changes.push_back({now_, change});
    }
    const node::WorldChange changed = editor.take();
    std::vector<std::string> lines;
    if (before) lines = lines_of(*before, world_, changed);
    bool has_detected = false;
    for (const auto& [number, mtu] : step.detected) {
      if (link_mtu_for_pods(number) == mtu) continue;
      has_detected = true;
      lines.push_back(fmt::format("{} makes pods for link MTU {} from now on",
                                  world_.nodes[number].member().name, mtu));
      detected_[number] = mtu;
    }
    if (before)
      planned_.steps.push_back(
          {.at_ns = now_.whole_nanoseconds(), .what = what, .lines = std::move(lines)});
    return changed.any() || has_detected;
  }

  void report(const Event& event, const char* rule, Severity severity, const std::string& why,
              const char* hint) {
    planned_.findings.push_back(
        {.rule = rule,
         .severity = severity,
         .message = fmt::format("variant {}: event {}: {}", variant_, event.to_string(), why),
         .path = "spec.events",
         .place = event.place,
         .hint = hint});
  }

  Step step_of(const Event& event) {
    Step step;
    switch (event.kind) {
      case EventKind::RemoveCloudRoute:
      case EventKind::AddCloudRoute:
        for (const IpPrefix& destination : destinations_of(event))
          for (std::uint32_t table = 0; table < world_.fabric.route_tables.size(); ++table)
            change_cloud_route(event, table, destination, step);
        return step;
      case EventKind::ChangeFabric:
        change_fabric(event.fabric, step);
        return step;
      case EventKind::ChangeInstance:
        change_instance(event, step);
        return step;
      case EventKind::RemoveNode:
      case EventKind::AddNode:
        change_presence(event, step);
        return step;
      default:
        for (std::uint32_t i = 0; i < world_.nodes.size(); ++i)
          if (event.node.empty() || world_.nodes[i].member().name == event.node)
            change_node(event, i, step);
        return step;
    }
  }

  std::uint32_t number_of(const std::string& name) const {
    const auto at = std::ranges::find(world_.nodes, name,
                                      [](const node::NodeState& s) { return s.member().name; });
    return static_cast<std::uint32_t>(at - world_.nodes.begin());
  }

  void change_presence(const Event& event, Step& step) const {
    const std::uint32_t number = number_of(event.node);
    const bool leaves = event.kind == EventKind::RemoveNode;
    if (world_.stopped.contains(number) == leaves) return;
    step.changes.push_back([number](WorldEditor& world) { world.stop_node(number); });
    step.undo.push_back([number](WorldEditor& world) { world.start_node(number); });
    if (!leaves) std::swap(step.changes, step.undo);
  }

  /// The destination of the event, or else the pod CIDRs of its node.
  std::vector<IpPrefix> destinations_of(const Event& event) const {
    if (event.destination) return {*event.destination};
    std::vector<IpPrefix> destinations;
    for (const node::NodeState& state : world_.nodes) {
      if (state.member().name != event.node) continue;
      for (const Family family : {Family::Ipv4, Family::Ipv6})
        if (const node::MemberAddresses* addresses = state.member().in(family))
          destinations.push_back(addresses->pod_cidr);
    }
    return destinations;
  }

  void change_cloud_route(const Event& event, std::uint32_t table, const IpPrefix& destination,
                          Step& step) const {
    const node::FabricRoute* before = world_.fabric.route_tables[table].routes.find(destination);
    const auto set = [=](const node::FabricRoute& route) -> Change {
      return [=](WorldEditor& world) { world.fabric().set_route(table, destination, route); };
    };
    const auto remove = [=](WorldEditor& world) {
      world.fabric().remove_route(table, destination);
    };
    if (event.kind == EventKind::RemoveCloudRoute) {
      if (before == nullptr) return;
      step.changes.push_back(remove);
      step.undo.push_back(set(*before));
      step.returning.push_back({table, destination});
      return;
    }
    const node::FabricRoute route{.target = node::FabricTarget::Instance,
                                  .instance = number_of(event.node),
                                  .owner = node::FabricRouteOwner::RouteController};
    if (const auto refusal = refusal_of(world_.fabric, table, destination)) {
      step.refusal = *refusal == node::RouteChange::OverQuota
                         ? "the route table is full: its quota is reached"
                         : "the cloud takes no route inside a subnet of the network";
      return;
    }
    step.changes.push_back(set(route));
    step.undo.push_back(before == nullptr ? Change(remove) : set(*before));
  }

  void change_fabric(const spec::FabricSpec& fabric, Step& step) const {
    if (fabric.path_mtu) {
      const auto set = [](const node::FabricPathMtu& path_mtu) -> Change {
        return [=](WorldEditor& world) { world.fabric().set_path_mtu(path_mtu); };
      };
      step.changes.push_back(set(*fabric.path_mtu));
      step.undo.push_back(set(world_.fabric.path_mtu));
    }
    if (fabric.denied) {
      const auto set = [](const std::vector<node::DenyRule>& denied) -> Change {
        return [=](WorldEditor& world) { world.fabric().set_denied(denied); };
      };
      step.changes.push_back(set(*fabric.denied));
      step.undo.push_back(set(world_.fabric.denied));
    }
  }

  /// Switches the cloud's source/destination check of a node's interface on or off.
  void change_instance(const Event& event, Step& step) const {
    const std::uint32_t number = number_of(event.node);
    const auto set = [number](bool is_on) -> Change {
      return [=](WorldEditor& world) {
        node::Instance instance = world.world().fabric.instances[number];
        instance.source_destination_check = is_on;
        world.fabric().set_instance(number, std::move(instance));
      };
    };
    step.changes.push_back(set(*event.source_destination_check));
    step.undo.push_back(set(world_.fabric.instances[number].source_destination_check));
  }

  void change_node(const Event& event, std::uint32_t number, Step& step) {
    const node::NodeState& state = world_.nodes[number];
    switch (event.kind) {
      case EventKind::RemoveRoute:
      case EventKind::AddRoute:
        return change_route(event, state, number, step);
      case EventKind::ChangeDevice:
      case EventKind::RemoveDevice:
        return change_device(event, state, number, step);
      case EventKind::ChangeSysctl: {
        // The change sets only this sysctl, because other events may change the others meanwhile.
        const auto with = [kind = event.sysctl](node::Sysctls sysctls, std::uint8_t value) {
          switch (kind) {
            case spec::Sysctl::IpForward:
              sysctls.ip_forward = value != 0;
              break;
            case spec::Sysctl::Ipv6Forwarding:
              sysctls.ipv6_forwarding = value != 0;
              break;
            case spec::Sysctl::RpFilter:
              sysctls.rp_filter_all = value;
              break;
          }
          return sysctls;
        };
        const auto set = [=](std::uint8_t value) -> Change {
          return [=](WorldEditor& world) {
            world.node(number).set_sysctls(with(world.world().nodes[number].sysctls, value));
          };
        };
        step.changes.push_back(set(event.value));
        step.undo.push_back(set(value_of(event.sysctl, state.sysctls)));
        return;
      }
      case EventKind::RemoveFilter: {
        const auto set = [=](const std::shared_ptr<const node::PacketFilter>& filter) -> Change {
          return [=](WorldEditor& world) { world.node(number).set_filter(filter); };
        };
        step.changes.push_back(set(nullptr));
        step.undo.push_back(set(state.filter));
        return;
      }
      case EventKind::RestartAgent:
        return restart_agent(number, step);
      case EventKind::RestartPods:
        return restart_pods(event, number, step);
      default:
        return;
    }
  }

  /// The link MTU that the node's agent detected last. New pods get the MTU that follows from it.
  std::uint32_t link_mtu_for_pods(std::uint32_t number) const {
    const auto detected = detected_.find(number);
    if (detected != detected_.end()) return detected->second;
    const node::Device* uplink = original_.nodes[number].uplink();
    return uplink == nullptr ? 0 : uplink->mtu;
  }

  /// The node as its agent configures it for a link MTU.
  const node::NodeState& configured(std::uint32_t number, std::uint32_t link_mtu) {
    const node::Device* uplink = original_.nodes[number].uplink();
    if (!configured_ || uplink == nullptr || uplink->mtu == link_mtu)
      return original_.nodes[number];
    const auto [known, is_new] = nodes_for_.try_emplace(link_mtu);
    if (is_new) known->second = configured_(link_mtu);
    return known->second.empty() ? original_.nodes[number] : known->second[number];
  }

  /// Restarts the CNI's agent. It detects the link MTU again (Felix: findHostMTU,
  /// felix/dataplane/linux/int_dataplane.go; Cilium: pkg/mtu) and restores its missing or changed
  /// configuration: its own routes, tunnel devices, the packet filter. Pods created later get the
  /// MTU that follows from the link MTU; existing pods keep their MTU.
  void restart_agent(std::uint32_t number, Step& step) {
    const node::Device* uplink = world_.nodes[number].uplink();
    const std::uint32_t link_mtu = uplink == nullptr ? link_mtu_for_pods(number) : uplink->mtu;
    step.detected[number] = link_mtu;
    const node::NodeState& wanted = configured(number, link_mtu);
    for (const node::RouteMatch& match : node::main_table(wanted)) {
      const bool is_own = match.route.protocol == node::RouteProtocol::Bird ||
                          match.route.protocol == node::RouteProtocol::Felix || match.peer;
      if (!is_own) continue;
      step.changes.push_back(
          [number, destination = match.destination, route = match.route](WorldEditor& world) {
            world.node(number).set_route(destination, route);
          });
    }
    for (const node::Device& device : wanted.devices)
      if (device.encapsulation() != Encapsulation::None)
        step.changes.push_back(
            [number, device](WorldEditor& world) { world.node(number).set_device(device); });
    step.changes.push_back([number, filter = original_.nodes[number].filter](WorldEditor& world) {
      world.node(number).set_filter(filter);
    });
  }

  /// Ends the pods of a node. They are created again at the end of the event if it lasts, else at
  /// once.
  void restart_pods(const Event& event, std::uint32_t number, Step& step) {
    const std::uint32_t to = event.to.empty() ? number : number_of(event.to);
    const std::vector<node::LocalPod>& pods = world_.nodes[number].pods;
    FreeAddresses& free = free_.try_emplace(to, original_.nodes[to]).first->second;
    if (!event.to.empty() && !free.have_room_for(pods)) {
      step.refusal = fmt::format("the pod CIDR of {} has no room for the pods of {}", event.to,
                                 world_.nodes[number].member().name);
      return;
    }
    Changes& restarts = event.lasts ? step.undo : step.changes;
    for (const node::LocalPod& before : pods) {
      node::LocalPod pod = before;
      if (detected_.contains(to)) fit_to_detected(to, pod);
      if (event.mtu) (pod.route_mtu != 0 ? pod.route_mtu : pod.mtu) = *event.mtu;
      if (!event.to.empty()) pod.address = free.take(pod.address.family());
      const node::PodPlace place{number, before.address};
      if (event.lasts) step.changes.push_back([=](WorldEditor& world) { world.end_pod(place); });
      if (pod.address != before.address)
        restarts.push_back(
            [=](WorldEditor& world) { move_endpoints(before.address, pod.address, world); });
      restarts.push_back([=](WorldEditor& world) { world.restart_pod(place, to, pod); });
    }
  }

  /// Gives a pod the MTUs of new pods on the node.
  void fit_to_detected(std::uint32_t node, node::LocalPod& pod) {
    for (const node::LocalPod& made : configured(node, link_mtu_for_pods(node)).pods) {
      if (made.address.family() != pod.address.family()) continue;
      pod.mtu = made.mtu;
      pod.route_mtu = made.route_mtu;
      return;
    }
  }

  /// Replaces the address of a pod in all Services.
  static void move_endpoints(IpAddress before, IpAddress now, WorldEditor& world) {
    std::map<const node::ServiceTable*, std::shared_ptr<const node::ServiceTable>> moved;
    for (std::uint32_t i = 0; i < world.world().nodes.size(); ++i) {
      const auto table = world.world().nodes[i].services;
      if (!table) continue;
      auto& with_moved = moved[table.get()];
      if (!with_moved)
        with_moved = std::make_shared<const node::ServiceTable>(table->with_moved(before, now));
      world.node(i).set_services(with_moved);
    }
  }

  static void change_route(const Event& event, const node::NodeState& state, std::uint32_t number,
                           Step& step) {
    const IpPrefix destination = *event.destination;
    const auto before = find_route(state, destination);
    const auto set = [=](const node::Route& route) -> Change {
      return [=](WorldEditor& world) { world.node(number).set_route(destination, route); };
    };
    const auto remove = [=](WorldEditor& world) { world.node(number).remove_route(destination); };
    if (event.kind == EventKind::AddRoute && event.route == spec::RouteType::Local) {
      step.changes.push_back(
          [=](WorldEditor& world) { world.node(number).add_local_route(destination); });
      if (std::ranges::find(state.local_routes, destination) == state.local_routes.end())
        step.undo.push_back(
            [=](WorldEditor& world) { world.node(number).remove_local_route(destination); });
      return;
    }
    if (event.kind == EventKind::AddRoute) {
      node::Route route{.kind = kind_of(event.route)};
      if (route.kind == node::RouteKind::Unicast) route.device = std::string_view(event.device);
      route.via = event.via;
      route.protocol = node::RouteProtocol::Static;
      step.changes.push_back(set(route));
    } else if (before)
      step.changes.emplace_back(remove);
    step.undo.push_back(before ? set(before->route) : Change(remove));
  }

  static void change_device(const Event& event, const node::NodeState& state, std::uint32_t number,
                            Step& step) {
    const node::Device* before = state.find_device(node::DeviceName(event.device));
    if (before == nullptr) return;
    const auto set = [=](const node::Device& device) -> Change {
      return [=](WorldEditor& world) { world.node(number).set_device(device); };
    };
    if (event.kind == EventKind::RemoveDevice) {
      step.changes.push_back([number, name = before->name](WorldEditor& world) {
        world.node(number).remove_device(name);
      });
    } else {
      node::Device after = *before;
      after.mtu = event.mtu.value_or(after.mtu);
      after.up = event.up.value_or(after.up);
      step.changes.push_back(set(after));
    }
    step.undo.push_back(set(*before));
  }

  const run::Network& original_;
  const ConfiguredNodes& configured_;
  std::map<std::uint32_t, std::vector<node::NodeState>> nodes_for_;  ///< By link MTU.
  std::map<std::uint32_t, std::uint32_t> detected_;                  ///< Link MTUs by node.
  node::World world_;
  std::string variant_;
  bool show_steps_;
  std::map<std::uint32_t, FreeAddresses> free_;  ///< By node.
  enum class Order : std::uint8_t { Ends, Begins };
  /// Pending actions. Ends of events precede begins at the same time.
  std::multimap<std::pair<Picos, Order>, std::function<void()>> due_;
  Picos now_;
  PlannedEvents planned_;
};

}  // namespace

PlannedEvents plan_events(const std::vector<Event>& events, const run::Network& network,
                          const ConfiguredNodes& configured, const std::string& variant,
                          bool show_steps) {
  if (events.empty()) return {};  // The planner would copy the states.
  return Planner(network, configured, variant, show_steps).plan(events);
}

std::vector<model::Event> describe(const std::vector<Event>& events) {
  std::vector<model::Event> described;
  for (const Event& event : events) {
    described.push_back({.at_ns = event.at.whole_nanoseconds(),
                         .until_ns = {},
                         .what = event.to_string(),
                         .place = event.place.to_string()});
    if (event.lasts) described.back().until_ns = (event.at + *event.lasts).whole_nanoseconds();
  }
  std::ranges::stable_sort(described, {}, &model::Event::at_ns);
  return described;
}

}  // namespace overlane::runner

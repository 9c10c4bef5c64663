#include "topologies/path/without.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataplane/node/state/world.h"
#include "dataplane/node/text/state_diff.h"
#include "dataplane/node/text/state_text.h"
#include "topologies/document/fields/fields.h"

namespace overlane::path {
namespace {

using compile::Compiled;
using node::FabricEditor;
using node::FabricState;
using node::NodeEditor;
using node::NodeState;
using node::PacketFilter;

/// Adds an entry that `change` removes from the state.
template <typename Editor, typename Change>
void add(std::vector<Entry<Editor>>& entries, std::string line, Change change) {
  entries.push_back({std::move(line), std::move(change)});
}

/// A change of the node's packet filter. Copies the filter first, because nodes share it.
template <typename Change>
auto with_filter(Change change) {
  return [change](NodeEditor& node) {
    auto filter = std::make_shared<PacketFilter>(*node.state().filter);
    change(*filter);
    node.set_filter(std::move(filter));
  };
}

/// The unspecified address, which no lookup finds.
constexpr IpAddress kNobody{};

/// Changes a node's entry for a peer's addresses in one family; keeps its route.
template <typename Change>
void change_peer(NodeEditor& node, const node::Member& peer, Family family, Change change) {
  if (peer.in(family) == nullptr) return;
  const NodeState& state = node.state();
  const IpPrefix pod_cidr = peer.in(family)->pod_cidr;
  const auto route = node::find_route(state, pod_cidr);
  auto table = std::make_shared<node::ClusterTable>();
  table->ipv4 = state.cluster->ipv4;
  table->ipv6 = state.cluster->ipv6;
  for (node::Member member : state.cluster->members()) {
    if (member.name == peer.name) change(family == Family::Ipv4 ? *member.ipv4 : *member.ipv6);
    table->add(std::move(member));
  }
  node.set_cluster(std::move(table));
  if (route) node.set_route(pod_cidr, route->route);
}

/// Removes a peer's neighbour entry: its tunnel address has no owner.
void forget_neighbour(NodeEditor& node, const node::Member& peer, Family family) {
  change_peer(node, peer, family,
              [](node::MemberAddresses& addresses) { addresses.tunnel = kNobody; });
}

/// Removes a WireGuard peer: its pod CIDRs have no owner.
void forget_wireguard_peer(NodeEditor& node, const node::Member& peer) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    change_peer(node, peer, family, [](node::MemberAddresses& addresses) {
      addresses.pod_cidr = IpPrefix::host(kNobody);
    });
  }
}

/// Removes a node from the set of accepted tunnel senders.
void forget_member(PacketFilter& filter, const node::ClusterTable& cluster, IpAddress address) {
  for (node::TunnelGuard& guard : filter.tunnel_guards) {
    if (!guard.members) continue;
    guard.members = false;
    for (const node::Member& member : cluster.members()) {
      for (const Family family : {Family::Ipv4, Family::Ipv6}) {
        const auto* addresses = member.in(family);
        if (addresses != nullptr && addresses->node != address)
          guard.networks.push_back(IpPrefix::host(addresses->node));
      }
    }
    std::ranges::sort(guard.networks);
  }
}

void add_devices(const NodeState& state, NodeEntries& entries) {
  for (const node::Device& device : state.devices) {
    add(entries, to_string(device),
        [name = device.name](NodeEditor& node) { node.remove_device(name); });
  }
  for (const node::LocalPod& pod : state.pods) {
    add(entries, pod_line(state, pod),
        [address = pod.address](NodeEditor& node) { node.remove_pod(address); });
  }
}

void add_neighbours(const NodeState& state, NodeEntries& entries) {
  for (const node::Device& device : state.devices) {
    for (const node::Member& peer : state.cluster->members()) {
      const auto entry = neighbour_entry(device, peer);
      if (!entry || &peer == &state.member()) continue;
      for (const std::string& line : {entry->neighbour, entry->forwarding}) {
        add(entries, line, [peer, family = device.underlay](NodeEditor& node) {
          forget_neighbour(node, peer, family);
        });
      }
    }
  }
}

/// Removes the rule for Felix's WireGuard table: the main table decides.
void forget_rule(NodeEditor& node, Family family) {
  auto table = std::make_shared<node::ClusterTable>(*node.state().cluster);
  table->routes(family).encrypted = {};
  node.set_cluster(std::move(table));
}

void add_wireguard(const NodeState& state, NodeEntries& entries) {
  for (const Family family : {Family::Ipv4, Family::Ipv6}) {
    const auto line = wireguard_rule_line(*state.cluster, family);
    if (line) add(entries, *line, [family](NodeEditor& node) { forget_rule(node, family); });
  }
  for (const node::Device& device : state.devices) {
    if (device.kind != node::DeviceKind::Wireguard) continue;
    for (const node::Member& peer : state.cluster->members()) {
      const auto line = wireguard_line(device, peer);
      if (!line || &peer == &state.member()) continue;
      add(entries, *line, [peer](NodeEditor& node) { forget_wireguard_peer(node, peer); });
    }
  }
}

/// Removes a masquerading rule with all of its lines.
void forget_masquerade(PacketFilter& filter, const node::MasqueradeRule& rule) {
  switch (rule.by) {
    case node::MasqueradeRule::By::Destination:
      std::erase(filter.masqueraded_destinations, rule.destination);
      return;
    case node::MasqueradeRule::By::Source:
      return filter.masqueraded_sources.clear();
    case node::MasqueradeRule::By::TunnelDevice:
      return filter.tunnel_devices.clear();
    case node::MasqueradeRule::By::Mark:
      return;
  }
}

void add_filters(const NodeState& state, NodeEntries& entries) {
  if (state.filter == nullptr) return;
  const PacketFilter& filter = *state.filter;
  for (const node::Member& member : state.cluster->members()) {
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      if (member.in(family) == nullptr) continue;
      const IpAddress address = member.in(family)->node;
      add(entries, node::member_line(address),
          with_filter([=, cluster = state.cluster](PacketFilter& f) {
            forget_member(f, *cluster, address);
          }));
    }
  }
  for (std::size_t i = 0; i < filter.tunnel_guards.size(); ++i) {
    const auto lines = guard_lines(filter.tunnel_guards[i]);
    add(entries, lines.front(), with_filter([i](PacketFilter& f) {
          f.tunnel_guards[i].members = false;
          f.tunnel_guards[i].networks.clear();
        }));
    add(entries, lines.back(), with_filter([i](PacketFilter& f) {
          f.tunnel_guards.erase(f.tunnel_guards.begin() + static_cast<std::ptrdiff_t>(i));
        }));
  }
  for (const std::uint16_t port : filter.untracked_udp_ports) {
    for (const std::string& line : node::untracked_lines(port))
      add(entries, line, with_filter([](PacketFilter& f) { f.untracked_udp_ports.clear(); }));
  }
  for (const node::MasqueradeRule& rule : node::masquerade_rules(filter)) {
    add(entries, masquerade_line(filter, rule),
        with_filter([rule](PacketFilter& f) { forget_masquerade(f, rule); }));
  }
}

void add_services(const NodeState& state, NodeEntries& entries) {
  if (state.services == nullptr) return;
  for (const node::Service& service : state.services->services()) {
    add(entries, service_line(*state.services, service), [front = service.front](NodeEditor& node) {
      node.set_services(
          std::make_shared<const node::ServiceTable>(node.state().services->without(front)));
    });
  }
}

/// The change that sets a forwarding sysctl to 0.
auto without(bool node::Sysctls::*forwarding) {
  return [forwarding](NodeEditor& node) {
    node::Sysctls sysctls = node.state().sysctls;
    sysctls.*forwarding = false;
    node.set_sysctls(sysctls);
  };
}

void add_sysctls(const NodeState& state, NodeEntries& entries) {
  if (state.sysctls.ip_forward) {
    add(entries, forwarding_line(state.sysctls, Family::Ipv4), without(&node::Sysctls::ip_forward));
  }
  if (state.sysctls.ipv6_forwarding) {
    add(entries, forwarding_line(state.sysctls, Family::Ipv6),
        without(&node::Sysctls::ipv6_forwarding));
  }
}

constexpr std::string_view kVpc = "vpc";

/// Whether `text` is the whole line, or its beginning up to a colon or a space.
bool begins(const std::string& line, std::string_view text) {
  if (text.empty() || !line.starts_with(text)) return false;
  const char next = line.size() == text.size() ? '\0' : line[text.size()];
  return next == '\0' || next == ':' || next == ' ';
}

/// The result of a search in one place.
struct Looked {
  std::vector<std::string> lines;  ///< All removable lines of the place.
  std::vector<std::size_t> found;  ///< Indices into `lines` of the lines that match.
};

template <typename State>
Looked look(const std::vector<Entry<State>>& entries, std::string_view text) {
  Looked looked;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    looked.lines.push_back(entries[i].line);
    if (begins(entries[i].line, text)) looked.found.push_back(i);
  }
  // A line that equals the text is preferred to those that only begin with it.
  const auto whole = std::ranges::find(looked.lines, text);
  if (whole != looked.lines.end()) {
    looked.found = {static_cast<std::size_t>(whole - looked.lines.begin())};
  }
  return looked;
}

tl::unexpected<Finding> refuse(std::string message, std::string hint) {
  return fail(Finding{.rule = "no-such-entry",
                      .severity = Severity::Error,
                      .message = std::move(message),
                      .hint = std::move(hint)});
}

tl::unexpected<Finding> ambiguous(std::string_view text, std::string_view place,
                                  const Looked& looked) {
  std::vector<std::string> lines;
  for (const std::size_t i : looked.found)
    lines.push_back("'" + looked.lines[i] + "'");
  return refuse(
      fmt::format("\"{}\" is the beginning of {} entries of {}", text, looked.found.size(), place),
      fmt::format("say which: {}", fmt::join(lines, ", ")));
}

std::string closest(std::string_view text, const std::vector<std::string>& lines) {
  std::size_t best = std::string::npos;
  std::string found;
  for (const std::string& line : lines) {
    // The text may be the beginning of a line, too.
    const std::size_t distance =
        std::min(document::edit_distance(text, line),
                 document::edit_distance(text, std::string_view(line).substr(0, text.size())) + 1);
    if (line.find(text) != line.npos) return line;
    if (distance >= best) continue;
    best = distance;
    found = line;
  }
  return found;
}

/// The place that the prefix "node-2: " or "vpc: " of an entry names; nothing without such a
/// prefix.
std::optional<std::string> place_in_front(const Compiled& states, std::string_view entry) {
  const std::string_view name = entry.substr(0, entry.find(": "));
  const auto is_called = [=](const NodeState& state) { return state.member().name == name; };
  const bool is_place = name == kVpc || std::ranges::any_of(states.nodes, is_called);
  return is_place && name.size() < entry.size() ? std::optional(std::string(name)) : std::nullopt;
}

std::vector<Change> changes(std::string_view place, const std::string& diff) {
  std::vector<Change> changes;
  std::istringstream lines(diff);
  for (std::string line; std::getline(lines, line);)
    changes.push_back({std::string(place), line});
  return changes;
}

template <typename State, typename Editor>
std::vector<Change> apply(State& state, std::string_view place, const Entry<Editor>& entry) {
  const State before = state;
  Editor editor(state);
  entry.take_out(editor);
  return changes(place, node::diff(before, state));
}

}  // namespace

NodeEntries entries_of(const NodeState& state) {
  NodeEntries entries;
  add_devices(state, entries);
  for (const node::RouteMatch& match : main_table(state)) {
    add(entries, to_string(match.destination, match.route),
        [destination = match.destination](NodeEditor& node) { node.remove_route(destination); });
  }
  add_neighbours(state, entries);
  add_wireguard(state, entries);
  add_filters(state, entries);
  add_services(state, entries);
  add_sysctls(state, entries);
  return entries;
}

FabricEntries entries_of(const FabricState& state) {
  FabricEntries entries;
  for (std::uint32_t table = 0; table < state.route_tables.size(); ++table) {
    for (const auto& [destination, route] : state.route_tables[table].routes) {
      add(entries, route_line(state, state.route_tables[table], destination, route),
          [=, to = destination](FabricEditor& fabric) { fabric.remove_route(table, to); });
    }
  }
  for (std::uint32_t i = 0; i < state.instances.size(); ++i) {
    for (const IpPrefix& prefix : state.instances[i].prefixes) {
      add(entries,
          fmt::format("instance {} prefix {}", state.instances[i].name, prefix.to_string()),
          [=](FabricEditor& fabric) { fabric.remove_prefix(i, prefix); });
    }
    for (const IpPrefix& allowed : state.instances[i].allowed) {
      add(entries,
          fmt::format("instance {} allows {}", state.instances[i].name, allowed.to_string()),
          [=](FabricEditor& fabric) {
            node::Instance instance = fabric.state().instances[i];
            std::erase(instance.allowed, allowed);
            fabric.set_instance(i, std::move(instance));
          });
    }
  }
  for (std::uint32_t group = 0; group < state.groups.size(); ++group) {
    for (const node::FabricRule& rule : state.groups[group].rules) {
      add(entries, rule_line(state.groups[group], rule),
          [=](FabricEditor& fabric) { fabric.remove_rule(group, rule); });
    }
  }
  for (const std::uint8_t protocol : state.dropped_protocols) {
    add(entries, node::dropped_protocol_line(protocol), [=](FabricEditor& fabric) {
      std::vector<std::uint8_t> protocols = fabric.state().dropped_protocols;
      std::erase(protocols, protocol);
      fabric.set_dropped_protocols(std::move(protocols));
    });
  }
  if (state.drops_disordered_fragments) {
    add(entries, std::string(node::kDropsDisorderedFragments),
        [](FabricEditor& fabric) { fabric.set_drops_disordered_fragments(false); });
  }
  return entries;
}

Result<std::vector<Change>> take_out(Compiled& states, std::string_view entry,
                                     const std::vector<std::string>& places) {
  std::vector<std::string> order = places;
  std::string_view text = entry;
  if (const auto place = place_in_front(states, entry)) {
    text = entry.substr(place->size() + 2);
    order = {*place};
  }
  std::vector<std::string> all;
  for (const std::string& place : order) {
    const auto node = std::ranges::find(states.nodes, place,
                                        [](const NodeState& state) { return state.member().name; });
    const bool is_node = node != states.nodes.end();
    const auto of_node = is_node ? entries_of(*node) : NodeEntries{};
    const auto of_vpc = is_node ? FabricEntries{} : entries_of(states.fabric);
    const Looked looked = is_node ? look(of_node, text) : look(of_vpc, text);
    if (looked.found.size() > 1) return ambiguous(text, place, looked);
    if (looked.found.size() == 1) {
      const std::size_t at = looked.found.front();
      return is_node ? apply(*node, place, of_node[at]) : apply(states.fabric, place, of_vpc[at]);
    }
    all.insert(all.end(), looked.lines.begin(), looked.lines.end());
  }
  return refuse(
      fmt::format("\"{}\" is no entry of {} that can be taken out", text, fmt::join(order, " or ")),
      fmt::format("the most similar one is '{}'; `overlane explain PATH --node-state "
                  "--fabric-state` lists all",
                  closest(text, all)));
}

}  // namespace overlane::path

#include "dataplane/adjacency/address_class.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "dataplane/forward/state_lookup.h"

namespace overlane::adjacency {
namespace {

using node::NodeState;
using Prefixes = std::vector<IpPrefix>;

/// Returns the ranges of forward::is_forwardable, and the prefixes of all addresses.
const Prefixes& fixed_prefixes() {
  static const Prefixes kPrefixes = [] {
    Prefixes all;
    for (const char* text : {"0.0.0.0/0", "0.0.0.0/32", "127.0.0.0/8", "224.0.0.0/4",
                             "255.255.255.255/32", "::/0", "::/127", "fe80::/10", "ff00::/8"}) {
      all.push_back(*IpPrefix::parse(text));
    }
    return all;
  }();
  return kPrefixes;
}

void add_hosts(const NodeState& state, Prefixes& all) {
  for (const node::Device& device : state.devices) {
    for (const IpAddress address : device.addresses)
      all.push_back(IpPrefix::host(address));
    if (device.remote) all.push_back(IpPrefix::host(*device.remote));
  }
  for (std::size_t i = 0; state.services && i < state.services->services().size(); ++i)
    all.push_back(IpPrefix::host(state.services->services()[i].front.address));
  for (const node::Member& member : state.cluster->members()) {
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      if (const auto* of = member.in(family)) all.push_back(IpPrefix::host(of->node));
    }
  }
}

void add_routes(const NodeState& state, Prefixes& all) {
  for (const node::RouteMatch& match : node::main_table(state)) {
    all.push_back(match.destination);
    const auto subnet = match.destination.ipv4();
    if (subnet && forward::is_broadcast(match, subnet->last())) {
      all.push_back(IpPrefix::host(subnet->last()));
    }
  }
}

std::vector<const Prefixes*> lists_of(const node::PacketFilter& filter) {
  std::vector<const Prefixes*> lists{&filter.masqueraded_sources,
                                     &filter.unmasqueraded_destinations,
                                     &filter.masqueraded_destinations};
  for (const node::TunnelGuard& guard : filter.tunnel_guards)
    lists.push_back(&guard.networks);
  return lists;
}

Prefixes all_prefixes(const NodeState& state) {
  Prefixes all = fixed_prefixes();
  add_hosts(state, all);
  add_routes(state, all);
  all.insert(all.end(), state.local_routes.begin(), state.local_routes.end());
  if (state.filter) {
    for (const Prefixes* list : lists_of(*state.filter))
      all.insert(all.end(), list->begin(), list->end());
  }
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

IpAddress last_of(const IpPrefix& prefix) {
  IpAddress last = prefix.network();
  const int free = 128 - prefix.bits();
  const auto ones = [](int bits) {
    return bits <= 0 ? 0 : bits >= 64 ? ~0ull : (std::uint64_t{1} << bits) - 1;
  };
  last.low |= ones(free);
  last.high |= ones(free - 64);
  return last;
}

/// Returns an address of prefixes[i] that none of the later prefixes contains; nothing if they
/// cover it. `prefixes` is sorted.
std::optional<IpAddress> sample_of(const Prefixes& prefixes, std::size_t i) {
  const IpPrefix& own = prefixes[i];
  IpAddress candidate = own.network();
  for (std::size_t k = i + 1; k < prefixes.size() && own.contains(prefixes[k]); ++k) {
    if (!prefixes[k].contains(candidate)) {
      if (candidate < prefixes[k].network()) break;
      continue;
    }
    const IpAddress last = last_of(prefixes[k]);
    if (last == last_of(own)) return std::nullopt;
    candidate = last + 1;
  }
  return candidate;
}

/// Everything that the decision sequence looks up for a source.
using Signature =
    std::tuple<bool, node::RouteKind, node::DeviceName, bool, bool, bool, bool, std::vector<bool>>;

Signature signature_of(const NodeState& state, const AddressClass& of) {
  std::vector<bool> sets;
  if (state.filter) {
    for (const Prefixes* list : lists_of(*state.filter)) {
      sets.push_back(std::ranges::any_of(
          *list, [&](const IpPrefix& prefix) { return prefix.contains(of.sample); }));
    }
  }
  for (const node::Device& device : state.devices)
    sets.push_back(device.remote == of.sample);
  const bool routed = of.route.has_value();
  const bool is_pods = routed && of.route->pod != nullptr;
  return {of.sample.is_ipv4(), routed ? of.route->route.kind : node::RouteKind::Unicast,
          // Each pod has its own device, through which no other packets come in.
          routed && !is_pods ? of.route->route.device : node::DeviceName{}, is_pods, of.is_local,
          of.is_member, forward::is_forwardable(of.sample), std::move(sets)};
}

}  // namespace

std::vector<AddressClass> address_classes(const NodeState& state) {
  const Prefixes prefixes = all_prefixes(state);
  std::vector<AddressClass> classes;
  std::map<Signature, SourceGroup> groups;
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    const auto sample = sample_of(prefixes, i);
    if (!sample) continue;
    AddressClass one{.prefix = prefixes[i],
                     .sample = *sample,
                     .route = node::lookup(state, *sample),
                     .is_local = node::is_local(state, *sample),
                     .is_member = state.cluster->with_node_address(*sample) != nullptr};
    const auto next =
        static_cast<std::uint8_t>(std::min<std::size_t>(groups.size(), kSourceGroups - 1));
    one.group = groups.try_emplace(signature_of(state, one), SourceGroup{next}).first->second;
    classes.push_back(std::move(one));
  }
  return classes;
}

PrefixFinder::PrefixFinder(std::span<const AddressClass> classes) {
  for (std::uint32_t i = 0; i < classes.size(); ++i)
    table_.set(classes[i].prefix, i);
}

}  // namespace overlane::adjacency

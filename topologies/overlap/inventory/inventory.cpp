#include "topologies/overlap/inventory/inventory.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "topologies/derive/derive.h"
#include "topologies/document/fields/fields.h"
#include "topologies/domains/merge.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/object_head.h"
#include "topologies/ranges/sorting.h"
#include "topologies/ranges/sweep.h"

namespace overlane::overlap {

namespace {

using document::Fields;

ClusterNode decode_node(const document::Value& root, document::Problems& problems) {
  ClusterNode node{.object = manifest::name_of(root), .place = root.place()};
  node.object.kind = "Node";
  node.created = root["metadata"]["creationTimestamp"].text();
  Fields spec(root["spec"], problems);
  node.provider_id = spec.string("providerID").value_or("");
  for (const auto& pod_cidr : manifest::given_cidrs(spec, "podCIDRs"))
    node.pod_cidrs.push_back(pod_cidr.value);
  const auto only = manifest::given_cidr(spec, "podCIDR");
  if (node.pod_cidrs.empty() && only) node.pod_cidrs.push_back(only->value);
  for (const document::Value& item : root["status"]["addresses"]) {
    const auto address = IpAddress::parse(item["address"].text());
    if (item["type"].text() == "InternalIP" && address) node.addresses.push_back(*address);
  }
  return node;
}

/// Attributes Nodes to shoots.
class Owners {
 public:
  explicit Owners(std::vector<Shoot>& shoots) : shoots_(shoots) {
    for (Shoot& shoot : shoots)
      by_id_.emplace(shoot.technical_id(), &shoot);
  }

  Shoot* of(const ClusterNode& node) {
    if (Shoot* named = named_by(node.object.name)) return named;
    const auto slash = node.provider_id.rfind('/');
    return slash == std::string::npos ? nullptr : named_by(node.provider_id.substr(slash + 1));
  }

  /// Shoots of Nodes without a known name, by the Nodes' addresses; null if not known.
  std::vector<Shoot*> of(const std::vector<const ClusterNode*>& nodes) {
    std::vector<ranges::IndexedRange> entries;
    std::vector<Shoot*> holders;  // By id; the ids of nodes follow.
    for (Shoot& shoot : shoots_)
      for (const Range& range : shoot.ranges)
        if (range.role == Role::Nodes || range.role == Role::Subnet) {
          entries.push_back({range.cidr, static_cast<std::uint32_t>(holders.size())});
          holders.push_back(&shoot);
        }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const IpAddress& address : nodes[i]->addresses)
        entries.push_back(
            {IpPrefix::host(address), static_cast<std::uint32_t>(holders.size() + i)});
    ranges::sort(entries);
    std::vector<Holders> found(nodes.size());
    std::vector<Shoot*> open;
    ranges::sweep(
        std::span<const ranges::IndexedRange>(entries),
        [&](const ranges::IndexedRange& entry) {
          if (entry.id < holders.size())
            open.push_back(holders[entry.id]);
          else
            add_holders(*nodes[entry.id - holders.size()], open, found[entry.id - holders.size()]);
        },
        [&](const ranges::IndexedRange& entry) {
          if (entry.id < holders.size()) open.pop_back();
        });
    std::vector<Shoot*> owners;
    for (const Holders& its : found)
      owners.push_back(its.several ? nullptr : its.first);
    return owners;
  }

 private:
  /// A machine is named shoot--project--name-pool-…: searches the longest prefix that is a
  /// technical id.
  Shoot* named_by(std::string name) {
    while (!name.empty()) {
      const auto found = by_id_.find(name);
      if (found != by_id_.end()) return found->second;
      const auto dash = name.rfind('-');
      name.resize(dash == std::string::npos ? 0 : dash);
    }
    return nullptr;
  }

  /// Shoots whose node or pod ranges contain those of a Node.
  struct Holders {
    Shoot* first = nullptr;
    bool several = false;
  };

  static void add_holders(const ClusterNode& node, const std::vector<Shoot*>& around_address,
                          Holders& holders) {
    for (Shoot* shoot : around_address) {
      const auto holds = [&](const IpPrefix& pod_cidr) {
        return std::ranges::any_of(shoot->ranges, [&](const Range& range) {
          return range.role == Role::Pods && range.cidr.contains(pod_cidr);
        });
      };
      if (holders.several || shoot == holders.first || !std::ranges::any_of(node.pod_cidrs, holds))
        continue;
      holders.several = holders.first != nullptr;
      holders.first = shoot;
    }
  }

  std::vector<Shoot>& shoots_;
  std::unordered_map<std::string, Shoot*> by_id_;
};

Finding unattributed(const ClusterNode& first, std::size_t count) {
  return {
      .rule = "node-of-no-shoot",
      .severity = Severity::Note,
      .message =
          fmt::format("{}: the shoot of {} in this file is not known; their pod CIDRs are "
                      "ignored",
                      first.object.name, count == 1 ? "1 Node" : fmt::format("{} Nodes", count)),
      .object = first.object,
      .place = first.place,
      .hint = "add the Shoot with its status (technicalID), or ranges that only this shoot has"};
}

}  // namespace

bool is_node(const document::Tree& tree) {
  const document::Value root = tree.root();
  if (!root.is(document::Kind::Mapping)) return false;
  if (root["kind"].exists())
    return root["kind"].text() == "Node" && root["apiVersion"].text() == "v1";
  return tree.list() != nullptr && tree.list()->kind == "NodeList";
}

std::vector<ClusterNode> take_nodes(document::Stream& stream) {
  std::vector<ClusterNode> nodes;
  for (const document::Tree& tree : stream.take_if(is_node)) {
    ObjectName name = manifest::name_of(tree.root());
    name.kind = "Node";
    document::Problems problems(name);
    nodes.push_back(decode_node(tree.root(), problems));
    stream.findings.insert(stream.findings.end(), problems.findings().begin(),
                           problems.findings().end());
  }
  return nodes;
}

void attach_nodes(const std::vector<ClusterNode>& nodes, std::vector<Shoot>& shoots,
                  Findings& findings) {
  if (nodes.empty()) return;
  Owners owners(shoots);
  std::vector<std::pair<const ClusterNode*, Shoot*>> owned;
  std::vector<const ClusterNode*> unnamed;
  for (const ClusterNode& node : nodes)
    if (Shoot* shoot = owners.of(node))
      owned.emplace_back(&node, shoot);
    else
      unnamed.push_back(&node);
  const std::vector<Shoot*> by_address = owners.of(unnamed);
  std::map<std::string, std::pair<const ClusterNode*, std::size_t>> unknown;  // Nodes of no shoot,
                                                                              // by file.
  for (std::size_t i = 0; i < unnamed.size(); ++i)
    if (by_address[i] != nullptr)
      owned.emplace_back(unnamed[i], by_address[i]);
    else
      ++unknown.try_emplace(unnamed[i]->place.file, unnamed[i], 0).first->second.second;
  // Nodes created in the same second are ordered by their pod CIDRs.
  std::ranges::stable_sort(owned, {}, [](const auto& one) {
    return std::tie(one.first->created, one.first->pod_cidrs);
  });
  std::set<std::pair<Shoot*, IpPrefix>> given;  // A Node may be listed twice.
  for (const auto& [node, shoot] : owned)
    for (const IpPrefix& pod_cidr : node->pod_cidrs)
      if (given.emplace(shoot, pod_cidr).second) shoot->pod_cidrs.push_back(pod_cidr);
  for (const auto& [file, first] : unknown)
    findings.push_back(unattributed(*first.first, first.second));
}

std::int64_t nodes_of(const Shoot& shoot) {
  // In dual-stack a node has a pod CIDR of each family.
  const std::int64_t ipv4 = std::ranges::count_if(shoot.pod_cidrs, &IpPrefix::is_ipv4);
  const auto all = static_cast<std::int64_t>(shoot.pod_cidrs.size());
  return std::max({shoot.nodes.minimum, ipv4, all - ipv4});
}

namespace {

using effective::Provider;

constexpr rules::Rule kRule{
    .id = "network-not-modelled",
    .section = "domains",
    .severity = Severity::Note,
    .enforcer = rules::Enforcer::Reader,
    .title = "The provider's shared networks are not modelled.",
    .why =
        "Overlane does not model how shoots of this provider share networks and route tables. Each "
        "of these shoots is treated as alone in its network, and overlaps with "
        "other shoots are not found.",
    .remedy =
        "declare what joins their networks in a RoutingDomains file, as connections of "
        "{shoot: namespace/name}",
    .source = "topologies/provider"};

/// "garden-a/one, garden-a/two, 3 more".
std::string names_of(const std::vector<const Shoot*>& shoots) {
  constexpr std::size_t kMaxNamed = 5;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMaxNamed, shoots.size()); ++i)
    names.push_back(shoots[i]->name());
  if (shoots.size() > kMaxNamed) names.push_back(fmt::format("{} more", shoots.size() - kMaxNamed));
  return fmt::format("{}", fmt::join(names, ", "));
}

Findings find_unmodelled(const std::vector<Shoot>& shoots) {
  std::map<std::string_view, std::vector<const Shoot*>> by_provider;
  for (const Shoot& shoot : shoots) {
    const std::string_view key = shoot.network.key;  // "vsphere/shoot/garden-a/one".
    if (!provider::profile_of(shoot.provider).is_known() && !key.starts_with('/'))
      by_provider[key.substr(0, key.find('/'))].push_back(&shoot);
  }
  Findings findings;
  for (const auto& [provider, its] : by_provider)
    findings.push_back(
        {.rule = std::string(kRule.id),
         .severity = kRule.severity,
         .message = fmt::format("{}: shared networks of this provider are not modelled; {} {} "
                                "compared with others only over declared connections: {}",
                                provider, counted(its.size(), "shoot"),
                                its.size() == 1 ? "is" : "are", names_of(its)),
         .object = its.front()->object,
         .path = "spec.provider.type",
         .place = its.front()->place,
         .hint = std::string(kRule.remedy)});
  return findings;
}

void qualify(const std::string& landscape, std::string& name) {
  if (!name.empty()) name.insert(0, landscape + ':');
}

void put_into_landscape(const std::string& landscape, Shoot& shoot) {
  if (landscape.empty()) return;
  shoot.landscape = landscape;
  qualify(landscape, shoot.network.credentials);
}

void put_into_landscape(const std::string& landscape, domains::Declarations& declared) {
  if (landscape.empty()) return;
  for (domains::Project& project : declared.projects)
    for (std::string& credentials : project.credentials)
      qualify(landscape, credentials);
  for (domains::DeclaredNetwork& network : declared.networks)
    qualify(landscape, network.ref.shoot);
  for (domains::Connection& connection : declared.connections)
    for (domains::NetworkRef& ref : connection.networks)
      qualify(landscape, ref.shoot);
}

/// The block of a NetworkConfig that switches the overlay. It is the same for all network
/// extensions.
const document::Tree& overlay_patch(effective::Mode mode) {
  const auto parse = [](const char* text) {
    return document::parse(text, "--assume").documents.front();
  };
  static const document::Tree kOn = parse("overlay: {enabled: true}");
  static const document::Tree kOff = parse("overlay: {enabled: false}");
  return mode == effective::Mode::Overlay ? kOn : kOff;
}

/// Documents that are read before the shoots, in one pass, because there are many shoots.
bool is_read_first(const document::Tree& tree) {
  return derive::describes_network(tree) || domains::declares_domains(tree) || is_node(tree);
}

/// The documents of a landscape; candidates come first.
template <typename AnyLandscape>
auto streams_of(AnyLandscape& landscape) {
  std::vector<decltype(&landscape.documents)> streams;
  if (landscape.candidates) streams.push_back(&*landscape.candidates);
  streams.push_back(&landscape.documents);
  return streams;
}

/// Avoids a copy of the shoots, because a landscape has up to 100,000.
void append(std::vector<Shoot> more, std::vector<Shoot>& shoots) {
  if (shoots.empty())
    shoots = std::move(more);
  else
    std::ranges::move(more, std::back_inserter(shoots));
}

/// A shoot, and the findings about its NetworkConfig.
struct ReadShoot {
  Shoot shoot;
  Findings findings;
};

auto order_of(const Shoot& shoot) {
  return std::tie(shoot.object.namespace_, shoot.object.name, shoot.landscape);
}

/// The documents that describe these shoots.
std::set<SourceLocation> sources_of(const std::vector<const Shoot*>& shoots) {
  std::set<SourceLocation> places;
  for (const Shoot* shoot : shoots) {
    places.insert(shoot->place);
    places.insert(shoot->more_sources.begin(), shoot->more_sources.end());
  }
  return places;
}

/// Whether two shoots of one name may be one shoot that was given twice.
bool may_be_one(const Shoot& a, const Shoot& b) {
  const auto uses = [](const Range& range) { return std::pair(range.role, range.cidr); };
  return b.candidate == a.candidate && a.network.key == b.network.key &&
         std::ranges::equal(a.ranges, b.ranges, {}, uses, uses);
}

void sort(std::vector<Shoot>& shoots) {
  if (!std::ranges::is_sorted(shoots, {}, order_of))
    ranges::sort_by(shoots, [&](std::size_t i) { return order_of(shoots[i]); });
}

/// Keeps one of several shoots with one name: the candidate, or the first of equal shoots. The
/// others belong to different landscapes, which are named after their files.
void resolve_duplicates(std::vector<Shoot>& shoots) {
  sort(shoots);
  const auto repeats = [](const Shoot& first, const Shoot& second) {
    return order_of(first) == order_of(second) && (first.candidate || may_be_one(first, second));
  };
  const auto rest = std::ranges::unique(shoots, repeats);
  shoots.erase(rest.begin(), rest.end());
  for (std::size_t i = 1; i < shoots.size(); ++i)
    if (shoots[i].object == shoots[i - 1].object && shoots[i].landscape.empty())
      shoots[i].landscape = shoots[i].place.file.str();
  for (Shoot& shoot : shoots)
    if (!shoot.network.shared && !shoot.landscape.empty())
      shoot.network.key += '@' + shoot.landscape;
  sort(shoots);
}

}  // namespace

LandscapeReader::LandscapeReader(std::vector<Landscape> landscapes, ReadOptions options)
    : landscapes_(std::move(landscapes)), options_(std::move(options)) {}

manifest::PodNetworkSpec LandscapeReader::as_assumed(const manifest::PodNetworkSpec& spec) const {
  const auto mode = options_.assumed_modes.find(spec.object.qualified());
  if (mode == options_.assumed_modes.end()) return spec;
  return manifest::with_network_config(spec, overlay_patch(mode->second).root());
}

std::vector<Shoot> LandscapeReader::read_shoots(const document::Stream& stream,
                                                Findings& findings) const {
  std::vector<Shoot> shoots;
  shoots.reserve(stream.documents.size());
  const auto describe = [&](const manifest::PodNetworkSpec& spec) -> ReadShoot {
    ReadShoot read;
    if (!options_.assumed_modes.contains(spec.object.qualified())) {
      read.shoot = describe_shoot(spec, options_.derive, read.findings);
      return read;
    }
    const manifest::PodNetworkSpec assumed = as_assumed(spec);
    read.shoot = describe_shoot(assumed, options_.derive, read.findings);
    const auto admitted = derive::derive(assumed, options_.derive);
    if (!admitted && read.findings.empty()) read.findings.push_back(admitted.error());
    return read;
  };
  const auto add = [&](ReadShoot read) {
    shoots.push_back(std::move(read.shoot));
    if (options_.progress) options_.progress(shoots.size(), stream.documents.size());
    std::ranges::move(read.findings, std::back_inserter(findings));
  };
  const manifest::Leftover rest =
      manifest::decode_each(stream, manifest::Detail::Summary, describe, add, options_.threads);
  findings.insert(findings.end(), rest.findings.begin(), rest.findings.end());
  return shoots;
}

Inventory LandscapeReader::read() {
  Inventory inventory;
  inventory.landscape_reserved = options_.derive.landscape.reserved_ranges;
  inventory.route_quotas = options_.derive.landscape.route_quotas;
  std::vector<domains::DeclarationFile> declared = options_.declared;
  for (Landscape& landscape : landscapes_) {
    std::vector<Shoot> shoots;
    std::vector<ClusterNode> nodes;
    for (document::Stream* stream : streams_of(landscape)) {
      document::Stream first{stream->take_if(is_read_first), {}};
      derive::take_network_providers(first, options_.derive.declarative);
      const std::size_t before = declared.size();
      domains::take_declarations(first, declared);
      for (std::size_t i = before; i < declared.size(); ++i)
        put_into_landscape(landscape.name, declared[i].declared);
      std::ranges::move(take_nodes(first), std::back_inserter(nodes));
      stream->append(std::move(first));
      std::vector<Shoot> some = read_shoots(*stream, inventory.findings);
      for (Shoot& shoot : some) {
        put_into_landscape(landscape.name, shoot);
        shoot.candidate = stream != &landscape.documents;
      }
      append(std::move(some), shoots);
    }
    attach_nodes(nodes, shoots, inventory.findings);
    for (Shoot& shoot : shoots)  // The Nodes were created before the hibernation.
      if (shoot.hibernated) shoot.pod_cidrs.clear();
    append(std::move(shoots), inventory.shoots);
  }
  resolve_duplicates(inventory.shoots);
  std::ranges::move(find_unmodelled(inventory.shoots), std::back_inserter(inventory.findings));
  domains::Merged merged = domains::merge(declared);
  inventory.declared = std::move(merged.declarations);
  inventory.findings.insert(inventory.findings.end(), merged.findings.begin(),
                            merged.findings.end());
  return inventory;
}

void LandscapeReader::keep_only(const std::vector<const Shoot*>& shoots) {
  const std::set<SourceLocation> wanted = sources_of(shoots);
  const auto is_unwanted = [&](const document::Tree& tree) {
    return !wanted.contains(tree.root().place());
  };
  std::vector<document::Tree> gone;
  for (Landscape& landscape : landscapes_)
    for (document::Stream* stream : streams_of(landscape))
      std::ranges::move(stream->take_if(is_unwanted), std::back_inserter(gone));
  freeing_ = std::async(options_.threads == 1 ? std::launch::deferred : std::launch::async,
                        [gone = std::move(gone)]() mutable { gone.clear(); });
}

std::map<std::string, effective::EffectiveDataplane> LandscapeReader::derive(
    const std::vector<const Shoot*>& shoots) const {
  std::map<SourceLocation, const Shoot*> by_place;
  for (const Shoot* shoot : shoots)
    by_place.emplace(shoot->place, shoot);
  const std::set<SourceLocation> wanted = sources_of(shoots);
  document::Stream some;
  for (const Landscape& landscape : landscapes_)
    for (const document::Stream* stream : streams_of(landscape))
      for (const document::Tree& tree : stream->documents)
        if (wanted.contains(tree.root().place())) some.documents.push_back(tree);
  std::map<std::string, effective::EffectiveDataplane> derived;
  for (const manifest::PodNetworkSpec& spec : manifest::decode(some).clusters) {
    const auto shoot = by_place.find(spec.place);
    if (shoot == by_place.end()) continue;
    if (auto network = derive::derive(as_assumed(spec), options_.derive))
      derived.emplace(shoot->second->name(), *std::move(network));
  }
  return derived;
}

const rules::Rule& unmodelled_rule() {
  return kRule;
}

}  // namespace overlane::overlap

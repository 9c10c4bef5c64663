#include "topologies/overlap/inventory/cluster_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/object_head.h"
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

  /// By the addresses of Nodes without a known name: their shoots, or nullptr.
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

  /// Shoots whose node and pod ranges contain those of a Node.
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
  std::map<std::string, std::pair<const ClusterNode*, std::size_t>> unknown;  // By file.
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

}  // namespace overlane::overlap

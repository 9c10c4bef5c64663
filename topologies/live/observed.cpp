#include "topologies/live/observed.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/object_head.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::live {

namespace {

using document::Fields;
using document::Problems;
using document::Value;

void decode_node(const ObjectName& name, const Value& root, Problems& problems,
                 Observed& observed) {
  ObservedNode node{.name = name.name, .place = root.place(), .pod_cidrs = {}};
  Fields spec(root["spec"], problems);
  node.pod_cidrs = manifest::given_cidrs(spec, "podCIDRs");
  const Field<IpPrefix> only = manifest::given_cidr(spec, "podCIDR");
  if (node.pod_cidrs.empty() && only) node.pod_cidrs.push_back(*only);
  const Value ranges = root["spec"]["podCIDRs"];
  node.has_pod_cidr = manifest::is_given(root["spec"]["podCIDR"]) ||
                      (manifest::is_given(ranges) && ranges.size() > 0);
  Fields status(root["status"], problems);
  for (const Value& item : status.list("conditions")) {
    Fields condition(item, problems);
    if (condition.string("type") != "NetworkUnavailable") continue;
    node.unavailable = manifest::given_string(condition, "status");
    node.reason = condition.string("reason").value_or("");
  }
  observed.nodes.push_back(std::move(node));
}

constexpr cni::ObservedKind kNodeKind{"Node", "v1", "v1"};

/// An object's kind and apiVersion, which an item of a typed list (NodeList) need not repeat.
std::pair<std::string, std::string> type_of(const document::Tree& tree) {
  if (!tree.root().is(document::Kind::Mapping)) return {};
  std::string kind(tree.root()["kind"].text());
  std::string version(tree.root()["apiVersion"].text());
  if (const document::ListHead* list = tree.list()) {
    if (kind.empty() && list->kind.ends_with("List"))
      kind = list->kind.substr(0, list->kind.size() - 4);
    if (version.empty()) version = list->api_version;
  }
  return {std::move(kind), std::move(version)};
}

/// "IPPools … (calico) or the ConfigMap cilium-config (cilium)".
std::string cni_objects() {
  std::vector<std::string> objects;
  for (const cni::Profile* cni : cni::profiles())
    objects.push_back(fmt::format("{} ({})", cni->live.objects, cni->type()));
  return fmt::format("{}", fmt::join(objects, " or "));
}

Finding unread_kind(const ObjectName& name, const document::Tree& tree, const std::string& kind,
                    std::size_t count) {
  return manifest::refuse(
      name, tree.root(), "unread-live-kind",
      kind.empty() ? "this is not a Kubernetes object: it has no kind"
                   : fmt::format("objects of kind {} are not compared ({} of them)", kind, count),
      fmt::format("give Nodes, and of the shoot's CNI {}", cni_objects()), Severity::Note);
}

/// Adds the object to all that read its kind. Returns whether there is one.
bool decode_object(const ObjectName& name, const std::string& api_version, const Value& root,
                   Problems& problems, Observed& observed) {
  bool is_read = kNodeKind.matches(name.kind, api_version);
  if (is_read) decode_node(name, root, problems, observed);
  for (const ObservedCni& one : observed.cnis) {
    const bool matches = std::ranges::any_of(one.cni->live.kinds, [&](const auto& kind) {
      return kind.matches(name.kind, api_version);
    });
    if (matches) one.objects->decode(name, root, problems);
    is_read = is_read || matches;
  }
  return is_read;
}

}  // namespace

Observed decode_observed(const document::Stream& stream) {
  Observed observed{.nodes = {}, .cnis = {}, .findings = stream.findings};
  for (const cni::Profile* cni : cni::profiles())
    observed.cnis.push_back({cni, cni->live.observe()});
  std::map<std::string, std::pair<const document::Tree*, std::size_t>> unread;
  for (const document::Tree& tree : stream.documents) {
    const auto [kind, version] = type_of(tree);
    ObjectName name = manifest::name_of(tree.root());
    name.kind = kind;
    Problems problems(name);
    if (!decode_object(name, version, tree.root(), problems, observed)) {
      auto& [first, count] = unread[kind];
      if (count++ == 0) first = &tree;
      continue;
    }
    ++observed.objects;
    observed.findings.insert(observed.findings.end(), problems.findings().begin(),
                             problems.findings().end());
  }
  for (const auto& [kind, seen] : unread)
    observed.findings.push_back(
        unread_kind(manifest::name_of(seen.first->root()), *seen.first, kind, seen.second));
  return observed;
}

}  // namespace overlane::live

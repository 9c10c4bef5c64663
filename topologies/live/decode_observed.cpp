#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"
#include "topologies/live/observed.h"
#include "topologies/manifest/fields/located_fields.h"
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

void decode_pool(const ObjectName& name, const Value& root, Problems& problems,
                 Observed& observed) {
  Fields spec(root["spec"], problems);
  observed.pools.push_back({.name = name.name,
                            .place = root.place(),
                            .cidr = manifest::given_cidr(spec, "cidr"),
                            .ipip_mode = manifest::given_string(spec, "ipipMode"),
                            .vxlan_mode = manifest::given_string(spec, "vxlanMode"),
                            .block_size = manifest::given_integer(spec, "blockSize"),
                            .nat_outgoing = manifest::given_bool(spec, "natOutgoing"),
                            .disabled = manifest::given_bool(spec, "disabled")});
}

/// The scalars of a mapping as they are written.
Settings settings_of(const Value& mapping) {
  Settings settings;
  for (const Value& entry : mapping)
    if (entry.is(document::Kind::Scalar))
      settings.emplace(entry.key(), Located<std::string>{std::string(entry.text()), entry.place(),
                                                         document::FieldPath(entry)});
  return settings;
}

void decode_felix(const ObjectName& name, const Value& root, Problems& problems,
                  Observed& observed) {
  Fields fields(root, problems);
  if (name.name == "default") observed.felix_configuration = settings_of(fields.mapping("spec"));
}

void decode_config(const ObjectName& name, const Value& root, Problems& problems,
                   Observed& observed) {
  Fields fields(root, problems);
  const Value data = fields.mapping("data");
  if (name.name == "calico-config") observed.calico_config = settings_of(data);
  if (name.name == "cilium-config") observed.cilium_config = settings_of(data);
}

void decode_daemon_set(const ObjectName& name, const Value& root, Problems& problems,
                       Observed& observed) {
  if (name.name != "calico-node") return;
  const Value pod = root["spec"]["template"]["spec"];
  for (const Value& item : Fields(pod, problems).list("containers")) {
    Fields container(item, problems);
    if (container.string("name") != "calico-node") continue;
    for (const Value& variable : container.list("env")) {
      Fields fields(variable, problems);
      const auto key = fields.string("name");
      const Field<std::string> value = manifest::given_string(fields, "value");
      if (key && value) observed.felix_environment.emplace(*key, *value);
    }
  }
}

struct KindRow {
  std::string_view kind;
  std::string_view group;  ///< What the apiVersion may start with: another group has other fields.
  std::string_view other_group;
  void (*decode)(const ObjectName&, const Value&, Problems&, Observed&);
};

constexpr KindRow kKinds[] = {
    {"Node", "v1", "v1", decode_node},
    {"IPPool", "crd.projectcalico.org/", "projectcalico.org/", decode_pool},
    {"FelixConfiguration", "crd.projectcalico.org/", "projectcalico.org/", decode_felix},
    {"DaemonSet", "apps/", "apps/", decode_daemon_set},
    {"ConfigMap", "v1", "v1", decode_config},
};

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

const KindRow* row_of(const std::string& kind, const std::string& version) {
  for (const KindRow& row : kKinds)
    if (row.kind == kind &&
        (version.starts_with(row.group) || version.starts_with(row.other_group)))
      return &row;
  return nullptr;
}

Finding unread_kind(const ObjectName& name, const document::Tree& tree, const std::string& kind,
                    std::size_t count) {
  return manifest::refuse(
      name, tree.root(), "unread-live-kind",
      kind.empty() ? "this is no Kubernetes object: it has no kind"
                   : fmt::format("objects of kind {} are not compared ({} of them)", kind, count),
      "give Nodes, IPPools, FelixConfigurations, the DaemonSet calico-node and the ConfigMaps "
      "calico-config and cilium-config",
      Severity::Note);
}

}  // namespace

bool Observed::shows_calico() const {
  return !pools.empty() || !felix_environment.empty() || !felix_configuration.empty() ||
         !calico_config.empty();
}

Observed decode_observed(const document::Stream& stream) {
  Observed observed{.nodes = {}, .findings = stream.findings};
  std::map<std::string, std::pair<const document::Tree*, std::size_t>> unread;
  for (const document::Tree& tree : stream.documents) {
    const auto [kind, version] = type_of(tree);
    const KindRow* row = row_of(kind, version);
    if (row == nullptr) {
      auto& [first, count] = unread[kind];
      if (count++ == 0) first = &tree;
      continue;
    }
    ObjectName name = manifest::name_of(tree.root());
    name.kind = kind;
    Problems problems(name);
    row->decode(name, tree.root(), problems, observed);
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

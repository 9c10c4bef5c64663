#include "topologies/live/live.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/object_head.h"
#include "topologies/manifest/objects/shoot_view.h"
#include "topologies/rules/lint_conditions.h"

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

/// An object's kind and apiVersion. If an item of a typed list (NodeList) has none, those of the
/// list count.
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
    objects.push_back(fmt::format("{} ({})", cni->live->objects, cni->type()));
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

/// Adds the object to the nodes, or to the objects of each CNI that reads its kind. Returns whether
/// any of them reads it.
bool decode_object(const ObjectName& name, const std::string& api_version, const Value& root,
                   Problems& problems, Observed& observed) {
  bool is_read = kNodeKind.matches(name.kind, api_version);
  if (is_read) decode_node(name, root, problems, observed);
  for (const ObservedCni& one : observed.cnis) {
    const bool matches = std::ranges::any_of(one.cni->live->kinds, [&](const auto& kind) {
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
    observed.cnis.push_back({cni, cni->live->observe()});
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

namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

/// The check of a rule that is in the table only for its documentation: decode_observed() adds its
/// findings.
void nothing(const LiveInputs&, RuleReport&) {}

void check_other_network(const LiveInputs& in, RuleReport& report) {
  if (in.expected.opaque) return;
  for (const ObservedCni& one : in.observed.cnis)
    if (one.cni->agent != in.expected.agent && !one.objects->empty())
      report.add(fmt::format("the cluster has objects of {}, but the shoot's network type is {}",
                             one.cni->type(), in.expected.cni));
}

constexpr Check<LiveInputs> kInputChecks[] = {
    {{.id = "unread-live-kind",
      .section = "live",
      .severity = Severity::Note,
      .enforcer = Enforcer::Reader,
      .title = "The cluster's output has a kind that Overlane does not compare.",
      .why = "Objects of other kinds are named once and ignored; their contents are never shown.",
      .remedy = "give Nodes and the objects that configure the shoot's CNI",
      .source = "topologies/live"},
     nothing},
    {{.id = "live-other-network",
      .section = "live",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The cluster has objects of another network type.",
      .why = "Either the objects belong to another cluster, or two network extensions have "
             "configured this one.",
      .remedy = "give objects of the shoot's own cluster, or remove the left-over ones",
      .source = "topologies/live"},
     check_other_network},
};

std::span<const Check<LiveInputs>> input_checks() {
  return kInputChecks;
}

constexpr const char* kRouteController =
    "kubernetes/cloud-provider controllers/route/route_controller.go";

template <typename Judge>
void for_each_range(const LiveInputs& in, const Judge& judge) {
  for (const ObservedNode& node : in.observed.nodes)
    for (const Located<IpPrefix>& range : node.pod_cidrs)
      judge(node, range);
}

void check_missing(const LiveInputs& in, RuleReport& report) {
  for (const ObservedNode& node : in.observed.nodes)
    if (!node.has_pod_cidr)
      report.add("spec.podCIDRs", node.place,
                 fmt::format("node {} has no pod CIDR: its pods get no addresses", node.name));
}

/// The shoot's pod ranges of the same IP family as `range`.
std::vector<IpPrefix> pods_of_family(const LiveInputs& in, const IpPrefix& range) {
  std::vector<IpPrefix> pods = in.expected.pods;
  std::erase_if(pods, [&](const IpPrefix& p) { return p.is_ipv4() != range.is_ipv4(); });
  return pods;
}

bool has_family(const LiveInputs& in, const IpPrefix& range) {
  return std::ranges::find(in.expected.ip_families, range.is_ipv4() ? "IPv4" : "IPv6") !=
         in.expected.ip_families.end();
}

void check_outside(const LiveInputs& in, RuleReport& report) {
  for_each_range(in, [&](const ObservedNode& node, const Located<IpPrefix>& range) {
    const auto pods = pods_of_family(in, range.value);
    if (std::ranges::any_of(pods, [&](const IpPrefix& p) { return p.contains(range.value); }))
      return;
    if (pods.empty() && has_family(in, range.value)) return;  // The cloud assigns it.
    const std::string message =
        pods.empty()
            ? fmt::format("node {} has the pod CIDR {}, but the shoot has no {}", node.name,
                          range.value.to_string(), range.value.is_ipv4() ? "IPv4" : "IPv6")
            : fmt::format("node {} has the pod CIDR {}, which is outside the pod range {}",
                          node.name, range.value.to_string(), pods.front().to_string());
    const std::string hint = "give the manifest of this cluster's shoot, or " +
                             rules::node_replacement(in.spec.shoot, "replace the node");
    if (in.assumes("pods") || (pods.empty() && !in.spec.ip_families))
      report.add_assumed(range, message, hint);
    else
      report.add(range, message, hint);
  });
}

/// The IPv4 node mask of the provider's dual-stack shoots, regardless of the configured mask.
std::optional<std::int64_t> fixed_size(const LiveInputs& in) {
  if (in.expected.ip_families.size() < 2) return std::nullopt;
  return provider::profile_of(in.expected.provider).admission.dual_stack_node_mask;
}

void check_size(const LiveInputs& in, RuleReport& report) {
  for_each_range(in, [&](const ObservedNode& node, const Located<IpPrefix>& range) {
    const auto expected = fixed_size(in).value_or(in.expected.node_cidr_mask_size);
    if (range.value.is_ipv4() && range.value.length() != expected)
      report.add(range, fmt::format("node {} has the pod CIDR {}, but the node mask is /{}",
                                    node.name, range.value.to_string(), expected));
  });
}

std::string replace_one(const LiveInputs& in) {
  return rules::node_replacement(in.spec.shoot, "replace one of the two nodes");
}

void check_twice(const LiveInputs& in, RuleReport& report) {
  std::map<std::string, std::string> owners;
  for_each_range(in, [&](const ObservedNode& node, const Located<IpPrefix>& range) {
    const auto [first, is_new] = owners.emplace(range.value.to_string(), node.name);
    if (!is_new)
      report.add(range,
                 fmt::format("the nodes {} and {} have the same pod CIDR {}", first->second,
                             node.name, range.value.to_string()),
                 replace_one(in));
  });
}

struct Owned {
  const ObservedNode* node;
  const Located<IpPrefix>* range;
};

/// Reports pod CIDRs that contain another one. Two prefixes overlap only if one contains the other,
/// so a range is compared with the widest range before it in the order of addresses.
void check_overlap(const LiveInputs& in, RuleReport& report) {
  std::vector<Owned> owned;
  for_each_range(in, [&](const ObservedNode& node, const Located<IpPrefix>& range) {
    owned.push_back({&node, &range});
  });
  std::ranges::sort(owned, {}, [](const Owned& o) { return o.range->value; });
  const Owned* widest = nullptr;
  for (const Owned& next : owned) {
    if (widest == nullptr || !widest->range->value.overlaps(next.range->value)) {
      widest = &next;
    } else if (widest->range->value != next.range->value) {
      report.add(*next.range,
                 fmt::format("the pod CIDR {} of node {} overlaps {} of node {}",
                             next.range->value.to_string(), next.node->name,
                             widest->range->value.to_string(), widest->node->name),
                 replace_one(in));
      if (next.range->value.contains(widest->range->value)) widest = &next;
    }
  }
}

/// Whether the node's condition is left over from another dataplane of the shoot, which a rule of
/// the CNI reports.
bool is_left_over(const LiveInputs& in, const ObservedNode& node) {
  return !in.expected.opaque && std::ranges::any_of(in.observed.cnis, [&](const ObservedCni& one) {
    return one.cni->live->is_left_over != nullptr &&
           one.cni->live->is_left_over(in.expected, node.reason);
  });
}

constexpr std::string_view kNoRoute = "NoRouteCreated";

/// The meaning of the condition's reason for this shoot, as a clause. For a shoot without a route
/// controller, the clause has the reason from the manifest, because there is no log to read.
std::string meaning_of(const LiveInputs& in, const std::string& reason) {
  if (reason == "CalicoIsDown") return "its calico-node stopped and did not restart";
  if (reason != kNoRoute) return "its network is not ready";
  const effective::Reason* unwritten = rules::unwritten_routes(in.expected);
  if (unwritten == nullptr) return "the cloud has no route to its pods";
  return "the cloud has no route to its pods, and new nodes get none: " +
         unwritten->because.to_string();
}

std::string remedy_for(const LiveInputs& in, const std::string& reason) {
  if (reason == "CalicoIsDown") return "read the log of calico-node on that node";
  if (reason != kNoRoute || in.expected.opaque) return "";
  const provider::Profile& provider = provider::profile_of(in.expected.provider);
  switch (in.expected.dataplane.cloud_routes) {
    case effective::CloudRoutes::Written:
      return fmt::format("read the log of {} in the shoot's namespace of the seed",
                         provider.routes.component);
    case effective::CloudRoutes::NotWritten:
      return rules::remedy_of(in.expected.dataplane.route_gap, in.expected.stage);
    case effective::CloudRoutes::NotNeeded:
      break;
  }
  return "the shoot needs no route, and no controller clears the condition: restart the network "
         "agent on that node, which sets it";
}

void check_unavailable(const LiveInputs& in, RuleReport& report) {
  for (const ObservedNode& node : in.observed.nodes)
    if (node.unavailable && node.unavailable->value == "True" && !is_left_over(in, node))
      report.add(*node.unavailable,
                 fmt::format("node {} is NetworkUnavailable ({}): pods are not scheduled on it; {}",
                             node.name, node.reason, meaning_of(in, node.reason)),
                 remedy_for(in, node.reason));
}

constexpr Check<LiveInputs> kNodeChecks[] = {
    {{.id = "live-node-without-pod-range",
      .section = "§4.1",
      .enforcer = Enforcer::None,
      .title = "A node has no pod CIDR.",
      .why = "Host-local IPAM allocates from it, and routes lead to it. A node without one is "
             "unusable: the pod range may be exhausted.",
      .remedy = "check whether the pod range is exhausted, and whether the controller that "
                "allocates pod CIDRs runs",
      .source = "kubernetes/cloud-provider node IPAM controller"},
     check_missing},
    {{.id = "live-pod-range-outside",
      .section = "§3.4",
      .enforcer = Enforcer::None,
      .title = "A node's pod CIDR is outside the shoot's pod range.",
      .why = "Route controllers, masquerading and filters use the shoot's range; pods outside it "
             "are not covered.",
      .remedy = "give the manifest of this cluster's shoot, or replace the node",
      .source = kRouteController},
     check_outside},
    {{.id = "live-pod-range-size",
      .section = "§3.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A node's pod CIDR does not have the size of the node mask.",
      .why = "The maximum numbers of nodes and of pods per node follow from that size.",
      .remedy = "give the manifest of this cluster's shoot, with its nodeCIDRMaskSize",
      .source = "gardener/gardener pkg/gardenlet/operation/botanist/clusterautoscaler.go"},
     check_size},
    {{.id = "live-pod-range-twice",
      .section = "§4.1",
      .enforcer = Enforcer::None,
      .title = "Two nodes have the same pod CIDR.",
      .why = "One route leads to one node: pods of the other are unreachable, and addresses are "
             "allocated twice.",
      .remedy = "replace one of the two nodes",
      .source = kRouteController},
     check_twice},
    {{.id = "live-pod-ranges-overlap",
      .section = "§4.1",
      .enforcer = Enforcer::None,
      .title = "Pod CIDRs of nodes overlap.",
      .why =
          "The longer prefix takes traffic of the shorter one, and addresses are allocated twice.",
      .remedy = "replace one of the two nodes",
      .source = kRouteController},
     check_overlap},
    {{.id = "live-network-unavailable",
      .section = "§4.3",
      .enforcer = Enforcer::None,
      .title = "A node is NetworkUnavailable.",
      .why = "Such a node is tainted. If the condition persists, machine-controller-manager "
             "replaces the machine.",
      .remedy = "read the log of the route controller, or of calico-node on that node",
      .source = kRouteController},
     check_unavailable},
};

std::span<const Check<LiveInputs>> node_checks() {
  return kNodeChecks;
}

}  // namespace

Findings compare(const LiveInputs& inputs) {
  rules::RuleReport report(inputs.spec);
  report.run(input_checks(), inputs);
  report.run(node_checks(), inputs);
  if (inputs.expected.opaque) return report.take();
  for (const ObservedCni& one : inputs.observed.cnis)
    if (one.cni->agent == inputs.expected.agent)
      one.objects->compare(inputs, inputs.observed.nodes, report);
  return report.take();
}

std::vector<const rules::Rule*> rules() {
  std::vector<const rules::Rule*> rules;
  list_rules(input_checks(), rules);
  list_rules(node_checks(), rules);
  for (const cni::Profile* cni : cni::profiles()) {
    const auto own = cni->live->rules();
    rules.insert(rules.end(), own.begin(), own.end());
  }
  return rules;
}

}  // namespace overlane::live

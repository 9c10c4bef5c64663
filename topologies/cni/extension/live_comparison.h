#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/document/fields/fields.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/spec/pod_network_spec.h"
#include "topologies/rules/rule.h"

namespace overlane::cni {

// The interface of a CNI for `check --live`, which compares a running cluster (objects that kubectl
// printed) with the shoot's manifest. A CNI lists the kinds that it reads, decodes them into
// ObservedObjects, and checks its rules on them and on the nodes' conditions. One object is used by
// one thread.

/// A shoot as its manifest describes it, for rules that compare it with its running cluster.
struct LiveInputs {
  const manifest::PodNetworkSpec& spec;
  const effective::EffectiveDataplane& expected;

  /// Whether the value of this field of `expected` is in no document.
  bool assumes(std::string_view field) const;
};

/// A Kubernetes Node: the fields that matter for its pods' traffic.
struct ObservedNode {
  std::string name;
  SourceLocation place;
  std::vector<manifest::Located<IpPrefix>>
      pod_cidrs;              ///< `spec.podCIDRs`, or the older `spec.podCIDR`.
  bool has_pod_cidr = false;  ///< Also true if the range cannot be read.
  /// The condition NetworkUnavailable.
  manifest::Field<std::string> unavailable;  ///< "True", "False" or "Unknown".
  std::string reason;                        ///< Reason of the condition, such as RouteCreated,
                                             ///< NoRouteCreated, CalicoIsUp.
};

/// Objects that a comparison reads, such as IPPools of crd.projectcalico.org.
struct ObservedKind {
  std::string_view kind;
  std::string_view group;  ///< Start of the apiVersion; objects of other groups are ignored.
  std::string_view other_group;

  bool matches(std::string_view object_kind, std::string_view api_version) const;
};

/// Objects of one CNI in a running cluster.
class ObservedObjects {
 public:
  virtual ~ObservedObjects() = default;

  /// Reads one object of the CNI's kinds. Objects with an unknown name are ignored.
  virtual void decode(const ObjectName& name, const document::Value& root,
                      document::Problems& problems) = 0;
  /// Whether the cluster shows no object of this CNI.
  virtual bool empty() const = 0;
  /// Reports how the objects and the nodes' conditions differ from the manifest.
  virtual void compare(const LiveInputs& shoot, std::span<const ObservedNode> nodes,
                       rules::RuleReport& report) const = 0;
};

/// How `overlane check --live` compares a running cluster with the shoot's manifest.
struct LiveComparison {
  std::span<const ObservedKind> kinds;
  std::string_view objects;  ///< `kinds` in words, for a hint: "the ConfigMap cilium-config".
  /// Whether a condition NetworkUnavailable with this reason remains from another dataplane of the
  /// shoot, and the agent no longer updates it. Null if the agent sets no such conditions.
  bool (*is_left_over)(const effective::EffectiveDataplane& shoot,
                       std::string_view reason) = nullptr;
  std::unique_ptr<ObservedObjects> (*observe)() = nullptr;  ///< Makes an empty collection.
  std::vector<const rules::Rule*> (*rules)() = nullptr;     ///< The rules that compare() runs.
};

/// Settings by their names.
using Settings = std::map<std::string, manifest::Located<std::string>, std::less<>>;

/// The scalars of a mapping, as text.
Settings settings_of(const document::Value& mapping);
/// The setting of this name; null if there is none.
const manifest::Located<std::string>* find(const Settings& settings, std::string_view name);

}  // namespace overlane::cni

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/manifest/fields/located.h"

// The comparison of a running cluster with the manifest for `check --live`: IPPools,
// FelixConfiguration, the variables of the DaemonSet calico-node, the ConfigMap calico-config, and
// node conditions that calico-node left behind. The objects of the last reconciliation decide about
// packets, so a difference means that the manifest does not describe this cluster. observe()
// returns an empty collection; the caller decodes each object of kObservedKinds into it and then
// compares once.
namespace overlane::calico {

namespace {

using cni::settings_of;
using document::Fields;
using document::Problems;
using document::Value;
using effective::Encapsulation;
using effective::ServiceRouting;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

/// An IPPool of the cluster.
struct ObservedPool {
  std::string name;
  SourceLocation place;
  Field<IpPrefix> cidr;
  Field<std::string> ipip_mode;   ///< Absent means Never.
  Field<std::string> vxlan_mode;  ///< Absent means Never.
  Field<std::int64_t> block_size;
  Field<bool> nat_outgoing;
  Field<bool> disabled;
};

/// Calico's objects in a running cluster.
struct Observed {
  std::vector<ObservedPool> pools;
  cni::Settings felix_environment;    ///< Variables of the container calico-node that have a value.
  cni::Settings felix_configuration;  ///< Fields of the FelixConfiguration `default`.
  cni::Settings calico_config;        ///< `data` of the ConfigMap calico-config.

  bool empty() const {
    return pools.empty() && felix_environment.empty() && felix_configuration.empty() &&
           calico_config.empty();
  }
};

/// A shoot, and the nodes and Calico's objects in its cluster.
struct ObservedInputs : cni::LiveInputs {
  std::span<const cni::ObservedNode> nodes;
  const Observed& observed;
};

void decode_pool(const std::string& name, const Value& root, Problems& problems,
                 Observed& observed) {
  Fields spec(root["spec"], problems);
  observed.pools.push_back({.name = name,
                            .place = root.place(),
                            .cidr = manifest::given_cidr(spec, "cidr"),
                            .ipip_mode = manifest::given_string(spec, "ipipMode"),
                            .vxlan_mode = manifest::given_string(spec, "vxlanMode"),
                            .block_size = manifest::given_integer(spec, "blockSize"),
                            .nat_outgoing = manifest::given_bool(spec, "natOutgoing"),
                            .disabled = manifest::given_bool(spec, "disabled")});
}

void decode_daemon_set(const Value& root, Problems& problems, Observed& observed) {
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

/// Adds an object of kObservedKinds.
void decode_object(const ObjectName& name, const Value& root, Problems& problems,
                   Observed& observed) {
  if (name.kind == "IPPool") decode_pool(name.name, root, problems, observed);
  if (name.kind == "DaemonSet" && name.name == "calico-node")
    decode_daemon_set(root, problems, observed);
  if (name.kind == "FelixConfiguration" && name.name == "default")
    observed.felix_configuration = settings_of(Fields(root, problems).mapping("spec"));
  if (name.kind == "ConfigMap" && name.name == "calico-config")
    observed.calico_config = settings_of(Fields(root, problems).mapping("data"));
}

/// Whether a condition of calico-node remains from a dataplane with an overlay.
bool is_left_over(const effective::EffectiveDataplane& shoot, std::string_view reason) {
  return shoot.dataplane.mode == effective::Mode::Routed &&
         shoot.dataplane.backend == effective::Backend::None &&
         (reason == "CalicoIsUp" || reason == "CalicoIsDown");
}

std::string remedy_for(const effective::EffectiveDataplane& shoot) {
  const provider::Profile& provider = provider::profile_of(shoot.provider);
  return provider.routes.cleans_up_calico
             ? fmt::format("wait for the clean-up of provider {}, or remove the condition",
                           provider.name)
             : "remove the condition: the provider does not clean it up";
}

void check_left_condition(const ObservedInputs& in, RuleReport& report) {
  for (const cni::ObservedNode& node : in.nodes)
    if (node.unavailable && is_left_over(in.expected, node.reason))
      report.add(*node.unavailable,
                 fmt::format("node {} still has the condition NetworkUnavailable={} ({}) that "
                             "calico-node set while the shoot had an overlay",
                             node.name, node.unavailable->value, node.reason),
                 remedy_for(in.expected));
}

constexpr Check<ObservedInputs> kConditionChecks[] = {
    {{.id = "live-calico-condition-left",
      .section = "§5.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A routed shoot still has node conditions that calico-node set.",
      .why = "Without an overlay calico-node no longer owns the condition. One that it set while "
             "stopping taints the node permanently, and the machine is replaced.",
      .remedy = "wait for the provider's clean-up (aws, gcp, openstack), or remove the condition",
      .source = "gardener-extension-provider-<name> pkg/controller/controlplane/actuator.go"},
     check_left_condition},
};

constexpr const char* kPoolTemplate =
    "gardener-extension-networking-calico charts/internal/calico/templates/ippool/ippool.yaml";

/// Rows of calico's truth table in which overlay.enabled is false.
constexpr std::array<std::string_view, 5> kOffByKey = {"T4", "T5", "T6", "D1", "D4"};

bool is_off_by_key(const ObservedInputs& in) {
  return std::ranges::find(kOffByKey, in.expected.row) != kOffByKey.end();
}

bool is_enabled(const ObservedPool& pool) {
  return !pool.disabled || !pool.disabled->value;
}

/// IPv4 pools for pods: the pool that Gardener renders for nodes is disabled.
std::vector<const ObservedPool*> pod_pools(const ObservedInputs& in) {
  std::vector<const ObservedPool*> pools;
  for (const ObservedPool& pool : in.observed.pools)
    if (is_enabled(pool) && pool.cidr && pool.cidr->value.is_ipv4()) pools.push_back(&pool);
  return pools;
}

std::vector<IpPrefix> ipv4_pods(const ObservedInputs& in) {
  std::vector<IpPrefix> pods = in.expected.pods;
  std::erase_if(pods, [](const IpPrefix& range) { return !range.is_ipv4(); });
  return pods;
}

/// The default pool's mode of one encapsulation, as the chart or calico-node sets it.
std::string_view expected_mode(const ObservedInputs& in, Encapsulation encapsulation) {
  const effective::Dataplane& dataplane = in.expected.dataplane;
  if (dataplane.encapsulation != encapsulation) return "Never";
  return dataplane.cross_subnet ? "CrossSubnet" : "Always";
}

void check_mode(const ObservedPool& pool, const char* name, const Field<std::string>& mode,
                std::string_view expected, RuleReport& report) {
  const std::string observed = mode && !mode->value.empty() ? mode->value : "Never";
  if (observed != expected)
    report.add(mode ? mode->path : document::FieldPath(fmt::format("spec.{}", name)),
               mode ? mode->place : pool.place,
               fmt::format("IPPool {} has {} {}, but the manifest requires {}", pool.name, name,
                           observed, expected));
}

void check_modes(const ObservedInputs& in, RuleReport& report) {
  for (const ObservedPool* pool : pod_pools(in)) {
    check_mode(*pool, "ipipMode", pool->ipip_mode, expected_mode(in, Encapsulation::Ipip), report);
    check_mode(*pool, "vxlanMode", pool->vxlan_mode, expected_mode(in, Encapsulation::Vxlan),
               report);
  }
}

void check_range(const ObservedInputs& in, RuleReport& report) {
  const std::vector<IpPrefix> pods = ipv4_pods(in);
  const auto pools = pod_pools(in);
  if (in.observed.pools.empty() || pods.empty()) return;
  if (pools.empty()) {
    report.add("spec.cidr", in.observed.pools.front().place,
               "no enabled IPPool of IPv4 was found, though the shoot has IPv4 pods");
    return;
  }
  for (const ObservedPool* pool : pools) {
    if (std::ranges::find(pods, pool->cidr->value) != pods.end()) continue;
    const std::string message =
        fmt::format("IPPool {} covers {}, but the pods' range is {}", pool->name,
                    pool->cidr->value.to_string(), pods.front().to_string());
    if (in.assumes("pods"))
      report.add_assumed(*pool->cidr, message);
    else
      report.add(*pool->cidr, message);
  }
}

void check_nat(const ObservedInputs& in, RuleReport& report) {
  for (const ObservedPool* pool : pod_pools(in))
    if (!pool->nat_outgoing || !pool->nat_outgoing->value)
      report.add(pool->nat_outgoing ? pool->nat_outgoing->path : "spec.natOutgoing",
                 pool->nat_outgoing ? pool->nat_outgoing->place : pool->place,
                 fmt::format("IPPool {} has no natOutgoing: packets that leave the cluster keep "
                             "pod addresses, and answers cannot be routed back",
                             pool->name));
}

void check_block_size(const ObservedInputs& in, RuleReport& report) {
  for (const ObservedPool& pool : in.observed.pools) {
    if (!is_enabled(pool) || !pool.cidr || !pool.block_size) continue;
    const std::int64_t expected = pool.cidr->value.is_ipv4() ? 26 : 122;
    if (pool.block_size->value != expected)
      report.add(*pool.block_size, fmt::format("IPPool {} has blocks of /{}, Gardener makes /{}",
                                               pool.name, pool.block_size->value, expected));
  }
}

void check_nodes_pool(const ObservedInputs& in, RuleReport& report) {
  const auto& nodes = in.spec.shoot.nodes;
  if (in.observed.pools.empty() || !nodes || !nodes->value.is_ipv4() || !is_off_by_key(in)) return;
  const auto found = std::ranges::find_if(in.observed.pools, [&](const ObservedPool& pool) {
    return pool.cidr && pool.cidr->value == nodes->value;
  });
  if (found == in.observed.pools.end())
    report.add(
        "spec.cidr", in.observed.pools.front().place,
        fmt::format(
            "no IPPool covers the nodes' range {}: packets from pods to nodes are masqueraded",
            nodes->value.to_string()));
  else if (is_enabled(*found))
    report.add(
        "spec.disabled", found->place,
        fmt::format(
            "IPPool {} covers the nodes' range and is not disabled: pods may get node addresses",
            found->name));
}

constexpr Check<ObservedInputs> kPoolChecks[] = {
    {{.id = "live-pool-mode",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The mode of an IPPool differs from the manifest.",
      .why = "BIRD and Felix follow the pool, not the manifest: it decides whether pods' packets "
             "are tunnelled.",
      .remedy =
          "find out why the last reconciliation did not write the pool, or correct the manifest",
      .source = kPoolTemplate},
     check_modes},
    {{.id = "live-pool-range",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The pods' IPPool does not cover exactly the pod range.",
      .why = "Packets to pods outside all pools are masqueraded, and pods of another pool have "
             "addresses without a cloud route.",
      .remedy = "give the manifest of this cluster's shoot, or remove the left-over pool",
      .source = kPoolTemplate},
     check_range},
    {{.id = "live-pool-nat",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The pods' IPPool lacks natOutgoing.",
      .why = "Gardener always sets it; without it packets to what is in no pool leave under the "
             "pods' addresses.",
      .remedy = "set natOutgoing: true",
      .source = kPoolTemplate},
     check_nat},
    {{.id = "live-pool-block-size",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "An IPPool does not have Gardener's block size (/26, /122).",
      .why = "A pool's block size cannot be changed; another size means that Gardener did not "
             "create the pool.",
      .remedy = "find out what created the pool",
      .source = kPoolTemplate},
     check_block_size},
    {{.id = "live-nodes-pool",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The overlay is off, but no disabled IPPool covers the node range.",
      .why = "natOutgoing masquerades packets to addresses outside all pools. The pool "
             "no-snat-for-node-cidr keeps pods' addresses towards nodes.",
      .remedy = "set spec.networking.nodes and have the shoot reconciled",
      .source = kPoolTemplate},
     check_nodes_pool},
};

constexpr const char* kDaemonSet =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/node/daemonset-calico-node.yaml";
constexpr const char* kConfigMap =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/node/configmap-calico-config.yaml";

/// The tunnels that Felix enables in a row of calico's truth table; nullopt if the row does not
/// decide.
struct RowTunnels {
  std::string_view row;
  std::optional<bool> ipip;
  std::optional<bool> vxlan;
};

constexpr RowTunnels kRowTunnels[] = {
    {"T1", true, false},         {"T2", true, false},         {"T3", std::nullopt, true},
    {"T4", false, false},        {"T5", false, false},        {"T6", false, false},
    {"T7", false, false},        {"T9", true, false},         {"T10", true, false},
    {"D1", false, std::nullopt}, {"D2", false, std::nullopt}, {"D3", false, std::nullopt},
    {"D4", false, std::nullopt},
};

const RowTunnels* tunnels(const ObservedInputs& in) {
  const auto* row = std::ranges::find(kRowTunnels, in.expected.row, &RowTunnels::row);
  return row == std::end(kRowTunnels) ? nullptr : row;
}

std::optional<bool> expects_ipip(const ObservedInputs& in) {
  const RowTunnels* row = tunnels(in);
  return row == nullptr ? std::nullopt : row->ipip;
}

std::optional<bool> expects_vxlan(const ObservedInputs& in) {
  const RowTunnels* row = tunnels(in);
  return row == nullptr ? std::nullopt : row->vxlan;
}

std::optional<bool> expects_bpf(const ObservedInputs& in) {
  return in.expected.dataplane.service_routing == ServiceRouting::CalicoEbpf;
}

std::optional<bool> expects_wireguard(const ObservedInputs& in) {
  return in.expected.dataplane.is_encrypted();
}

/// A setting of Felix: its environment variable, which has precedence, and its field of a
/// FelixConfiguration. A setting that is in neither has Felix's default.
struct FelixSetting {
  std::string_view environment;
  std::string_view configuration;
  std::optional<bool> (*expected)(const ObservedInputs&);
};

constexpr FelixSetting kSettings[] = {
    {"FELIX_IPINIPENABLED", "ipipEnabled", expects_ipip},
    {"FELIX_VXLANENABLED", "vxlanEnabled", expects_vxlan},
    {"FELIX_BPFENABLED", "bpfEnabled", expects_bpf},
    {"FELIX_WIREGUARDENABLED", "wireguardEnabled", expects_wireguard},
};

bool is_true(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text == "true" || text == "1" || text == "yes" || text == "t" || text == "y";
}

void check_felix(const ObservedInputs& in, RuleReport& report) {
  for (const FelixSetting& setting : kSettings) {
    const auto* given = cni::find(in.observed.felix_environment, setting.environment);
    std::string_view name = setting.environment;
    if (given == nullptr) {
      given = cni::find(in.observed.felix_configuration, setting.configuration);
      name = setting.configuration;
    }
    const std::optional<bool> expected = setting.expected(in);
    if (given != nullptr && expected && is_true(given->value) != *expected)
      report.add(*given, fmt::format("calico-node has {} {}, but the manifest requires {}", name,
                                     given->value, *expected));
  }
}

void check_backend(const ObservedInputs& in, RuleReport& report) {
  const auto* given = cni::find(in.observed.calico_config, "calico_backend");
  const std::string_view expected = to_string(in.expected.dataplane.backend);
  if (given != nullptr && given->value != expected)
    report.add(*given, fmt::format("calico_backend is {}, but the manifest requires {}",
                                   given->value, expected));
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void check_veth_mtu(const ObservedInputs& in, RuleReport& report) {
  const auto* given = cni::find(in.observed.calico_config, "veth_mtu");
  const std::int64_t expected = number(in.spec.provider_config.root()["vethMTU"].text());
  if (given != nullptr && number(given->value) != expected)
    report.add(*given,
               fmt::format("veth_mtu is {}, but the manifest requires {}", given->value, expected));
}

constexpr Check<ObservedInputs> kFelixChecks[] = {
    {{.id = "live-felix-setting",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A setting of calico-node differs from the manifest.",
      .why = "Felix keeps the tunnels of its settings until its pod is replaced, regardless of the "
             "IPPool.",
      .remedy =
          "check whether the rollout of calico-node is still running, or correct the manifest",
      .source = kDaemonSet},
     check_felix},
    {{.id = "live-calico-backend",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Calico's backend differs from the manifest.",
      .why = "The backend decides whether BIRD runs, and so which program writes the routes.",
      .remedy = "find out why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMap},
     check_backend},
    {{.id = "live-veth-mtu",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The pods' MTU differs from the manifest.",
      .why = "veth_mtu is used for pods and tunnels alike; 0 lets Calico choose.",
      .remedy = "find out why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMap},
     check_veth_mtu},
};

class CalicoObjects final : public cni::ObservedObjects {
 public:
  void decode(const ObjectName& name, const document::Value& root,
              document::Problems& problems) override {
    decode_object(name, root, problems, observed_);
  }

  bool empty() const override { return observed_.empty(); }

  void compare(const cni::LiveInputs& shoot, std::span<const cni::ObservedNode> nodes,
               rules::RuleReport& report) const override {
    const ObservedInputs inputs{shoot, nodes, observed_};
    report.run(std::span<const Check<ObservedInputs>>(kConditionChecks), inputs);
    report.run(std::span<const Check<ObservedInputs>>(kPoolChecks), inputs);
    report.run(std::span<const Check<ObservedInputs>>(kFelixChecks), inputs);
  }

 private:
  Observed observed_;
};

std::unique_ptr<cni::ObservedObjects> observe() {
  return std::make_unique<CalicoObjects>();
}

std::vector<const rules::Rule*> live_rules() {
  std::vector<const rules::Rule*> rules;
  list_rules(std::span<const Check<ObservedInputs>>(kConditionChecks), rules);
  list_rules(std::span<const Check<ObservedInputs>>(kPoolChecks), rules);
  list_rules(std::span<const Check<ObservedInputs>>(kFelixChecks), rules);
  return rules;
}

/// Kinds to read: IPPools and FelixConfigurations of crd.projectcalico.org/v1 and
/// projectcalico.org/v3.
constexpr cni::ObservedKind kObservedKinds[] = {
    {"IPPool", "crd.projectcalico.org/", "projectcalico.org/"},
    {"FelixConfiguration", "crd.projectcalico.org/", "projectcalico.org/"},
    {"DaemonSet", "apps/", "apps/"},
    {"ConfigMap", "v1", "v1"},
};

}  // namespace

constinit const cni::LiveComparison kLive{
    .kinds = kObservedKinds,
    .objects =
        "IPPools, FelixConfigurations, the DaemonSet calico-node and the ConfigMap "
        "calico-config",
    .is_left_over = is_left_over,
    .observe = observe,
    .rules = live_rules};

}  // namespace overlane::calico

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "topologies/cni/calico/live/live.h"

namespace overlane::calico {
namespace {

using effective::ServiceRouting;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kDaemonSet =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/node/daemonset-calico-node.yaml";
constexpr const char* kConfigMap =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/node/configmap-calico-config.yaml";

/// Which tunnels Felix enables in a row of calico's truth table; nullopt: the row does not say.
struct TunnelRow {
  std::string_view row;
  std::optional<bool> ipip;
  std::optional<bool> vxlan;
};

constexpr TunnelRow kTunnelRows[] = {
    {"T1", true, false},         {"T2", true, false},         {"T3", std::nullopt, true},
    {"T4", false, false},        {"T5", false, false},        {"T6", false, false},
    {"T7", false, false},        {"T9", true, false},         {"T10", true, false},
    {"D1", false, std::nullopt}, {"D2", false, std::nullopt}, {"D3", false, std::nullopt},
    {"D4", false, std::nullopt},
};

const TunnelRow* tunnels(const ObservedInputs& in) {
  const auto* row = std::ranges::find(kTunnelRows, in.expected.row, &TunnelRow::row);
  return row == std::end(kTunnelRows) ? nullptr : row;
}

std::optional<bool> expects_ipip(const ObservedInputs& in) {
  const TunnelRow* row = tunnels(in);
  return row == nullptr ? std::nullopt : row->ipip;
}

std::optional<bool> expects_vxlan(const ObservedInputs& in) {
  const TunnelRow* row = tunnels(in);
  return row == nullptr ? std::nullopt : row->vxlan;
}

std::optional<bool> expects_bpf(const ObservedInputs& in) {
  return in.expected.dataplane.service_routing == ServiceRouting::CalicoEbpf;
}

std::optional<bool> expects_wireguard(const ObservedInputs& in) {
  return in.expected.dataplane.is_encrypted();
}

/// A setting of Felix: its environment variable, which has precedence, and its field of a
/// FelixConfiguration. A setting in neither has Felix's default.
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

}  // namespace

std::span<const Check<ObservedInputs>> felix_checks() {
  return kFelixChecks;
}

}  // namespace overlane::calico

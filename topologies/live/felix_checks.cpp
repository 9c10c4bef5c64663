#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "topologies/live/live_tables.h"

namespace overlane::live {
namespace {

using effective::Encryption;
using effective::ServiceRouting;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kDaemonSet =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/node/daemonset-calico-node.yaml";
constexpr const char* kConfigMap =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/node/configmap-calico-config.yaml";

/// Felix's two tunnels, by the row of calico's truth table; nothing: the row leaves it open.
struct TunnelRow {
  std::string_view row;
  std::optional<bool> ipip;
  std::optional<bool> vxlan;
};

constexpr TunnelRow kTunnels[] = {
    {"T1", true, false},         {"T2", true, false},         {"T3", std::nullopt, true},
    {"T4", false, false},        {"T5", false, false},        {"T6", false, false},
    {"T7", false, false},        {"T9", true, false},         {"T10", true, false},
    {"D1", false, std::nullopt}, {"D2", false, std::nullopt}, {"D3", false, std::nullopt},
    {"D4", false, std::nullopt},
};

const TunnelRow* tunnels(const LiveInputs& in) {
  const auto* row = std::ranges::find(kTunnels, in.expected.row, &TunnelRow::row);
  return row == std::end(kTunnels) ? nullptr : row;
}

std::optional<bool> expects_ipip(const LiveInputs& in) {
  const TunnelRow* row = tunnels(in);
  return row == nullptr ? std::nullopt : row->ipip;
}

std::optional<bool> expects_vxlan(const LiveInputs& in) {
  const TunnelRow* row = tunnels(in);
  return row == nullptr ? std::nullopt : row->vxlan;
}

std::optional<bool> expects_bpf(const LiveInputs& in) {
  return in.expected.dataplane.service_routing == ServiceRouting::CalicoEbpf;
}

std::optional<bool> expects_wireguard(const LiveInputs& in) {
  return in.expected.dataplane.is_encrypted();
}

/// A setting of Felix under its name in the environment, which counts more, and in a
/// FelixConfiguration. What stands in neither has Felix's default.
struct FelixSetting {
  std::string_view environment;
  std::string_view configuration;
  std::optional<bool> (*expected)(const LiveInputs&);
};

constexpr FelixSetting kSettings[] = {
    {"FELIX_IPINIPENABLED", "ipipEnabled", expects_ipip},
    {"FELIX_VXLANENABLED", "vxlanEnabled", expects_vxlan},
    {"FELIX_BPFENABLED", "bpfEnabled", expects_bpf},
    {"FELIX_WIREGUARDENABLED", "wireguardEnabled", expects_wireguard},
};

const Located<std::string>* find(const Settings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? nullptr : &found->second;
}

bool is_true(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text == "true" || text == "1" || text == "yes" || text == "t" || text == "y";
}

void check_felix(const LiveInputs& in, RuleReport& report) {
  for (const FelixSetting& setting : kSettings) {
    const auto* given = find(in.observed.felix_environment, setting.environment);
    std::string_view name = setting.environment;
    if (given == nullptr) {
      given = find(in.observed.felix_configuration, setting.configuration);
      name = setting.configuration;
    }
    const std::optional<bool> expected = setting.expected(in);
    if (given != nullptr && expected && is_true(given->value) != *expected)
      report.add(*given, fmt::format("calico-node has {} {}, but the manifest makes it {}", name,
                                     given->value, *expected));
  }
}

void check_backend(const LiveInputs& in, RuleReport& report) {
  const auto* given = find(in.observed.calico_config, "calico_backend");
  const std::string_view expected = to_string(in.expected.dataplane.backend);
  if (given != nullptr && given->value != expected)
    report.add(*given, fmt::format("calico_backend is {}, but the manifest makes it {}",
                                   given->value, expected));
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void check_veth_mtu(const LiveInputs& in, RuleReport& report) {
  const auto* given = find(in.observed.calico_config, "veth_mtu");
  const std::int64_t expected = number(in.spec.provider_config.root()["vethMTU"].text());
  if (given != nullptr && number(given->value) != expected)
    report.add(*given,
               fmt::format("veth_mtu is {}, but the manifest makes it {}", given->value, expected));
}

constexpr Check<LiveInputs> kFelixChecks[] = {
    {{.id = "live-felix-setting",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "A setting of calico-node differs from what the manifest yields.",
      .why = "Felix keeps the tunnels that its settings name until its pod is replaced, whatever "
             "the IPPool says.",
      .remedy = "see whether calico-node is still being rolled out, or correct the manifest",
      .source = kDaemonSet},
     check_felix},
    {{.id = "live-calico-backend",
      .section = "§2.2",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Calico's backend differs from what the manifest yields.",
      .why = "The backend decides whether BIRD runs, and with it who writes the routes.",
      .remedy = "see why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMap},
     check_backend},
    {{.id = "live-veth-mtu",
      .section = "§2.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "The pods' MTU differs from what the manifest asks for.",
      .why = "veth_mtu is used for pods and tunnels alike; 0 lets Calico choose.",
      .remedy = "see why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMap},
     check_veth_mtu},
};

}  // namespace

std::span<const Check<LiveInputs>> felix_checks() {
  return kFelixChecks;
}

}  // namespace overlane::live

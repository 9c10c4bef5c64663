#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::effective {

// Settings of a Gardener landscape that no manifest contains: releases, feature gates, defaults
// of admission, OpenStack's network type, quotas. A user sets them with `--set
// landscape.<key>=<value>`; otherwise the shipped defaults hold, and results that depend on them
// are marked as assumed. A Landscape is a value; any thread may read it.

/// A minor release of Calico.
struct CalicoVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  /// Parses "3.31"; nothing for other texts.
  static std::optional<CalicoVersion> parse(std::string_view text);
  auto operator<=>(const CalicoVersion&) const = default;
};

std::string to_string(CalicoVersion);

/// The settings of a landscape. Each member is one `--set landscape.<key>=<value>`.
struct Landscape {
  /// The release of Calico that runs; absent: calico::kShippedCalico.
  std::optional<CalicoVersion> calico_version;
  /// What provider openstack's admission writes into a new shoot without overlay key, per network
  /// type (gardener-extension-admission-openstack, chart values).
  bool openstack_calico_overlay = true;
  bool openstack_cilium_overlay = true;
  /// Whether provider azure admits calico with an overlay, as its newer documents describe.
  bool azure_calico_overlay = false;
  /// Whether eBPF without kube-proxy can be reconciled; absent: unknown, depends on the extension's
  /// release.
  std::optional<bool> calico_ebpf_without_kube_proxy;
  /// The feature gates NonPrivilegedCalicoNode and SeamlessOverlaySwitch of calico's extension.
  bool calico_non_privileged = false;
  bool calico_seamless_switch = false;
  /// Whether OpenStack uses OVN; absent: unknown.
  std::optional<bool> openstack_ovn;
  /// Ranges that the landscape itself uses.
  std::vector<IpPrefix> reserved_ranges;
  /// The IP MTU of the nodes' uplinks, bytes, if no manifest gives it.
  std::optional<std::uint32_t> link_mtu;
  /// One-way latency between nodes, microseconds, if no Topology file gives it.
  std::optional<std::uint32_t> latency_within_zone;
  std::optional<std::uint32_t> latency_across_zones;
  /// The cap on the rate of one flow, Mbit/s, if no Topology file gives it; 0: no cap.
  std::optional<std::uint32_t> single_flow_cap;
  /// Whether nodes have network credits and send at the burst rate of their machine type; otherwise
  /// they send at the sustained rate.
  bool network_burst = true;
  /// Route quotas that differ from the provider's default, routes per route table.
  std::map<Provider, std::int64_t> route_quotas;
};

/// One setting, for the command line and the documentation.
struct LandscapeSetting {
  std::string key;            ///< "openstack.calico-overlay".
  std::string value;          ///< Allowed values: "true|false".
  std::string default_value;  ///< In the syntax of the command line.
  std::string meaning;        ///< One sentence.
  sources::Citation source;   ///< Definition in Gardener or the provider.
  /// Returns false if `text` is not an allowed value.
  std::function<bool(std::string_view text, Landscape& landscape)> set;
};

std::span<const LandscapeSetting> landscape_settings();

/// Applies "landscape.<key>=<value>"; the error names the problem and the allowed keys or values.
Parsed<Landscape> with_setting(Landscape landscape, std::string_view assignment);

}  // namespace overlane::effective

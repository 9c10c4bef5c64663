#pragma once

/// Upstream files that reasons and rules of this folder cite.
namespace overlane::calico {

inline constexpr const char* kCharts = "gardener-extension-networking-calico pkg/charts/utils.go";
inline constexpr const char* kActuator =
    "gardener-extension-networking-calico pkg/controller/actuator_reconcile.go";
inline constexpr const char* kUsage = "gardener-extension-networking-calico docs/usage/usage.md";

}  // namespace overlane::calico

#pragma once

/// Upstream files that reasons and rules of this folder cite.
namespace overlane::cilium {

inline constexpr const char* kCharts = "gardener-extension-networking-cilium pkg/charts/utils.go";

}  // namespace overlane::cilium

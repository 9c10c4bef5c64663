#pragma once

#include <optional>
#include <string_view>

namespace overlane::calico {

/// Whether a Kubernetes quantity ("500m", "1.5Gi", "2e3") is more than zero; nullopt if `text` is
/// not a quantity (kubernetes/apimachinery pkg/api/resource/quantity.go).
std::optional<bool> is_positive_quantity(std::string_view text);

}  // namespace overlane::calico

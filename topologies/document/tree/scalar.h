#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// Types of plain scalars as in Kubernetes' YAML-to-JSON conversion (sigs.k8s.io/yaml, YAML 1.1):
/// yes/no/on/off are booleans, 010 and 0o10 are octal, underscores group digits.
std::optional<bool> parse_bool(std::string_view plain);
std::optional<std::int64_t> parse_integer(std::string_view plain);
/// Decimal fractions and exponents only; infinities and NaN are refused, since JSON cannot
/// represent them.
std::optional<double> parse_float(std::string_view plain);

ScalarType plain_scalar_type(std::string_view plain);

}  // namespace overlane::document

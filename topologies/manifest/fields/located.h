#pragma once

#include <optional>
#include <utility>

#include "results/finding/finding.h"
#include "topologies/document/fields/field_path.h"

namespace overlane::manifest {

/// A value of a manifest and its location.
template <typename T>
struct Located {
  T value{};
  SourceLocation place;
  document::FieldPath path;
};

/// An optional field of a manifest.
template <typename T>
using Field = std::optional<Located<T>>;

/// A decoded `value` with its location.
template <typename T>
Field<T> given(const document::Value& value, std::optional<T> read) {
  if (!read) return std::nullopt;
  return Located<T>{*std::move(read), value.place(), document::FieldPath(value)};
}

}  // namespace overlane::manifest

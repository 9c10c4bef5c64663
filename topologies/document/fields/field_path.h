#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// The path of a value, "spec.networking.pods". The text is built only on demand, since most paths
/// are never printed. Keeps its document's storage alive.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(const Value& value);
  FieldPath(std::string path);                                   // NOLINT: it is that path
  FieldPath(const char* path) : FieldPath(std::string(path)) {}  // NOLINT

  bool empty() const { return owner_ == nullptr; }
  std::string to_string() const;
  /// The path without the list that contains the document: "items[3].spec" becomes "spec".
  std::string within_object() const;
  operator std::string() const { return to_string(); }  // NOLINT

  bool operator==(const FieldPath& other) const;

 private:
  std::shared_ptr<const void> owner_;  ///< The value's storage, or a string.
  std::uint32_t node_ = kText;
  static constexpr std::uint32_t kText = ~std::uint32_t{0};
};

}  // namespace overlane::document

template <>
struct fmt::formatter<overlane::document::FieldPath> : fmt::formatter<std::string> {
  auto format(const overlane::document::FieldPath& path, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(path.to_string(), context);
  }
};

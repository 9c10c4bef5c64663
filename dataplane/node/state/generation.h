#pragma once

#include <cstdint>

namespace overlane::node {

/// How often a state was changed: a decision made under one generation holds while it is equal.
/// Only the editors raise it (world.h).
class Generation {
 public:
  bool operator==(const Generation&) const = default;

 private:
  friend class NodeEditor;
  friend class FabricEditor;
  void raise() { ++value_; }

  std::uint64_t value_ = 0;
};

}  // namespace overlane::node

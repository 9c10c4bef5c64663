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

/// How often a table was read or written for a packet. A decision that leaves the counts of all
/// tables unchanged is a function of the state and the packet alone. Not part of a table's value.
class UseCount {
 public:
  void add() const { ++count_; }
  std::uint64_t get() const { return count_; }

  bool operator==(const UseCount&) const { return true; }

 private:
  mutable std::uint64_t count_ = 0;
};

}  // namespace overlane::node

#pragma once

#include <cstdint>

namespace overlane::node {

/// Number of changes of a state. A decision that was made in one generation is valid while the
/// generation is equal. Only the editors raise it (world.h).
class Generation {
 public:
  bool operator==(const Generation&) const = default;

 private:
  friend class NodeEditor;
  friend class FabricEditor;
  void raise() { ++value_; }

  std::uint64_t value_ = 0;
};

/// Number of reads and writes of a table for packets. If a decision leaves the counts of all tables
/// unchanged, it is a function of the state and the packet alone. The count is not part of a
/// table's value.
class UseCount {
 public:
  void add() const { ++count_; }
  std::uint64_t get() const { return count_; }

  bool operator==(const UseCount&) const { return true; }

 private:
  mutable std::uint64_t count_ = 0;
};

}  // namespace overlane::node

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/run/inputs/run_options.h"

namespace overlane::run {

/// The actors of a run, among them one that carries out its TimedChanges.
class Actors {
 public:
  explicit Actors(const RunOptions& options);

  /// When the first of them acts; nothing: none ever does.
  std::optional<Picos> next() const;
  /// Lets those act whose time has come, until it is nobody's any more.
  void act(node::WorldEditor& world, Picos now);

 private:
  std::vector<std::unique_ptr<Actor>> actors_;
};

}  // namespace overlane::run

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

  /// Time of the next act of any actor; nullopt if none acts again.
  std::optional<Picos> next() const;
  /// Runs every actor that is due, until none is due.
  void act(node::WorldEditor& world, Picos now);

 private:
  std::vector<std::unique_ptr<Actor>> actors_;
};

}  // namespace overlane::run

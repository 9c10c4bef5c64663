#include "sim/run/act/actors.h"

#include <algorithm>
#include <cassert>

namespace overlane::run {
namespace {

/// Carries out changes whose times are known before the run.
class Script : public Actor {
 public:
  explicit Script(std::vector<TimedChange> changes) : changes_(std::move(changes)) {
    std::ranges::stable_sort(changes_, {}, &TimedChange::at);
  }

  std::optional<Picos> next() const override {
    if (done_ == changes_.size()) return std::nullopt;
    return changes_[done_].at;
  }
  void act(node::WorldEditor& world, Picos now) override {
    for (; done_ < changes_.size() && changes_[done_].at <= now; ++done_)
      changes_[done_].apply(world);
  }

 private:
  std::vector<TimedChange> changes_;
  std::size_t done_ = 0;
};

}  // namespace

Actors::Actors(const RunOptions& options) {
  if (!options.changes.empty()) actors_.push_back(std::make_unique<Script>(options.changes));
  if (!options.actors) return;
  for (std::unique_ptr<Actor>& actor : options.actors(options.seed))
    actors_.push_back(std::move(actor));
}

std::optional<Picos> Actors::next() const {
  std::optional<Picos> first;
  for (const std::unique_ptr<Actor>& actor : actors_)
    if (const auto at = actor->next(); at && (!first || *at < *first)) first = at;
  return first;
}

void Actors::act(node::WorldEditor& world, Picos now) {
  const auto is_due = [=](const std::unique_ptr<Actor>& actor) {
    const auto at = actor->next();
    return at && *at <= now;
  };
  for (auto due = std::ranges::find_if(actors_, is_due); due != actors_.end();
       due = std::ranges::find_if(actors_, is_due)) {
    (*due)->act(world, now);
    assert(!is_due(*due));
  }
}

}  // namespace overlane::run

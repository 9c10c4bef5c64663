#include "topologies/path/reach/detours.h"

namespace overlane::path {

std::optional<Detours::Number> Detours::number(const Detour& detour) {
  if (detour == all_.front()) return kNone;
  const auto known = numbers_.find(detour);
  if (known != numbers_.end()) return known->second;
  if (all_.size() == kAny) return std::nullopt;
  const auto next = static_cast<Number>(all_.size());
  numbers_.emplace(detour, next);
  all_.push_back(detour);
  return next;
}

void Detours::clear() {
  numbers_.clear();
  all_.assign(1, {});
}

}  // namespace overlane::path

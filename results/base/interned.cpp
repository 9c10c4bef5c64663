#include "results/base/interned.h"

#include <functional>
#include <mutex>
#include <ostream>
#include <unordered_map>
#include <unordered_set>

namespace overlane {

namespace {

struct Hash : std::hash<std::string_view> {
  using is_transparent = void;
};

const std::string* keep(std::string_view text) {
  static std::mutex mutex;
  // Addresses of its elements are stable.
  static std::unordered_set<std::string, Hash, std::equal_to<>> kept;
  const std::scoped_lock lock(mutex);
  const auto known = kept.find(text);
  return known != kept.end() ? &*known : &*kept.emplace(text).first;
}

/// keep() without a lock for texts that this thread has used before.
const std::string* find(std::string_view text) {
  thread_local std::unordered_map<std::string_view, const std::string*> seen;
  const auto known = seen.find(text);
  if (known != seen.end()) return known->second;
  const std::string* kept = keep(text);
  seen.emplace(*kept, kept);
  return kept;
}

}  // namespace

const std::string Interned::kEmpty;

Interned::Interned(std::string_view text) : text_(text.empty() ? &kEmpty : find(text)) {}

std::ostream& operator<<(std::ostream& out, const Interned& text) {
  return out << text.str();
}

}  // namespace overlane

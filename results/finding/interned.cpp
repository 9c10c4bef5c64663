#include "results/finding/interned.h"

#include <mutex>
#include <ostream>
#include <set>

namespace overlane {
namespace {

const std::string* keep(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> kept;  // Its elements stay where they are.
  const std::scoped_lock lock(mutex);
  const auto known = kept.find(text);
  return known != kept.end() ? &*known : &*kept.emplace(text).first;
}

}  // namespace

const std::string Interned::kEmpty;

Interned::Interned(std::string_view text) : text_(text.empty() ? &kEmpty : keep(text)) {}

std::ostream& operator<<(std::ostream& out, const Interned& text) {
  return out << text.str();
}

}  // namespace overlane

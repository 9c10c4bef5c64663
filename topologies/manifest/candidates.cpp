#include "topologies/manifest/candidates.h"

#include <algorithm>

namespace overlane::manifest {
namespace {

std::string in_file(const std::string& key, const std::string& file) {
  return key + '\n' + file;
}

}  // namespace

void Candidates::add(const std::string& key, const ObjectHead& object) {
  if (key.empty()) return;
  by_key_[key].all.push_back(&object);
  by_key_and_file_[in_file(key, file_of(object))].all.push_back(&object);
}

const ObjectHead* Candidates::choose(const std::string& key, const std::string& file) {
  const auto anywhere = by_key_.find(key);
  if (anywhere == by_key_.end()) return nullptr;
  const auto own = by_key_and_file_.find(in_file(key, file));
  const Same& same = own == by_key_and_file_.end() ? anywhere->second : own->second;
  if (same.all.size() == 1) return same.all.front();
  anywhere->second.contested = true;
  return nullptr;
}

bool Candidates::has_other(const std::string& key, const std::string& file,
                           const ObjectHead* known) const {
  const auto found = by_key_and_file_.find(in_file(key, file));
  if (found == by_key_and_file_.end()) return false;
  return std::ranges::any_of(found->second.all,
                             [&](const ObjectHead* object) { return object != known; });
}

const Candidates::Same& Candidates::find(const std::string& key) const {
  static const Same kNone;
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? kNone : found->second;
}

std::string file_of(const ObjectHead& object) {
  return object.root.place().file;
}

}  // namespace overlane::manifest

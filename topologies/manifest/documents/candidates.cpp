#include "topologies/manifest/documents/candidates.h"

#include <algorithm>
#include <functional>

namespace overlane::manifest {

void Candidates::add(const std::string& key, const ObjectHead& object) {
  if (key.empty()) return;
  Same& same = by_key_[key];
  same.all.push_back(&object);
  in_file_[{&same, file_of(object)}].push_back(&object);
}

const ObjectHead* Candidates::choose(const std::string& key, const Interned& file) {
  const auto anywhere = by_key_.find(key);
  if (anywhere == by_key_.end()) return nullptr;
  Same& same = anywhere->second;
  const Objects& own = in_file(same, file);
  const Objects& possible = own.empty() ? same.all : own;
  if (possible.size() == 1) return possible.front();
  same.contested = true;
  return nullptr;
}

bool Candidates::has_other(const std::string& key, const Interned& file,
                           const ObjectHead* known) const {
  return std::ranges::any_of(in_file(find(key), file),
                             [&](const ObjectHead* object) { return object != known; });
}

const Candidates::Same& Candidates::find(const std::string& key) const {
  static const Same kNone;
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? kNone : found->second;
}

const Candidates::Objects& Candidates::in_file(const Same& same, const Interned& file) const {
  static const Objects kNone;
  const auto found = in_file_.find({&same, file});
  return found == in_file_.end() ? kNone : found->second;
}

std::size_t Candidates::HashInFile::operator()(const InFile& key) const {
  return std::hash<const void*>()(key.first) ^ std::hash<const void*>()(&key.second.str());
}

Interned file_of(const ObjectHead& object) {
  return object.place.file;
}

}  // namespace overlane::manifest

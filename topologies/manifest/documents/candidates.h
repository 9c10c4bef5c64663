#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "topologies/manifest/objects/object_head.h"

namespace overlane::manifest {

/// Objects by the name that other objects reference. Folders hold several landscapes, so an object
/// of the same file is preferred; if several others match, none is chosen.
class Candidates {
 public:
  void add(const std::string& key, const ObjectHead& object);

  /// The only one in `file`, else the only one at all. nullptr if there is none, or if several
  /// match; then they are marked as contested.
  const ObjectHead* choose(const std::string& key, const Interned& file);

  /// Whether a choice under `key` was ambiguous.
  bool is_contested(const std::string& key) const { return find(key).contested; }
  bool has(const std::string& key) const { return !find(key).all.empty(); }
  bool empty() const { return by_key_.empty(); }
  /// Whether `file` holds an object under `key` other than `known`.
  bool has_other(const std::string& key, const Interned& file, const ObjectHead* known) const;

 private:
  using Objects = std::vector<const ObjectHead*>;
  struct Same {
    Objects all;
    bool contested = false;
  };
  using InFile = std::pair<const Same*, Interned>;
  struct HashInFile {
    std::size_t operator()(const InFile& key) const;
  };

  const Same& find(const std::string& key) const;

  /// The objects of `same` in `file`.
  const Objects& in_file(const Same& same, const Interned& file) const;

  std::unordered_map<std::string, Same> by_key_;  ///< Values keep their addresses.
  std::unordered_map<InFile, Objects, HashInFile> in_file_;
};

Interned file_of(const ObjectHead& object);

}  // namespace overlane::manifest

#include "topologies/document/tree/merge_patch.h"

#include <utility>

#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {
namespace {

class Merger {
 public:
  explicit Merger(std::string root_path) : root_path_(std::move(root_path)) {}

  void merge(const Value& base, const Value& patch) {
    if (!patch.is(Kind::Mapping)) return builder_.copy(patch);
    const Value& where = base.is(Kind::Mapping) ? base : patch;
    builder_.open(Kind::Mapping, builder_.position(where.place()));
    if (base.is(Kind::Mapping))
      for (Value entry : base)
        merge_entry(entry, entry, patch[entry.key()]);
    for (Value entry : patch)
      if (!base[entry.key()].exists()) merge_entry(entry, {}, entry);
    builder_.close();
  }

  Tree finish() { return builder_.finish({.path = root_path_}); }

 private:
  void merge_entry(const Value& keyed, const Value& base, const Value& patch) {
    if (patch.exists() && !patch) return;
    builder_.key(keyed.key(), builder_.position(keyed.key_place()));
    if (patch.exists())
      merge(base, patch);
    else
      builder_.copy(base);
  }

  std::string root_path_;
  TreeBuilder builder_;
};

}  // namespace

Tree merge_patch(const Value& base, const Value& patch, std::string root_path) {
  if (!patch.exists()) return Tree::of(base);
  Merger merger(base.exists() ? base.path() : std::move(root_path));
  merger.merge(base, patch);
  return merger.finish();
}

}  // namespace overlane::document

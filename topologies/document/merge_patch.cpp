#include "topologies/document/merge_patch.h"

#include <utility>

#include "topologies/document/tree_builder.h"

namespace overlane::document {
namespace {

Position position_of(const Place& place) {
  return {static_cast<std::uint32_t>(place.line), static_cast<std::uint32_t>(place.column)};
}

class Merger {
 public:
  explicit Merger(std::string root_path) : builder_(std::move(root_path)) {}

  void merge(const Value& base, const Value& patch) {
    if (!patch.is(Kind::Mapping)) return builder_.copy(patch);
    const Value& where = base.is(Kind::Mapping) ? base : patch;
    builder_.in_file(where.place().file);
    builder_.open(Kind::Mapping, position_of(where.place()));
    if (base.is(Kind::Mapping))
      for (Value entry : base)
        merge_entry(entry, entry, patch[entry.key()]);
    for (Value entry : patch)
      if (!base[entry.key()].exists()) merge_entry(entry, {}, entry);
    builder_.close();
  }

  Tree finish() { return builder_.finish(); }

 private:
  void merge_entry(const Value& keyed, const Value& base, const Value& patch) {
    if (patch.exists() && !patch) return;
    builder_.key(keyed.key(), position_of(keyed.key_place()));
    if (patch.exists())
      merge(base, patch);
    else
      builder_.copy(base);
  }

  TreeBuilder builder_;
};

}  // namespace

Tree subtree(const Value& value) {
  if (!value.exists()) return {};
  TreeBuilder builder(value.path());
  builder.copy(value);
  return builder.finish();
}

Tree merge_patch(const Value& base, const Value& patch, std::string root_path) {
  if (!patch.exists()) return subtree(base);
  Merger merger(base.exists() ? base.path() : std::move(root_path));
  merger.merge(base, patch);
  return merger.finish();
}

}  // namespace overlane::document

#include "topologies/document/yaml_events.h"

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "topologies/document/text_check.h"
#include "topologies/document/tree_builder.h"

namespace overlane::document {
namespace {

/// Leaves yaml-cpp's parser from within an event; caught in parse_document.
struct Refusal {
  Finding finding;
};

/// Turns yaml-cpp's events into a Tree.
class TreeEvents final : public YAML::EventHandler {
 public:
  TreeEvents(const std::string& file, int first_line) : file_(file), first_line_(first_line) {
    builder_.in_file(file);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true))
      refuse(mark, "invalid-yaml", "there is content after the end of the document",
             "separate documents by a line `---`");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (takes_key()) refuse_key(mark);
    remember(anchor, builder_.null(position(mark)));
    value_done();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool quoted = tag == "!" || tag.ends_with(":str") || tag.ends_with(":binary");
    if (takes_key()) {
      if (value == "<<" && !quoted)
        refuse(mark, "merge-key", "YAML merge keys (`<<`) are not supported",
               "write the merged fields out");
      // yaml-cpp takes a bare word on a line of its own for a key without a value.
      if (value == "..." && !quoted) throw Refusal{elision(place(position(mark)))};
      builder_.key(value, position(mark));
      wants_key_.back() = false;
      return;
    }
    remember(anchor, builder_.scalar(value, quoted, position(mark)));
    value_done();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::Sequence, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::Mapping, mark, anchor);
  }
  void OnMapEnd() override {
    refuse_duplicate_keys(builder_.innermost());
    close();
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (takes_key()) refuse_key(mark);
    const auto anchored = anchors_.find(anchor);
    if (anchored == anchors_.end())
      refuse(mark, "invalid-yaml", "an alias refers to a key, which is not supported",
             "write the key's text out");
    const std::uint32_t node = anchored->second;
    if (builder_.is_open(node))
      refuse(mark, "invalid-yaml", "an alias stands inside the value it refers to", "");
    alias_nodes_ += subtree_size(node);
    if (alias_nodes_ > kMaximumAliasNodes)
      refuse(mark, "alias-limit",
             fmt::format("aliases expand this document by more than {} values", kMaximumAliasNodes),
             "write the repeated values out");
    builder_.copy_own(node);
    value_done();
  }

  Tree finish() { return builder_.finish(); }

 private:
  Position position(const YAML::Mark& mark) const {
    return {static_cast<std::uint32_t>(std::max(mark.line, 0) + first_line_),
            static_cast<std::uint32_t>(std::max(mark.column, 0) + 1)};
  }

  Place place(Position at) const {
    return {file_, static_cast<int>(at.line), static_cast<int>(at.column)};
  }

  [[noreturn]] void refuse(Position at, std::string rule, std::string message,
                           std::string hint) const {
    throw Refusal{{.rule = std::move(rule),
                   .message = std::move(message),
                   .place = place(at),
                   .hint = std::move(hint)}};
  }
  [[noreturn]] void refuse(const YAML::Mark& mark, std::string rule, std::string message,
                           std::string hint) const {
    refuse(position(mark), std::move(rule), std::move(message), std::move(hint));
  }
  [[noreturn]] void refuse_key(const YAML::Mark& mark) const {
    refuse(mark, "invalid-yaml", "a key must be a single value",
           "quote the key, or write `key: value`");
  }

  bool takes_key() const { return !wants_key_.empty() && wants_key_.back(); }
  void value_done() {
    if (builder_.depth() > 0 && in_mapping()) wants_key_.back() = true;
  }
  bool in_mapping() const {
    return builder_.storage().nodes[builder_.innermost()].kind == Kind::Mapping;
  }
  void remember(YAML::anchor_t anchor, std::uint32_t node) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (takes_key()) refuse_key(mark);
    if (builder_.depth() == kMaximumDepth)
      refuse(mark, "nesting-limit",
             fmt::format("the document nests deeper than {} levels", kMaximumDepth),
             "no Gardener document needs that; check how the file was made");
    remember(anchor, builder_.open(kind, position(mark)));
    wants_key_.push_back(kind == Kind::Mapping);
  }

  void close() {
    builder_.close();
    wants_key_.pop_back();
    value_done();
  }

  std::size_t subtree_size(std::uint32_t node) const {
    const auto& nodes = builder_.storage().nodes;
    std::size_t size = 1;
    for (auto child = nodes[node].first_child; child != kNoNode; child = nodes[child].next)
      size += subtree_size(child);
    return size;
  }

  void refuse_duplicate_keys(std::uint32_t mapping) const {
    const TreeStorage& storage = builder_.storage();
    std::vector<std::pair<std::string_view, std::uint32_t>> keys;
    for (auto entry = storage.nodes[mapping].first_child; entry != kNoNode;
         entry = storage.nodes[entry].next)
      keys.emplace_back(storage.view(storage.nodes[entry].key), entry);
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(keys, {}, [](auto& key) { return key.first; });
    if (twice == keys.end()) return;
    const Node& first = storage.nodes[twice->second];
    const Node& second = storage.nodes[std::next(twice)->second];
    refuse({second.key_line, second.key_column}, "duplicate-key",
           fmt::format("the key {} stands twice in one mapping, first in line {}",
                       one_line(twice->first), first.key_line),
           "keep one of the two");
  }

  const std::string& file_;
  int first_line_;
  bool started_ = false;
  TreeBuilder builder_;
  std::vector<bool> wants_key_;  ///< Per open node: the next event is a key.
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
  std::size_t alias_nodes_ = 0;
};

}  // namespace

Result<Tree> parse_document(std::string_view text, const std::string& file, int first_line) {
  std::istringstream input{std::string(text)};
  TreeEvents events(file, first_line);
  try {
    YAML::Parser parser(input);
    while (parser.HandleNextDocument(events)) {
    }
    return events.finish();
  } catch (const Refusal& refusal) {
    return fail(refusal.finding);
  } catch (const YAML::Exception& error) {
    return fail(Finding{.rule = "invalid-yaml",
                        .message = fmt::format("this is not valid YAML: {}", error.msg),
                        .place = {file, error.mark.line + first_line, error.mark.column + 1},
                        .hint = "check indentation and quotes on this line and the one above"});
  }
}

}  // namespace overlane::document

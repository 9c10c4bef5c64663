#include "topologies/document/syntax/yaml_events.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <istream>
#include <optional>
#include <streambuf>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/node/node.h>
#include <yaml-cpp/node/parse.h>
#include <yaml-cpp/parser.h>

#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {
namespace {

constexpr const char* kOddKey = "a key must be a single value";

/// Passes a text to yaml-cpp without copying it.
class TextBuffer final : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) : text_(text) {
    show(text);
    // yaml-cpp accepts a quoted scalar that is not closed at the end of the input, unless a marker
    // follows.
    const bool ended = text.starts_with("...") || text.find("\n...") != text.npos;
    if (!ended && text.ends_with('\n')) behind_ = "...\n";
  }

  /// Records the offset of the last event.
  void event(std::size_t at) { at_event_ = at; }

 protected:
  std::streamsize xsgetn(char* to, std::streamsize wanted) override {
    if (read_ > at_event_ + kMaxTokenBytes)
      throw Refusal{"token-limit",
                    fmt::format("a value or flow collection here or next is longer than {} MiB",
                                kMaxTokenBytes >> 20),
                    "no Gardener document needs that; write large collections as JSON or in blocks",
                    at_event_};
    if (gptr() == egptr()) show(std::exchange(behind_, ""));
    const std::streamsize size = std::min<std::streamsize>(wanted, egptr() - gptr());
    std::memcpy(to, gptr(), static_cast<std::size_t>(size));
    gbump(static_cast<int>(size));
    read_ = std::min(read_ + static_cast<std::size_t>(size), text_.size());
    return size;
  }

 private:
  void show(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // Read-only: there is no put area.
    setg(begin, begin, begin + text.size());
  }

  std::string_view text_;
  std::string_view behind_ = "";
  std::size_t read_ = 0;
  std::size_t at_event_ = 0;
};

/// Turns yaml-cpp's events into one Tree, or into one Tree for each item of a list.
class TreeEvents final : public YAML::EventHandler {
 public:
  /// Receives every item of the outermost sequence; if empty, the document is one tree.
  using TakeItem = std::function<void(TreeBuilder& item)>;

  /// `list`: the list whose items the text contains; null for a document.
  TreeEvents(std::string_view text, const Origin& origin, const ListHead* list,
             TakeItem take_item = nullptr)
      : text_(text),
        origin_(origin),
        list_(list),
        input_(text),
        deepest_(kMaxDepth - (list != nullptr ? kDepthOfItems : 0)),
        take_item_(std::move(take_item)) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true))
      throw Refusal{"invalid-yaml", "there is content after the end of the document",
                    "separate documents by a line `---`", position(mark)};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    starts_value(mark);
    remember(anchor, builder_.null(null_position(mark)));
    value_done();
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool quoted = tag == "!" || tag.ends_with(":str") || tag.ends_with(":binary");
    if (takes_key()) {
      input_.event(position(mark));
      take_key(value, quoted, position(mark));
      return;
    }
    starts_value(mark);
    remember(anchor, builder_.scalar(value, quoted, position(mark)));
    value_done();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    if (take_item_ && !std::exchange(in_list_, true)) return;
    open(Kind::Sequence, mark, anchor);
  }
  void OnSequenceEnd() override {
    if (builder_.depth() == 0) return;
    close();
  }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::Mapping, mark, anchor);
  }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    starts_value(mark);
    const auto anchored = anchors_.find(anchor);
    if (anchored == anchors_.end())
      throw Refusal{"invalid-yaml", "an alias refers to a key, which is not supported",
                    "write the key's text out", position(mark)};
    const std::uint32_t node = anchored->second;
    if (builder_.is_open(node))
      throw Refusal{"invalid-yaml", "an alias stands inside the value it refers to", "",
                    position(mark)};
    alias_nodes_ += builder_.subtree_size(node);
    if (alias_nodes_ > kMaxAliasNodes)
      throw Refusal{
          "alias-limit",
          fmt::format("aliases expand this document by more than {} values", kMaxAliasNodes),
          "write the repeated values out", position(mark)};
    builder_.copy_own(node);
    value_done();
  }

  TreeBuilder& builder() { return builder_; }

  /// Reads the text. Returns the reason if it is refused.
  std::optional<Finding> run() {
    std::istream stream(&input_);
    try {
      YAML::Parser parser(stream);
      while (parser.HandleNextDocument(*this)) {
      }
      return std::nullopt;
    } catch (const Refusal& refusal) {
      const bool odd_key = refusal.message == kOddKey;
      const auto cause = odd_key ? syntax_error() : std::nullopt;
      return cause ? cause : refusal.finding(text_, origin_);
    } catch (const YAML::Exception& error) {
      return explain(error);
    }
  }

 private:
  /// The syntax error of a text whose events ended before yaml-cpp reported one: an unclosed
  /// bracket first appears as a key.
  std::optional<Finding> syntax_error() const {
    if (text_.size() > kMaxTokenBytes) return std::nullopt;
    try {
      YAML::Load(std::string(text_));
      return std::nullopt;
    } catch (const YAML::Exception& error) {
      return is_open_bracket(error) ? std::optional(explain(error)) : std::nullopt;
    }
  }

  static bool is_open_bracket(const YAML::Exception& error) {
    return error.msg.ends_with("flow not found");
  }

  Finding explain(const YAML::Exception& error) const {
    return Refusal{
        "invalid-yaml", fmt::format("this is not valid YAML: {}", error.msg),
        is_open_bracket(error) || error.msg == "illegal flow end"
            ? "close the bracket [ or { that is open here, or add the comma that is missing"
            : "check indentation and quotes on this line and the one above",
        where(error)}
        .finding(text_, origin_);
  }

  /// Offset of an error. A missing end is located after the last line with content.
  std::size_t where(const YAML::Exception& error) const {
    const std::size_t end = text_.find_last_not_of(" \t\r\n") + 1;
    return std::min(static_cast<std::size_t>(std::max(error.mark.pos, 0)), end);
  }

  static std::uint32_t position(const YAML::Mark& mark) {
    return static_cast<std::uint32_t>(std::max(mark.pos, 0));
  }

  /// Position of a null. An entry without a value is located at its key, because yaml-cpp reports
  /// the following token.
  std::uint32_t null_position(const YAML::Mark& mark) const {
    const std::uint32_t at = position(mark);
    const bool written = at < text_.size() && std::string_view("~nN").find(text_[at]) != text_.npos;
    return written || !builder_.in_mapping() ? at : builder_.key_position();
  }

  bool takes_key() const { return !wants_key_.empty() && wants_key_.back(); }
  void take_key(const std::string& key, bool quoted, std::uint32_t at) {
    if (key == "<<" && !quoted)
      throw Refusal{"merge-key", "YAML merge keys (`<<`) are not supported",
                    "write the merged fields out", at};
    // yaml-cpp treats a bare word on its own line as a key without a value.
    if (key == "..." && !quoted) throw elision(at);
    builder_.key(key, at);
    wants_key_.back() = 0;
  }
  void starts_value(const YAML::Mark& mark) {
    input_.event(position(mark));
    if (takes_key())
      throw Refusal{"invalid-yaml", kOddKey, "quote the key, or write `key: value`",
                    position(mark)};
  }
  void value_done() {
    if (builder_.in_mapping()) wants_key_.back() = 1;
    if (builder_.depth() > 0 || !take_item_) return;
    take_item_(builder_);
    anchors_.clear();
    alias_nodes_ = 0;
  }
  void remember(YAML::anchor_t anchor, std::uint32_t node) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    starts_value(mark);
    if (builder_.depth() == deepest_) throw nesting_limit(position(mark));
    remember(anchor, builder_.open(kind, position(mark)));
    wants_key_.push_back(kind == Kind::Mapping ? 1 : 0);
  }
  void close() {
    builder_.close();
    if (const auto twice = builder_.duplicate_key())
      throw duplicate_key(*twice, text_, origin_, list_);
    wants_key_.pop_back();
    value_done();
  }

  std::string_view text_;
  const Origin& origin_;
  const ListHead* list_;
  TextBuffer input_;
  std::size_t deepest_;
  TakeItem take_item_;
  bool started_ = false;
  bool in_list_ = false;
  TreeBuilder builder_;
  std::vector<char> wants_key_;  ///< Per open node: whether the next event is a key.
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
  std::size_t alias_nodes_ = 0;
};

}  // namespace

Result<Tree> parse_yaml(std::string_view text, const Origin& origin, PartOf part_of) {
  TreeEvents events(text, origin, part_of.list.get());
  if (auto finding = events.run()) return fail(*std::move(finding));
  return events.builder().finish(LineMap(origin, text), std::move(part_of));
}

Result<std::vector<Tree>> parse_yaml_items(std::string_view text, const Origin& origin,
                                           std::size_t first,
                                           const std::shared_ptr<const ListHead>& list) {
  ItemTrees items(text, origin, first, list);
  TreeEvents events(text, origin, list.get(), [&](TreeBuilder& item) { items.add(item); });
  if (auto finding = events.run()) return fail(*std::move(finding));
  return items.take();
}

}  // namespace overlane::document

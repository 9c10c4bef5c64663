#include "topologies/document/syntax/parse.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/syntax/cut.h"
#include "topologies/document/syntax/diagnosis.h"
#include "topologies/document/syntax/json_scan.h"
#include "topologies/document/syntax/plain_yaml.h"
#include "topologies/document/syntax/yaml_events.h"
#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

namespace {

using Add = std::function<void(Chunk)>;
using Take = std::function<void(Result<Tree>)>;

constexpr std::size_t npos = std::string_view::npos;

/// Maximum number of an array's items that are read to find out whether the array contains objects.
constexpr std::size_t kMaxFirstItems = 8;

std::shared_ptr<const ListHead> shared_head(const Value& root) {
  auto head = list_head(root);
  return head ? std::make_shared<const ListHead>(*std::move(head)) : nullptr;
}

std::shared_ptr<const ListHead> array_head() {
  static const auto head = std::make_shared<const ListHead>(
      ListHead{.api_version = "", .kind = "List", .is_array = true});
  return head;
}

/// Collects consecutive parts until they fill a chunk.
class Batches {
 public:
  Batches(Chunk::Form form, std::shared_ptr<const ListHead> list, Origin origin, const char* begin,
          const Add& add)
      : form_(form), list_(std::move(list)), origin_(std::move(origin)), begin_(begin), add_(add) {}

  void add(std::string_view part) {
    end_ = part.data() + part.size();
    parts_.push_back(part);
    if (static_cast<std::size_t>(end_ - begin_) >= kChunkBytes) flush();
  }

  void flush() {
    if (parts_.empty()) return;
    const std::string_view text(begin_, static_cast<std::size_t>(end_ - begin_));
    const std::size_t count = parts_.size();
    Origin next = origin_.after(text);
    add_({.form = form_,
          .text = {text, std::exchange(origin_, std::move(next))},
          .parts = std::exchange(parts_, {}),
          .list = list_,
          .first_item = first_});
    first_ += count;
    begin_ = end_;
  }

 private:
  Chunk::Form form_;
  std::shared_ptr<const ListHead> list_;
  Origin origin_;  ///< Location of `begin_`.
  const char* begin_;
  const char* end_ = nullptr;
  const Add& add_;
  std::vector<std::string_view> parts_;
  std::size_t first_ = 0;
};

void add_items(Chunk::Form form, const TextPart& within, std::shared_ptr<const ListHead> list,
               const std::vector<std::string_view>& items, const Add& add) {
  const auto before = static_cast<std::size_t>(items.front().data() - within.text.data());
  Batches batches(form, std::move(list), within.origin.after(within.text.substr(0, before)),
                  items.front().data(), add);
  for (const std::string_view item : items)
    batches.add(item);
  batches.flush();
}

/// Whether one of the first items of an array is a Kubernetes object. Arrays of other values are
/// one document.
template <typename Parse>
bool holds_objects(const std::vector<std::string_view>& items, Parse parse) {
  for (std::size_t i = 0; i < std::min(items.size(), kMaxFirstItems); ++i)
    if (const Result<Tree> item = parse(items[i]); item && is_object(item->root())) return true;
  return false;
}

/// The head of the list if the JSON value is a list; otherwise null.
std::shared_ptr<const ListHead> list_head(const JsonExtent& value, JsonTreeParser& json) {
  if (value.items.empty()) return nullptr;
  if (value.text.front() == '[') {
    const auto parse = [&](std::string_view item) { return json.parse(item, {}, {}); };
    return holds_objects(value.items, parse) ? array_head() : nullptr;
  }
  const auto before = static_cast<std::size_t>(value.list.data() - value.text.data());
  std::string head(value.text.substr(0, before));
  head.append("[]");
  head.append(value.closed ? value.text.substr(before + value.list.size()) : "}");
  const Result<Tree> tree = json.parse(head, {}, {});
  if (!tree) return nullptr;
  // kubectl writes the kind after the items.
  if (!value.closed && !tree->root()["kind"])
    return std::make_shared<const ListHead>(ListHead{"", "List"});
  return shared_head(tree->root());
}

/// The head of the block-style list; null if it is not a list of objects.
std::shared_ptr<const ListHead> list_head(const BlockList& list, const Origin& origin) {
  if (list.is_array) {
    const auto parse = [&](std::string_view item) -> Result<Tree> {
      auto alone = parse_yaml_items(item, origin, 0, array_head());
      if (!alone) return fail(std::move(alone.error()));
      return alone->empty() ? Tree() : alone->front();
    };
    return holds_objects(list.items, parse) ? array_head() : nullptr;
  }
  if (check_encoding(list.head, origin)) return nullptr;
  const Result<Tree> head = parse_yaml(list.head, origin, {});
  return head && head->root()["items"].is(Kind::Null) ? shared_head(head->root()) : nullptr;
}

/// Whether the text is probably JSON, so that errors are reported in terms of JSON.
bool looks_like_json(const TextPart& text) {
  if (text.origin.file.str().ends_with(".json")) return true;
  const auto second = text.text.find_first_not_of(kJsonBlank, 1);
  if (second == text.text.npos) return false;
  const char next = text.text[second];
  return next == '"' || (text.text.front() == '[' && next == '{');
}

/// Cuts one document in JSON or in flow style, or several JSON texts without `---` between them.
void cut_flow(const TextPart& document, const TextPart& flow, JsonTreeParser& json,
              const Add& add) {
  Batches texts(Chunk::Form::JsonTexts, nullptr, flow.origin, flow.text.data(), add);
  TextPart rest = flow;
  while (!rest.text.empty()) {
    JsonExtent value = scan_next_json(rest.text);
    if (!value.closed && rest.text.size() <= kMaxObjectBytes) {
      const JsonExtent broken = scan_broken_json(rest.text);
      if (broken.closed && list_head(broken, json)) value.text = broken.text;
    }
    std::string_view behind = rest.text.substr(value.text.size());
    behind.remove_prefix(std::min(behind.find_first_not_of(kJsonBlank), behind.size()));
    const bool more = !behind.empty() && !marks(behind.substr(0, behind.find('\n')), "...");
    const bool first = rest.text.data() == flow.text.data();
    if (more && behind.front() != '{' && behind.front() != '[') {
      // There is one bracket too many; parse_broken_list() reads the items.
      const auto another = looks_like_json(rest) ? rest.text.find("\n{", value.text.size()) : npos;
      if (another != npos) {
        texts.add(rest.text.substr(0, another + 1));
        rest = {rest.text.substr(another + 1), rest.origin.after(rest.text.substr(0, another + 1))};
        continue;
      }
      texts.flush();
      add({.form = Chunk::Form::Document, .text = first ? document : rest});
      return;
    }
    // Text that was added must not be read again.
    const auto skipped = static_cast<std::size_t>(behind.data() - rest.text.data());
    const TextPart next{behind, more ? rest.origin.after(rest.text.substr(0, skipped)) : Origin()};
    const bool is_broken = !value.closed && value.text.size() <= kMaxObjectBytes;
    if (auto list = is_broken ? nullptr : list_head(value, json)) {
      texts.flush();
      std::optional<Finding> refusal;
      if (!value.closed) refusal = broken_off(value.open_item).finding(rest.text, rest.origin);
      add_items(Chunk::Form::JsonItems, rest, std::move(list), value.items, add);
      if (refusal) add({.form = Chunk::Form::Refused, .refusal = std::move(refusal)});
    } else {
      texts.add(value.text);
    }
    if (!more) break;
    rest = next;
  }
  texts.flush();
}

void cut_text(const TextPart& document, JsonTreeParser& json, const Add& add) {
  if (auto finding = find_elision(document))
    return add({.form = Chunk::Form::Refused, .refusal = std::move(finding)});
  const TextPart flow = flow_content(document);
  if (!flow.text.empty()) return cut_flow(document, flow, json, add);
  if (const auto list = find_block_list(document.text))
    if (auto head = list_head(*list, document.origin))
      return add_items(Chunk::Form::YamlItems, document, std::move(head), list->items, add);
  add({.form = Chunk::Form::Document, .text = document});
}

Chunk refused(Finding finding) {
  return {.form = Chunk::Form::Refused, .refusal = std::move(finding)};
}

/// Calls back with each part of a chunk that is valid UTF-8, and with a refusal for each other
/// part. `whole` is the refusal for a chunk without parts: the refusal of its document.
void add_valid_parts(const Chunk& chunk, const Finding& whole, const Add& add) {
  if (chunk.form == Chunk::Form::Refused) return add(chunk);
  if (chunk.parts.empty()) return add(refused(whole));
  TextPart here = chunk.text;
  for (std::size_t i = 0; i < chunk.parts.size(); ++i) {
    const std::string_view part = chunk.parts[i];
    const auto skipped = static_cast<std::size_t>(part.data() - here.text.data());
    here = {here.text.substr(skipped), here.origin.after(here.text.substr(0, skipped))};
    if (auto finding = check_encoding(part, here.origin)) {
      if (chunk.list) finding->path = chunk.list->path_of(chunk.first_item + i);
      add(refused(*std::move(finding)));
      continue;
    }
    add({.form = chunk.form,
         .text = {part, here.origin},
         .parts = {part},
         .list = chunk.list,
         .first_item = chunk.first_item + i});
  }
}

void cut_document(const TextPart& document, JsonTreeParser& json, const Add& add) {
  const auto refusal =
      document.plain ? std::nullopt : check_encoding(document.text, document.origin);
  if (!refusal) return cut_text(document, json, add);
  cut_text(document, json, [&](const Chunk& chunk) { add_valid_parts(chunk, *refusal, add); });
}

/// Splits a list that had to be parsed as a whole into its items.
void take_document(const Tree& tree, const Take& take) {
  const Value root = tree.root();
  const bool is_array = root.is(Kind::Sequence) && std::ranges::any_of(root, is_object);
  const Value items = is_array ? root : root["items"];
  if (!items.is(Kind::Sequence) || items.size() == 0 || tree.list() != nullptr) return take(tree);
  const auto list = is_array ? array_head() : shared_head(root);
  if (!list) return take(tree);
  TreeBuilder builder;
  for (const Value item : items) {
    builder.copy(item);
    take(builder.finish({item.path(), list}));
  }
}

std::optional<Finding> too_large(const TextPart& text) {
  if (text.text.size() <= kMaxObjectBytes) return std::nullopt;
  return Refusal{"document-limit",
                 fmt::format("one document or list item here has {} MiB; more than {} are not read",
                             text.text.size() >> 20, kMaxObjectBytes >> 20),
                 "Kubernetes stores no object of that size; split the file at its documents"}
      .finding(text.text, text.origin);
}

Result<Tree> parse_block(const TextPart& text, PartOf part_of) {
  if (auto finding = too_large(text)) return fail(*std::move(finding));
  if (auto tree = parse_plain_yaml(text.text, text.origin, part_of)) return *std::move(tree);
  Result<Tree> tree = parse_yaml(text.text, text.origin, std::move(part_of));
  if (!tree) return fail(explain_failure(std::move(tree.error()), text));
  // YAML accepts most texts as one long scalar.
  if (tree->root().is(Kind::Scalar) && tree->list() == nullptr)
    if (auto other = find_other_format(text)) return fail(*std::move(other));
  return tree;
}

/// Parses a text that starts with { or [: JSON or YAML in flow style.
Result<Tree> parse_flow(const TextPart& text, JsonTreeParser& json, const PartOf& part_of) {
  if (auto finding = too_large(text)) return fail(*std::move(finding));
  Result<Tree> tree = json.parse(text.text, text.origin, part_of);
  if (tree || tree.error().rule != "invalid-json") return tree;
  Result<Tree> yaml = parse_block(text, part_of);
  if (!yaml && yaml.error().rule == "invalid-yaml" && looks_like_json(text)) return tree;
  return yaml;
}

/// Calls `use` with each part of the chunk and its origin.
template <typename Use>
void each_part(const Chunk& chunk, Use use) {
  TextPart here = chunk.text;
  for (const std::string_view part : chunk.parts) {
    const auto skipped = static_cast<std::size_t>(part.data() - here.text.data());
    here.origin = here.origin.after(here.text.substr(0, skipped));
    here.text.remove_prefix(skipped);
    use(TextPart{part, here.origin});
  }
}

Result<Tree> parse_json_item(const TextPart& item, JsonTreeParser& json, const PartOf& part_of) {
  const char first = item.text.front();
  if (first == '{' || first == '[') return parse_flow(item, json, part_of);
  // A missing item is represented by the comma after it.
  if (first == ',') return json.parse(item.text, item.origin, part_of);
  Result<Tree> yaml = parse_block(item, part_of);
  if (!yaml || yaml->root().exists()) return yaml;
  return fail(Refusal{"invalid-json", "this is not valid JSON: a comment in place of a list item",
                      "delete the comment, or write it in a YAML file"}
                  .finding(item.text, item.origin));
}

void parse_json_items(const Chunk& chunk, JsonTreeParser& json, const Take& take) {
  std::size_t index = chunk.first_item;
  each_part(chunk, [&](const TextPart& item) {
    PartOf part_of{chunk.list->path_of(index++), chunk.list};
    Result<Tree> tree = parse_json_item(item, json, part_of);
    if (!tree) tree.error().path = part_of.path;
    take(std::move(tree));
  });
}

Result<std::vector<Tree>> parse_block_items(const TextPart& text, std::size_t first,
                                            const std::shared_ptr<const ListHead>& list) {
  if (auto items = parse_plain_yaml_items(text.text, text.origin, first, list))
    return *std::move(items);
  return parse_yaml_items(text.text, text.origin, first, list);
}

void parse_yaml_items(const Chunk& chunk, const Take& take) {
  auto together = parse_block_items(chunk.text, chunk.first_item, chunk.list);
  if (together && together->size() == chunk.parts.size()) {
    for (Tree& item : *together)
      take(std::move(item));
    return;
  }
  // Find the bad item.
  std::size_t index = chunk.first_item;
  each_part(chunk, [&](const TextPart& item) {
    auto alone = parse_block_items(item, index, chunk.list);
    if (alone && alone->size() == 1) {
      take(std::move(alone->front()));
    } else if (!alone) {
      Finding finding = explain_failure(std::move(alone.error()), item);
      finding.path = chunk.list->path_of(index);
      take(fail(std::move(finding)));
    }
    ++index;
  });
}

/// Parses the items of `value`, in JSON or flow style, within the text `within`. If none of them is
/// bad, reports `failure`.
void parse_broken_flow(const TextPart& within, const JsonExtent& value,
                       const std::shared_ptr<const ListHead>& head, const Finding& failure,
                       JsonTreeParser& json, const Take& take) {
  bool any_bad = false;
  add_items(Chunk::Form::JsonItems, within, head, value.items, [&](const Chunk& chunk) {
    parse_json_items(chunk, json, [&](Result<Tree> item) {
      any_bad |= !item;
      take(std::move(item));
    });
  });
  if (!value.closed)
    take(fail(broken_off(value.open_item).finding(within.text, within.origin)));
  else if (!any_bad)
    take(fail(failure));
}

/// Implements parse_broken_list() for a list in block style, whose items may be a list in flow
/// style.
bool parse_broken_block(const TextPart& text, const Finding& failure, JsonTreeParser& json,
                        const Take& take) {
  if (const auto list = find_broken_block_list(text.text)) {
    const auto head = list_head(*list, text.origin);
    if (!head) return false;
    bool any_bad = false;
    for (Result<Tree>& item : parse_broken_items(text, *list, head)) {
      any_bad |= !item;
      take(std::move(item));
    }
    if (!any_bad) take(fail(failure));
    return true;
  }
  const std::size_t begin = find_flow_items(text.text);
  if (begin == npos) return false;
  const std::string_view before = text.text.substr(0, begin);
  const TextPart flow{text.text.substr(begin), text.origin.after(before)};
  const JsonExtent value = scan_broken_json(flow.text);
  BlockList list{.items = value.items,
                 .head = fmt::format("{}{}", before, flow.text.substr(value.list.size()))};
  const auto head = value.items.empty() ? nullptr : list_head(list, text.origin);
  if (!head) return false;
  parse_broken_flow(flow, value, head, failure, json, take);
  return true;
}

/// Reads the items of a list that cannot be parsed as a whole, so that one bad item does not hide
/// the others. Returns false if the text is not such a list. `failure`: why the whole was refused.
bool parse_broken_list(const TextPart& text, const Finding& failure, JsonTreeParser& json,
                       const Take& take) {
  if (text.text.size() > kMaxObjectBytes) return false;
  const TextPart flow = flow_content(text);
  if (flow.text.empty()) return parse_broken_block(text, failure, json, take);
  const JsonExtent value = scan_broken_json(flow.text);
  const auto head = list_head(value, json);
  if (!head) return false;
  parse_broken_flow(flow, value, head, failure, json, take);
  return true;
}

}  // namespace

void split_into_chunks(const TextPart& text, const Add& add) {
  JsonTreeParser json;
  std::optional<Chunk> small;
  const auto flush = [&] {
    if (small) add(*std::exchange(small, std::nullopt));
  };
  for (const TextPart& document : cut_documents(text)) {
    if (document.text.size() >= kChunkBytes) {
      flush();
      cut_document(document, json, add);
      continue;
    }
    if (!small) small = Chunk{.text = {{document.text.data(), 0}, document.origin, text.plain}};
    const char* begin = small->text.text.data();
    const char* end = document.text.data() + document.text.size();
    small->text.text = {begin, static_cast<std::size_t>(end - begin)};
    if (small->text.text.size() >= kChunkBytes) flush();
  }
  flush();
}

void parse_chunk(const Chunk& chunk, JsonTreeParser& json, const Take& take) {
  const auto take_all = [&](const TextPart& text, Result<Tree> tree) {
    if (tree) return take_document(*tree, take);
    if (!parse_broken_list(text, tree.error(), json, take)) take(std::move(tree));
  };
  switch (chunk.form) {
    case Chunk::Form::Refused:
      return take(fail(*chunk.refusal));
    case Chunk::Form::Documents:
      for (const TextPart& document : cut_documents(chunk.text))
        cut_document(document, json, [&](const Chunk& inner) { parse_chunk(inner, json, take); });
      return;
    case Chunk::Form::Document:
      return take_all(chunk.text, parse_block(chunk.text, {}));
    case Chunk::Form::JsonTexts:
      return each_part(chunk,
                       [&](const TextPart& text) { take_all(text, parse_flow(text, json, {})); });
    case Chunk::Form::JsonItems:
      return parse_json_items(chunk, json, take);
    case Chunk::Form::YamlItems:
      return parse_yaml_items(chunk, take);
  }
}

void Stream::append(Stream other) {
  documents.insert(documents.end(), std::make_move_iterator(other.documents.begin()),
                   std::make_move_iterator(other.documents.end()));
  findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                  std::make_move_iterator(other.findings.end()));
}

void Stream::add(Result<Tree> document) {
  if (document)
    documents.push_back(*std::move(document));
  else
    findings.push_back(std::move(document.error()));
}

std::vector<Tree> Stream::take_if(const std::function<bool(const Tree&)>& wanted) {
  std::vector<Tree> taken;
  std::erase_if(documents, [&](const Tree& document) {
    if (!wanted(document)) return false;
    taken.push_back(document);
    return true;
  });
  return taken;
}

Stream parse(std::string_view text, const std::string& file) {
  Stream stream;
  const Origin origin{file};
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string without_carriage_returns;
  if (has_lone_carriage_return(text)) {
    without_carriage_returns = text;
    replace_lone_carriage_returns(without_carriage_returns);
    text = without_carriage_returns;
  }
  JsonTreeParser json;
  split_into_chunks({text, origin}, [&](const Chunk& chunk) {
    parse_chunk(chunk, json, [&](Result<Tree> document) { stream.add(std::move(document)); });
  });
  if (stream.documents.empty() && stream.findings.empty())
    stream.findings.push_back(empty_file(file));
  return stream;
}

}  // namespace overlane::document

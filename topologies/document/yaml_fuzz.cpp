// Fuzzes arbitrary texts: no crash, and a list gives the same trees split into items and as a
// whole.

#include <memory>
#include <string>
#include <string_view>
#include <yaml.h>

#include "topologies/document/syntax/cut.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/syntax/plain_yaml.h"
#include "topologies/document/syntax/yaml_events.h"
#include "topologies/document/testing/same_tree.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {
namespace {

/// Whether libyaml accepts the text as YAML. yaml-cpp may accept an invalid text and interpret it
/// by its context (a scalar in the column of its key), so that an item alone has another content.
bool is_yaml(const std::string& text) {
  yaml_parser_t parser;
  testing::require(yaml_parser_initialize(&parser) != 0, "libyaml has memory");
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
  bool at_end = false;
  bool accepted = true;
  while (accepted && !at_end) {
    yaml_event_t event;
    accepted = yaml_parser_parse(&parser, &event) != 0;
    if (!accepted) break;
    at_end = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return accepted;
}

void check_list(const std::string& text) {
  const Origin origin{"x.yaml"};
  if (check_encoding(text, origin)) return;
  const auto list = find_block_list(text);
  if (!list || !is_yaml(text)) return;
  const Result<Tree> whole = parse_yaml(text, origin, {});
  const Result<Tree> head = parse_yaml(list->head, origin, {});
  if (!whole || !head || !head->root()["items"].is(Kind::Null)) return;
  auto item = whole->root()["items"].begin();
  for (std::size_t index = 0; index < list->items.size(); ++index) {
    const std::string_view part = list->items[index];
    const Origin here =
        origin.after({text.data(), static_cast<std::size_t>(part.data() - text.data())});
    const auto alone = parse_yaml_items(part, here, index, std::make_shared<const ListHead>());
    // yaml-cpp accepts quoted texts that continue with less indentation than YAML allows; this
    // parser refuses them.
    if (!alone || alone->size() != 1) return;
    testing::require_same(alone->front().root(), *item++);
  }
}

/// Requires that both parsers give the same trees.
void check_plain(const std::string& text) {
  const Origin origin{"x.yaml"};
  if (check_encoding(text, origin)) return;
  if (const auto plain = parse_plain_yaml(text, origin, {})) {
    const Result<Tree> tree = parse_yaml(text, origin, {});
    testing::require(tree.has_value(), "plain YAML is YAML");
    testing::require_same(plain->root(), tree->root());
  }
  const auto list = std::make_shared<const ListHead>();
  if (const auto plain = parse_plain_yaml_items(text, origin, 0, list)) {
    const auto items = parse_yaml_items(text, origin, 0, list);
    testing::require(items && items->size() == plain->size(), "plain items are items");
    for (std::size_t i = 0; i < items->size(); ++i)
      testing::require_same((*plain)[i].root(), (*items)[i].root());
  }
}

void check(std::string text) {
  const Stream stream = parse(text, "x.yaml");
  testing::require(!stream.documents.empty() || !stream.findings.empty(), "there is an answer");
  for (const Tree& tree : stream.documents)
    if (tree.root().exists()) testing::require_sound(tree.root());
  for (const Finding& finding : stream.findings)
    testing::require(finding.place.line >= 1 && !finding.rule.empty(), "a finding has a place");
  // parse() does this before it splits the text.
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  replace_lone_carriage_returns(text);
  check_list(text);
  check_plain(text);
}

}  // namespace
}  // namespace overlane::document

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::document::check(std::string(data, data + size));
  return 0;
}

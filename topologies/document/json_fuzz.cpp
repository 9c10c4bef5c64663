// Fuzzes JSON: texts that both simdjson and yaml-cpp accept must have the same content.

#include <string>

#include "topologies/document/syntax/json_scan.h"
#include "topologies/document/syntax/yaml_events.h"
#include "topologies/document/testing/same_tree.h"
#include "topologies/document/tree/json_tree.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {
namespace {

void check(std::string text) {
  if (text.empty() || (text.front() != '{' && text.front() != '[')) return;
  replace_lone_carriage_returns(text);
  const Origin origin{"x.json"};
  if (check_encoding(text, origin)) return;

  const JsonExtent extent = scan_json(text);
  testing::require(text.starts_with(extent.text), "a value starts where it starts");
  JsonTreeParser reader;
  const Result<Tree> json = reader.parse(text, origin, {});
  if (!json) {
    testing::require(json.error().place.line >= 1, "a refusal has a place");
    return;
  }
  testing::require_sound(json->root());
  testing::require(
      extent.closed && text.find_first_not_of(" \t\r\n", extent.text.size()) == std::string::npos,
      "brackets tell where a value ends");
  const Value items = json->root().is(Kind::Sequence) ? json->root() : json->root()["items"];
  testing::require(extent.items.empty() || extent.items.size() == items.size(),
                   "brackets tell what the items are");

  const Result<Tree> yaml = parse_yaml(text, origin, {});
  if (yaml) testing::require_same(json->root(), yaml->root());
}

}  // namespace
}  // namespace overlane::document

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::document::check(std::string(data, data + size));
  return 0;
}

#include "topologies/document/syntax/json_scan.h"

#include <string>

#include <gtest/gtest.h>

namespace overlane::document {

namespace json_scan_test {

struct ScanCase {
  const char* what;
  std::string text;  ///< "@" stands for a padding that shifts the text after it.
  std::vector<std::string> items;
  bool closed = true;
};

const ScanCase kCases[] = {
    {"items with strings that hold brackets and commas",
     R"({"a":@,"items":[{"b":[["]}",[{}]],{"c":{"d":"{[,"}}]},{"e":[[[[1,2]]]]},3],"kind":"List"})",
     {R"({"b":[["]}",[{}]],{"c":{"d":"{[,"}}]})", R"({"e":[[[[1,2]]]]})", "3"}},
    {"escapes",
     R"({"items":[@,{"b":{"c":{"d":"\\\"]}","e\\":[["\\"]]}}}]})",
     {"@", R"({"b":{"c":{"d":"\\\"]}","e\\":[["\\"]]}}})"}},
    {"a string that ends with its line",
     "{\"items\":[@,{\"b\":{\"c\":{\"d\":\"open\n}}},[2]]}",
     {"@", "{\"b\":{\"c\":{\"d\":\"open\n}}}", "[2]"}},
    {"no list deeper than the root", R"({"a":{"items":[1,@]}})", {}},
    {"a list that breaks off", R"({"items":[@,[1],{"b":[[[[0]]],)", {"@", "[1]"}, false},
};

TEST(JsonScan, FindsItemsWhereverTheyStand) {
  constexpr std::size_t kTwoBlocks = 140;
  for (const ScanCase& row : kCases) {
    for (std::size_t size = 0; size <= kTwoBlocks; ++size) {
      SCOPED_TRACE(row.what + std::to_string(size));
      const std::string padding = "[[\"" + std::string(size, 'x') + "\"]]";
      std::string text = row.text;
      text.replace(text.find('@'), 1, padding);
      const std::string behind = row.closed ? " {\"next\":[]}" : "";
      const std::string whole = text + behind;
      const JsonExtent extent = scan_json(whole);
      EXPECT_EQ(extent.text, text);
      EXPECT_EQ(extent.closed, row.closed);
      ASSERT_EQ(extent.items.size(), row.items.size());
      for (std::size_t i = 0; i < row.items.size(); ++i)
        EXPECT_EQ(extent.items[i], row.items[i] == "@" ? padding : row.items[i]);
    }
  }
}

}  // namespace json_scan_test

}  // namespace overlane::document

#include "topologies/document/fields/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/fields/fields.h"

namespace overlane::document {

namespace shape_test {

using ::testing::ElementsAre;
using Type = Shape::Type;

std::vector<std::string> keys(const Shape& mapping) {
  std::vector<std::string> names;
  for (const auto& [key, entry] : mapping.entries)
    names.push_back(key);
  return names;
}

/// Calls every reading function of Fields.
void decode(Fields& root) {
  root.required("name");
  root.string("name");
  Fields deep = root.fields("deep");
  Fields deeper = deep.fields("deeper");
  deeper.boolean("on");
  deeper.no_others();
  for (const Value item : root.list("ways")) {
    Fields way(item, root.problems());
    if (const auto kind = way.one_of("kind", {"walk", "ride"}); kind == "ride") {
      way.required("speed");
      way.number("speed");
    }
    way.no_others();
  }
  root.strings("names");
  const auto count = root.integer("count");
  root.only_between(root.value()["count"], 1, 9);
  static_cast<void>(count);
  root.ignore({"anything"});
  if (const Value old = root.any("old")) root.problems().warning(old, "deprecated-field", "old");
  if (const Value gone = root.any("gone")) root.problems().key_error(gone, "removed-field", "gone");
  root.no_others();
}

TEST(Shape, HasTheMeaningThatADecoderGivesWithAKey) {
  const Shape shape = explore([](Fields& root) {
    root.required(FieldKey("name", "A name."));
    root.string("name");
    root.strings(FieldKey("names", "Other names.", "One of them."));
    root.boolean("on");
  });
  EXPECT_EQ(shape.find("name")->text, "A name.");
  EXPECT_EQ(shape.find("names")->text, "Other names.");
  EXPECT_EQ(shape.find("names")->item->text, "One of them.");
  EXPECT_EQ(shape.find("on")->text, "");
}

TEST(Shape, IsWhatADecoderAsksFor) {
  const Shape shape = explore(&decode);
  EXPECT_THAT(keys(shape),
              ElementsAre("name", "deep", "ways", "names", "count", "anything", "old", "gone"));
  EXPECT_TRUE(shape.closed);
  EXPECT_EQ(shape.find("name")->type, Type::String);
  EXPECT_EQ(shape.find("name")->required, Shape::When::always());
  EXPECT_FALSE(shape.find("deep")->closed);
  const Shape* deeper = shape.find("deep")->find("deeper");
  EXPECT_TRUE(deeper->closed);
  EXPECT_EQ(deeper->find("on")->type, Type::Boolean);
  EXPECT_EQ(deeper->find("on")->required, Shape::When());
  EXPECT_EQ(shape.find("names")->type, Type::List);
  EXPECT_EQ(shape.find("names")->item->type, Type::String);
  EXPECT_EQ(shape.find("count")->min, 1);
  EXPECT_EQ(shape.find("count")->max, 9);
  EXPECT_EQ(shape.find("anything")->type, Type::Any);
  EXPECT_TRUE(shape.find("old")->deprecated);
  EXPECT_TRUE(shape.find("gone")->removed);
}

TEST(Shape, KnowsWhatHangsOnAWord) {
  const Shape shape = explore(&decode);
  const Shape& way = *shape.find("ways")->item;
  EXPECT_THAT(way.find("kind")->words, ElementsAre("walk", "ride"));
  EXPECT_EQ(way.find("kind")->asked, Shape::When::always());
  EXPECT_EQ(way.find("speed")->type, Type::Number);
  const Shape::When ride{.key = "kind", .words = {"ride"}};
  EXPECT_EQ(way.find("speed")->asked, ride);
  EXPECT_EQ(way.find("speed")->required, ride);
  EXPECT_TRUE(way.closed);
}

}  // namespace shape_test

}  // namespace overlane::document

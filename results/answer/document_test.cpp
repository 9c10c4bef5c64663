#include "results/answer/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/answer/testing/renderings.h"

namespace overlane::answer {
namespace document_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

std::vector<std::string> parts(std::string_view text) {
  std::vector<std::string> parts;
  for (const Span& span : spans_of(text))
    parts.push_back((span.is_code ? "code:" : "") + std::string(span.text));
  return parts;
}

TEST(Document, CodeStandsBetweenBackquotes) {
  EXPECT_THAT(parts("run `ip link` or `ip addr`"),
              ElementsAre("run ", "code:ip link", " or ", "code:ip addr"));
  EXPECT_THAT(parts("a ` alone"), ElementsAre("a ` alone"));
  EXPECT_THAT(parts(""), ElementsAre());
}

TEST(Document, TextsAreThoseOfAllBlocksUpToADetail) {
  const Document document = testing::example_document();
  const std::vector<std::string> always = texts_of(document);
  for (const char* text : {"no-go", "warning", "garden", "a_b go|stop 1.0 s", "today – never over",
                           "explained by `x|y`", "all pods are ready", "kubectl undo", "12.0 s"})
    EXPECT_THAT(always, Contains(text));
  EXPECT_THAT(always, Not(Contains("over time")));
  EXPECT_THAT(texts_of(document, Detail::OnRequest), Contains("node <1>"));
  EXPECT_THAT(texts_of(document, Detail::OnRequest), Not(Contains("on pages")));
  EXPECT_THAT(texts_of(document, Detail::PageOnly), Contains("on pages"));
}

}  // namespace document_test
}  // namespace overlane::answer

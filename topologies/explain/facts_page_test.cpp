#include "topologies/explain/facts_page.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/sources/citation.h"

namespace overlane::explain {
namespace facts_page_test {

using testing::HasSubstr;

TEST(FactsPage, ListsEachSourceWithItsDate) {
  const std::string page = facts_page();
  for (const sources::SourceGroup& group : sources::kSources) {
    EXPECT_THAT(page, HasSubstr("\n## " + std::string(group.title) + "\n"));
    for (const sources::Source& source : group.sources) {
      EXPECT_THAT(page, HasSubstr("| " + std::string(source.name) + " | "));
      EXPECT_THAT(page, HasSubstr(" | " + std::string(source.at.date) + " | "));
    }
  }
}

TEST(FactsPage, HasALineForToolsForEachSource) {
  std::istringstream lines(facts_json());
  std::string line;
  std::size_t rows = 0;
  std::size_t files = 0;
  for (; std::getline(lines, line); ++rows) {
    const auto row = nlohmann::json::parse(line);
    EXPECT_FALSE(row["date"].get<std::string>().empty());
    EXPECT_FALSE(row["facts"].empty());
    if (row["blob"] == "") continue;
    ++files;
    EXPECT_EQ(row["repository"].get<std::string>() + ' ' + row["path"].get<std::string>(),
              row["name"]);
  }
  std::size_t expected = 0;
  for (const sources::SourceGroup& group : sources::kSources)
    expected += group.sources.size();
  EXPECT_EQ(rows, expected);
  EXPECT_GT(files, 90u);
}

}  // namespace facts_page_test
}  // namespace overlane::explain

#include "tools/reference_pages/pages.h"

#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/effective/landscape.h"
#include "topologies/provider/machines/machine_types.h"
#include "topologies/sources/citation.h"

namespace overlane::reference_pages {

namespace rules_page_test {

using ::testing::HasSubstr;

TEST(RulesPage, HasAHeadingForEachRule) {
  const check::RuleBook book;
  const std::string pages = rules_page(book);
  for (const rules::Rule* rule : book.rules())
    EXPECT_THAT(pages, HasSubstr("\n## " + std::string(rule->id) + "\n"));
  EXPECT_NE(book.find("reserved-range"), nullptr);
}

TEST(RulesPage, TextThatMarkdownWouldTakeForMarkupIsEscaped) {
  const std::string pages = rules_page(check::RuleBook());
  EXPECT_THAT(pages, HasSubstr("A mapping uses the merge key \\<\\<."));
}

}  // namespace rules_page_test

namespace provider_page_test {

using ::testing::HasSubstr;

TEST(ProviderPage, HasEveryProviderAndEverySetting) {
  const std::string page = provider_page();
  for (const provider::Profile* profile : provider::profiles())
    EXPECT_THAT(page, HasSubstr("| " + std::string(profile->name) + " | "));
  for (const effective::LandscapeSetting& setting : effective::landscape_settings())
    EXPECT_THAT(page, HasSubstr("| `" + setting.key + "` | "));
}

TEST(ProviderPage, GivesNumbersWithTheirSources) {
  const std::string page = provider_page();
  EXPECT_THAT(page, HasSubstr("| hcloud | 1450 | assumed: Hetzner Cloud documentation"));
  EXPECT_THAT(page,
              HasSubstr("| openstack | router | 512 (sapcc/helm-charts "
                        "openstack/neutron/values.yaml (commit 14641da, 2026-08-21)) | 256 "
                        "(sapcc/helm-charts pull request 12242: before it (2026-07-13)) | 0 | "
                        "together"));
  EXPECT_THAT(page, HasSubstr("| aws | ena | nic | 5 Gbit/s | "));
  EXPECT_THAT(page, HasSubstr("| openstack | virtio_net | virtio | "));
  EXPECT_THAT(page, HasSubstr("| aws | outer | outer | Linux 6.1 "));
  EXPECT_THAT(page, HasSubstr("| azure | inner | outer | Linux 6.1 "));
  EXPECT_THAT(page, HasSubstr("| azure | 250000 flows, 100000 with less than 8 cores | "));
}

TEST(ProviderPage, HasTheMachineTypesWithDocumentAndDate) {
  const std::string page = provider_page();
  for (const provider::MachineTable* table : provider::machine_tables()) {
    EXPECT_THAT(page, HasSubstr("\n### " + std::string(table->cloud) + "\n"));
    EXPECT_THAT(page, HasSubstr(fmt::format("Source: {}. ", table->source.dated())));
  }
  EXPECT_THAT(page, HasSubstr("\n| m5 | "));
  EXPECT_THAT(page, HasSubstr("large: 2 cores, 0.75 to 10 Gbit/s"));
  EXPECT_THAT(page, HasSubstr("\n| n2-\\*-\\<n> | 2 cores, 10 Gbit/s; 4 cores, 10 Gbit/s; "));
  EXPECT_THAT(page, HasSubstr("\n| Standard_D\\<n>s_v5 | 2 cores, 12.5 Gbit/s; "));
  EXPECT_THAT(page, HasSubstr("\n| g_c\\<n>_m8\\* | 2 cores |"));
  EXPECT_THAT(page, HasSubstr("2 cores, 2 to 10 Gbit/s, 900000 packets/s"));
}

}  // namespace provider_page_test

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

}  // namespace overlane::reference_pages

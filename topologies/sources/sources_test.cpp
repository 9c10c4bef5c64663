#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "topologies/sources/citation.h"

namespace overlane::sources {
namespace {

template <typename Take>
void for_each_row(const Take& take) {
  for (const SourceGroup& group : kSources)
    for (const Source& source : group.sources)
      take(source);
}

bool is_match(std::string_view text, const char* pattern) {
  return std::regex_match(text.begin(), text.end(), std::regex(pattern));
}

TEST(Sources, HaveADateAndFilesAlsoACommitAndAHash) {
  for_each_row([](const Source& source) {
    SCOPED_TRACE(source.name);
    EXPECT_TRUE(is_match(source.at.date, "[0-9]{4}-[0-9]{2}(-[0-9]{2})?"));
    EXPECT_EQ(source.is_file(), !source.at.commit.empty());
    if (!source.is_file()) return;
    EXPECT_TRUE(is_match(source.at.commit, "[0-9a-f]{40}"));
    EXPECT_TRUE(is_match(source.blob, "[0-9a-f]{40}"));
    EXPECT_TRUE(is_match(source.repository(), "[A-Za-z0-9-]+/[A-Za-z0-9.-]+"));
    EXPECT_FALSE(source.path().empty());
  });
}

TEST(Sources, SayWhatIsTakenFromThem) {
  for_each_row([](const Source& source) {
    SCOPED_TRACE(source.name);
    EXPECT_FALSE(source.facts().empty());
    for (const Fact& fact : source.facts()) {
      EXPECT_EQ(fact.passage.empty(), !source.is_file()) << fact.what;
      EXPECT_EQ(fact.passage.find('\n'), fact.passage.npos) << fact.what;
    }
  });
}

TEST(Sources, AreRowsOnceAndWithoutTheSeparatorsOfCitations) {
  std::set<std::string_view> names;
  for_each_row([&](const Source& source) {
    EXPECT_TRUE(names.insert(source.name).second) << source.name;
    EXPECT_EQ(source.name.find("; "), source.name.npos) << source.name;
    EXPECT_EQ(source.name.find(": "), source.name.npos) << source.name;
  });
}

TEST(Citation, NamesFilesFoldersProvidersAndRemarks) {
  struct Row {
    Citation citation;
    std::size_t sources;
  };
  for (const Row& row : {
           Row{"gardener-extension-provider-aws docs/usage/ipv6.md", 1},
           Row{"gardener-extension-provider-aws docs/usage/ipv6.md: quota", 1},
           Row{"gardener-extension-provider-aws docs/usage", 3},
           Row{"gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go", 5},
           Row{"RFC 791; RFC 8200", 2},
           Row{"topologies/check", 0},
           Row{"assumed: for a test", 0},
       })
    EXPECT_EQ(row.citation.sources().size(), row.sources) << row.citation.text();
  EXPECT_EQ(for_each_source("RFC 79", [](const Source&) {}), 0u);
  EXPECT_EQ(for_each_source("gardener/gardener", [](const Source&) {}), 0u);
}

TEST(Citation, ShowsDates) {
  EXPECT_EQ(Citation("gardener-extension-provider-aws docs/usage/ipv6.md: quota; RFC 791").dated(),
            "gardener-extension-provider-aws docs/usage/ipv6.md: quota (commit 2ff8d81, "
            "2026-08-21); RFC 791 (1981-09)");
  EXPECT_EQ(
      Citation("gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go").dated(),
      "gardener-extension-provider-<name> pkg/apis/<name>/validation/shoot.go (2026-07-02 to "
      "2026-08-21)");
  EXPECT_EQ(Citation("assumed: for a test").dated(), "assumed: for a test");
  EXPECT_EQ(with_dates("x.yaml:1:2"), "x.yaml:1:2");
  EXPECT_EQ(Citation("RFC 791; RFC 8200").date(), "2017-07");
}

/// Facts that moved: a newer release or document may change them again.
TEST(Sources, HoldTheFactsThatMoved) {
  const auto says = [](Citation citation, std::string_view text) {
    for (const Source* source : citation.sources())
      for (const Fact& fact : source->facts())
        if (fact.what.find(text) != fact.what.npos || fact.passage.find(text) != fact.passage.npos)
          return true;
    return false;
  };
  EXPECT_TRUE(says("cilium/cilium pull request 45940", "95 bytes since 1.19.5"));
  EXPECT_TRUE(says("gardener-extension-networking-cilium imagevector/images.yaml", "v1.19.7"));
  EXPECT_TRUE(says("MicrosoftDocs/azure-docs pull request 128356", "600 routes"));
  EXPECT_TRUE(says("gardener-extension-provider-azure pull request 1602", "no route controller"));
  EXPECT_TRUE(says("23technologies/gardener-extension-provider-hcloud pkg/hcloud/apis",
                   "workersConfiguration"));
  EXPECT_TRUE(
      says("23technologies/gardener-extension-provider-hcloud pkg/controller", "IsPrivate"));
}

}  // namespace
}  // namespace overlane::sources

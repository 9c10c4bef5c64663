#include "topologies/explain/facts_page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "topologies/explain/provider_page.h"
#include "topologies/sources/citation.h"

namespace overlane::explain {
namespace {

using sources::Fact;
using sources::Source;
using sources::SourceGroup;

constexpr const char* kFactsPageHead =
    R"(# Sources of facts

Where the program's facts come from: files of repositories at a commit, and documents, issues and
pull requests with the day or month of reading (of standards: of publication). The values stand where
they are used: [providers.md](providers.md), [migration-timing.md](migration-timing.md),
[rules.md](rules.md) and `explain`. `tools/check-facts DIR` compares the files with newer copies of
their repositories; [how to](../how-to/add-a-provider.md#sources-of-facts). `tools/write-docs` writes
this page from `topologies/sources`, and a test fails when they differ.
)";

std::string facts_of(const Source& source) {
  std::string text;
  for (const Fact& fact : source.facts())
    text += fmt::format("{}{}", text.empty() ? "" : "; ", fact.what);
  return text;
}

std::string commit_of(const Source& source) {
  return source.is_file() ? fmt::format("`{}`", source.at.commit.substr(0, 10)) : "–";
}

nlohmann::ordered_json row_of(const Source& source) {
  nlohmann::ordered_json facts = nlohmann::ordered_json::array();
  for (const Fact& fact : source.facts())
    facts.push_back({{"what", fact.what}, {"passage", fact.passage}});
  return {{"name", source.name},
          {"repository", source.is_file() ? source.repository() : ""},
          {"path", source.is_file() ? source.path() : ""},
          {"commit", source.at.commit},
          {"date", source.at.date},
          {"blob", source.blob},
          {"facts", std::move(facts)}};
}

}  // namespace

std::string facts_page() {
  std::string page = kFactsPageHead;
  for (const SourceGroup& group : sources::kSources) {
    page += fmt::format("\n## {}\n\n| source | commit | date | facts |\n|---|---|---|---|\n",
                        group.title);
    for (const Source& source : group.sources)
      page += fmt::format("| {} | {} | {} | {} |\n", markdown_cell(source.name), commit_of(source),
                          source.at.date, markdown_cell(facts_of(source)));
  }
  return page;
}

std::string facts_json() {
  std::string lines;
  for (const SourceGroup& group : sources::kSources)
    for (const Source& source : group.sources)
      lines += row_of(source).dump() + '\n';
  return lines;
}

}  // namespace overlane::explain

#include "scenarios/migration/timing_page.h"

#include <fmt/format.h>

#include "scenarios/migration/inputs/timing.h"

namespace overlane::migration {
namespace {

constexpr const char* kHead = R"(# Durations of a migration

How long the components take that [`overlane migrate`](migrate.md) simulates, with the range in which the value is
plausible. `tools/write-docs` writes this page from `scenarios/migration/inputs/timing.cpp`, and a test fails when they
differ.

| parameter | value | range | meaning | source |
|---|---|---|---|---|
)";

}  // namespace

std::string timing_page() {
  const Timing defaults;
  std::string text = kHead;
  for (const TimingFact& fact : timing_facts()) {
    const std::string range =
        fact.least == fact.most
            ? "fixed"
            : fmt::format("{} to {}", duration_text(fact.least), duration_text(fact.most));
    text +=
        fmt::format("| `{}` | {} | {} | {} | {} |\n", fact.name,
                    duration_text(defaults.*fact.value), range, fact.meaning, fact.source.dated());
  }
  return text;
}

}  // namespace overlane::migration

// Datagrams during the switches of scenarios/library/incidents have the same results with all
// events and without those that a fast run (RunOptions::fast) leaves out.

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "scenarios/migration/actors/components.h"
#include "scenarios/migration/inputs/load.h"
#include "scenarios/migration/simulate.h"
#include "sim/run/run.h"
#include "sim/run/testing/random_run.h"

namespace overlane::migration {
namespace skipped_events_slow_test {

/// Nodes that send, and end of a run at the latest.
constexpr std::uint32_t kMaxSenders = 8;
constexpr Picos kMaxDuration = seconds(120);

/// Datagrams from each node to the next one and to the last one, every 10 ms.
std::vector<run::TrafficGroup> datagrams(const Transition& transition) {
  std::vector<run::PodPair> pairs;
  const std::uint32_t last = transition.nodes() - 1;
  const auto pod = [&](std::uint32_t node) {
    return run::PodEnd{node, transition.from.nodes[node].pods.front().address};
  };
  for (std::uint32_t node = 0; node < std::min(last, kMaxSenders); ++node) {
    pairs.push_back({pod(node), pod(node + 1)});
    pairs.push_back({pod(last), pod(node)});
  }
  return {{.name = "datagrams",
           .kind = model::TrafficKind::Udp,
           .pairs = std::move(pairs),
           .rate = {80'000},
           .payload_bytes = 100}};
}

/// The facts about what the fast run has left out.
model::SkipFacts compare(const Loaded& loaded, const Strategy& strategy) {
  const Transition& transition = loaded.transition;
  node::World start = world_at_start(transition, strategy);
  const run::Network network{.nodes = std::move(start.nodes),
                             .fabric = std::move(start.fabric),
                             .machines = std::vector<host::Machine>(transition.nodes())};
  run::RunOptions options{
      .duration = kMaxDuration, .actors = [&](std::uint64_t seed) {
        std::vector<std::unique_ptr<run::Actor>> actors;
        actors.push_back(std::make_unique<Components>(transition, strategy, loaded.timing, seed));
        return actors;
      }};
  const auto traffic = datagrams(transition);
  const run::Measurement full = run::testing::measure(network, traffic, options);
  options.fast = true;
  const run::Measurement fast = run::testing::measure(network, traffic, options);
  run::testing::expect_the_same(full, fast);
  EXPECT_EQ(run::testing::text_of(full), run::testing::text_of(fast));
  EXPECT_EQ(full.byte_path.checked, fast.byte_path.checked);
  EXPECT_EQ(full.traffic[0].interruptions, fast.traffic[0].interruptions);
  return fast.engine.skipped.value();
}

TEST(SkippedEvents, ChangeNoResultOfTheIncidents) {
  std::size_t incidents = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(source_file("scenarios/library/incidents"))) {
    if (file.path().extension() != ".yaml") continue;
    const auto loaded = load({.paths = {file.path().string()}});
    if (!loaded) continue;  // A Topology or a MigrationStrategy.
    ++incidents;
    std::int64_t spans = 0;
    for (const Strategy& strategy : loaded->strategies) {
      SCOPED_TRACE(file.path().stem().string() + ", " + strategy.name);
      spans += compare(*loaded, strategy).spans;
    }
    EXPECT_GT(spans, 0) << file.path();
  }
  EXPECT_EQ(incidents, 15u);
}

}  // namespace skipped_events_slow_test
}  // namespace overlane::migration

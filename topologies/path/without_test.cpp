#include "topologies/path/without.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/path/testing/clusters.h"

namespace overlane::path {

namespace without_test {

using effective::Provider;
using testing::Cluster;
using ::testing::HasSubstr;
using testing::kPlaces;
using testing::Mode;
using testing::modes;
using testing::on;

TEST(TakeOut, NamesTheClosestEntryOfOneThatIsNotThere) {
  Cluster cluster(on(Provider::Aws, graph::testing::ipip_shoot()));
  const auto typing_error = take_out(cluster.states, "tunl1", kPlaces);
  ASSERT_FALSE(typing_error);
  EXPECT_EQ(typing_error.error().rule, "no-such-entry");
  EXPECT_THAT(typing_error.error().hint, HasSubstr("'tunl0: ipip mtu 1480"));
  const auto several = take_out(cluster.states, "group shop-nodes", kPlaces);
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().message, HasSubstr("beginning of 2 entries of vpc"));
  EXPECT_FALSE(take_out(cluster.states, "node-1: 100.96.0.0", kPlaces)) << "no word ends there";
  EXPECT_FALSE(take_out(cluster.states, "", kPlaces));
}

TEST(TakeOut, TakesEveryEntryThatAStateCanDoWithout) {
  for (const Mode& mode : modes()) {
    const Cluster whole(mode.shoot);
    for (const node::NodeState& state : whole.states.nodes) {
      std::istringstream lines(to_string(state));
      for (std::string line; std::getline(lines, line);) {
        const bool is_heading = line.starts_with('#') || line.starts_with('*');
        const bool has_always_a_value = line.starts_with("net.ipv4.conf.all.rp_filter");
        Cluster cluster = whole;
        const auto changes = take_out(cluster.states, state.member().name + ": " + line, {});
        EXPECT_EQ(changes.has_value(), !is_heading && !has_always_a_value) << line;
        if (!changes) continue;
        EXPECT_THAT(*changes, ::testing::Contains(::testing::Field(&Change::line, "- " + line)));
      }
    }
  }
}

/// Expects that no decision made with the whole state holds without an entry, for each entry.
template <typename State, typename Editor>
void expect_changes(const State& whole, const std::vector<Entry<Editor>>& entries) {
  for (const Entry<Editor>& entry : entries) {
    State state = whole;
    Editor editor(state);
    entry.take_out(editor);
    EXPECT_FALSE(state.generation == whole.generation) << entry.line;
    EXPECT_TRUE(editor.take().any()) << entry.line;
  }
}

TEST(TakeOut, RaisesTheStatesGeneration) {
  for (const Mode& mode : modes()) {
    Cluster cluster(mode.shoot);
    for (const node::NodeState& state : cluster.states.nodes)
      expect_changes(state, entries_of(state));
    node::FabricState& fabric = cluster.states.fabric;
    fabric.dropped_protocols = {4};
    fabric.drops_disordered_fragments = true;
    fabric.instances[0].allowed = {IpPrefix::parse("100.64.0.0/16").value()};
    expect_changes(fabric, entries_of(fabric));
  }
}

}  // namespace without_test

}  // namespace overlane::path

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "dataplane/conformance/testing/case.h"
#include "dataplane/conformance/testing/difference.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/kernel/experiment/place.h"

namespace overlane::conformance {
namespace kernel_root_test {

using kernel::Place;
using testing::Case;

/// Next hops that are no members.
const std::vector<IpAddress> kStrangers{node::testing::ip("10.250.0.99"),
                                        node::testing::ip("fd00:10:250::99")};

struct Prepared {
  node::NodeState state;
  std::vector<reference::ByteOutcome> expected;
  kernel::Experiment experiment;
};

Prepared prepare(const Case& row) {
  Prepared prepared{.state = state_of(row)};
  node::NodeRuntime runtime;
  reference::HeldFragments fragments;
  std::vector<kernel::Injection> injections;
  Picos now;
  for (const testing::Arrival& arrival : row.arrivals) {
    now += arrival.silence.value_or(Picos{});
    prepared.expected.push_back(byte_outcome(prepared.state, runtime, fragments, arrival, now));
    const std::size_t sent = prepared.expected.back().sent.size();
    if (arrival.silence) {
      injections.push_back({.expected = static_cast<std::uint32_t>(sent),
                            .wait_ms = static_cast<std::uint32_t>(
                                arrival.silence->whole_nanoseconds() / 1'000'000)});
      continue;
    }
    injections.push_back(kernel::inject(prepared.state, arrival.packet, arrival.ingress, sent));
    injections.back().packet = bytes_of(prepared.state, arrival);
  }
  prepared.experiment = make_experiment(prepared.state, std::move(injections), kStrangers);
  return prepared;
}

/// The device kind that a row asks of a place.
std::string needs(const Case& row) {
  if (row.shape.encapsulation == Encapsulation::None) return "veth";
  return std::string(to_string(row.shape.encapsulation));
}

bool can(const kernel::Answer& answer, std::string_view ability) {
  const auto at = std::ranges::find(answer.abilities, ability, &kernel::Ability::name);
  return at != answer.abilities.end() && at->missing.empty();
}

TEST(Conformance, TheKernelDoesWhatEveryRowSays) {
  std::vector<Case> rows = testing::all_cases();
  std::erase_if(rows, [](const Case& row) { return !row.kernel_differs.empty(); });
  if (const char* wanted = std::getenv("OVERLANE_ROWS")) {
    std::erase_if(rows,
                  [&](const Case& row) { return row.sentence.find(wanted) == std::string::npos; });
  }
  std::vector<Prepared> all;
  kernel::Request request{.probe = true};
  for (const Case& row : rows) {
    all.push_back(prepare(row));
    request.experiments.push_back(all.back().experiment);
  }
  std::vector<int> judged(rows.size());
  std::string missing;
  for (const Place place : {Place::Namespaces, Place::UserModeLinux}) {
    const auto answer = ask(place, request, {KERNEL_NODE});
    if (!answer) missing += answer.error() + '\n';
    for (std::size_t i = 0; answer && i < rows.size(); ++i) {
      if (!can(*answer, needs(rows[i]))) continue;
      SCOPED_TRACE(rows[i].sentence + ", in " + std::string(to_string(place)));
      ++judged[i];
      if (!answer->outcomes[i]) {
        ADD_FAILURE() << answer->outcomes[i].error();
        continue;
      }
      for (std::size_t k = 0; k < all[i].expected.size(); ++k) {
        const testing::Arrival& arrival = rows[i].arrivals[k];
        // IPv6 drops are not counted where IPv4's are.
        const bool is_counted = arrival.counted && arrival.packet.inner.is_ipv4();
        EXPECT_EQ(
            difference(all[i].state, answer->outcomes[i]->at(k), all[i].expected[k], is_counted),
            "")
            << "packet " << k + 1 << ": " << arrival.lie;
      }
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (judged[i] == 0) missing += rows[i].sentence + ": no " + needs(rows[i]) + '\n';
  }
  RecordProperty("rows", static_cast<int>(rows.size()));
  if (!missing.empty()) GTEST_SKIP() << missing;
}

}  // namespace kernel_root_test
}  // namespace overlane::conformance

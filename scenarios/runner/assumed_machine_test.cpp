#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace assumed_machine_test {

std::string why_assumed(const Subject& subject, const char* parameter) {
  const auto found =
      std::ranges::find(subject.assumptions, parameter, &model::Assumption::parameter);
  return found == subject.assumptions.end() ? "not assumed" : found->source;
}

TEST(AssumedMachine, NamesTheMachineTypeWithoutKnownFigures) {
  const std::string manifest =
      std::string(OVERLANE_SOURCE_DIR) + "/topologies/library/manifests/shoot-aws.yaml";
  auto subject = load_subject({.manifests = {manifest}}, {}, {});
  ASSERT_TRUE(subject);
  const std::string type = subject->as_written.workers.at(0).machine_type;
  ASSERT_FALSE(type.empty());
  EXPECT_EQ(why_assumed(*subject, "machine.cores"),
            "machine type " + type + ": its cores are not known to Overlane");
  EXPECT_EQ(why_assumed(*subject, "machine.nic"),
            "machine type " + type + ": its NIC is not known to Overlane");
}

}  // namespace assumed_machine_test
}  // namespace overlane::runner

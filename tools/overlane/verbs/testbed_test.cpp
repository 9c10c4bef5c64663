#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace testbed_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Testbed, PrintsTheCommandsOfEveryNodeAndVariant) {
  const Answer answer =
      run_overlane("testbed print topologies/library/manifests/shoot-gcp.yaml --nodes 2");
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, AllOf(HasSubstr("# routed, "), HasSubstr("# ipip, "),
                                HasSubstr("ip link set tunl0 mtu 8876 up\n"),
                                HasSubstr("type vxlan id 4096 local ")));
}

TEST(Testbed, PrintsOneNodeOnRequest) {
  const std::string print = "testbed print topologies/library/manifests/shoot-gcp.yaml --nodes 2";
  const std::string all = run_overlane(print).out;
  const std::size_t begin = all.find(", ") + 2;
  const std::string node = all.substr(begin, all.find('\n') - begin);
  const Answer one = run_overlane(print + " --node " + node);
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr(", " + node + "\n"));
  EXPECT_LT(one.out.size(), all.size());
  const Answer none = run_overlane(print + " --node nobody");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("no variant has a node \"nobody\""));
}

TEST(Testbed, UsageErrorExitsWith2) {
  for (const char* arguments :
       {"testbed", "testbed nonsense", "testbed run", "testbed probe --place elsewhere",
        "testbed run x --nodes 33", "testbed execute"}) {
    const Answer answer = run_overlane(arguments);
    EXPECT_EQ(answer.exit_code, 2) << arguments;
    EXPECT_THAT(answer.out, IsEmpty()) << arguments;
    EXPECT_THAT(answer.err, StartsWith("overlane: error: ")) << arguments;
  }
}

TEST(Testbed, InnerCommandIsHidden) {
  EXPECT_THAT(run_overlane("testbed --help").out,
              AllOf(HasSubstr("probe"), Not(HasSubstr("REQUEST"))));
}

}  // namespace testbed_test
}  // namespace overlane::command

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/routing/bird_mesh.h"
#include "dataplane/kernel/testing/joined_namespaces.h"

namespace overlane::kernel {
namespace bird_mesh_root_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class BirdMeshOf : public testing::JoinedNamespaces {
 protected:
  std::string routes_near() const {
    const Inside inside(*near_);
    const auto shown = run_program({"ip", "route", "show"}, "");
    EXPECT_TRUE(shown) << shown.error();
    return shown->output;
  }
};

TEST_F(BirdMeshOf, TwoNodesWritesWhatNeedsNoTunnelAndKeepsItOverItsEnd) {
  if (!run_program({"bird", "--version"}, "")) GTEST_SKIP() << "BIRD is not installed";
  const IpPrefix subnet = *IpPrefix::parse("10.0.0.0/24");
  const IpPrefix near_pods = *IpPrefix::parse("100.96.1.0/24");
  const IpPrefix far_pods = *IpPrefix::parse("100.96.2.0/24");
  auto mesh = BirdMesh::start({{&*near_, "eth0", near_address_, subnet, far_address_, near_pods},
                               {&*far_, "eth0", far_address_, subnet, near_address_, far_pods}},
                              std::chrono::seconds(1));
  ASSERT_TRUE(mesh) << mesh.error();
  EXPECT_THAT(routes_near(), Not(HasSubstr("100.96.2.0/24"))) << "it has no tunnel to write";

  const auto written = mesh->write_routes(0, {far_pods});
  ASSERT_TRUE(written) << written.error();
  const std::string route = "100.96.2.0/24 via 10.0.0.2 dev eth0 proto bird";
  EXPECT_THAT(routes_near(), AllOf(HasSubstr(route), Not(HasSubstr("100.96.1.0/24"))));

  // The peer keeps the route for the restart time, and then withdraws it.
  mesh->end(1);
  EXPECT_FALSE(mesh->runs(1));
  EXPECT_THAT(routes_near(), HasSubstr(route));
  for (int i = 0; i < 100 && routes_near().find("100.96.2.0/24") != std::string::npos; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THAT(routes_near(), Not(HasSubstr("100.96.2.0/24")));
}

TEST_F(BirdMeshOf, ANodeKeepsItsRoutesAfterItsEndUntilTheyAreRemoved) {
  if (!run_program({"bird", "--version"}, "")) GTEST_SKIP() << "BIRD is not installed";
  const IpPrefix subnet = *IpPrefix::parse("10.0.0.0/24");
  const IpPrefix far_pods = *IpPrefix::parse("100.96.2.0/24");
  auto mesh = BirdMesh::start(
      {{&*near_, "eth0", near_address_, subnet, {}, *IpPrefix::parse("100.96.1.0/24")},
       {&*far_, "eth0", far_address_, subnet, {}, far_pods}},
      std::chrono::seconds(1));
  ASSERT_TRUE(mesh) << mesh.error();
  ASSERT_TRUE(mesh->write_routes(0, {far_pods}));
  mesh->end(0);
  EXPECT_THAT(routes_near(), HasSubstr("100.96.2.0/24"));
  ASSERT_TRUE(mesh->remove_routes(0));
  EXPECT_THAT(routes_near(), AllOf(Not(HasSubstr("100.96.2.0/24")), HasSubstr("10.0.0.0/24")));
}

}  // namespace bird_mesh_root_test
}  // namespace overlane::kernel

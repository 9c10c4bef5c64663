#include "dataplane/node/state/instance_owners.h"

#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"

namespace overlane::node {
namespace instance_owners_test {

using testing::ip;
using testing::net;

/// What InstanceOwners saves.
std::optional<std::uint32_t> first_owner(const FabricState& state, IpAddress address) {
  for (std::uint32_t i = 0; i < state.instances.size(); ++i)
    if (state.instances[i].owns(address)) return i;
  return std::nullopt;
}

TEST(InstanceOwners, FindsTheFirstInstanceThatOwnsAnAddress) {
  FabricState state;
  state.instances = {
      {.name = "a", .addresses = {ip("10.250.0.4"), ip("fd00::4")}},
      {.name = "b", .addresses = {ip("10.250.0.5")}, .prefixes = {net("100.96.1.0/24")}},
      {.name = "c", .addresses = {ip("100.96.1.7"), ip("10.250.0.4")}},
      {.name = "d", .addresses = {ip("100.96.2.9")}, .prefixes = {net("100.96.0.0/16")}},
      {.name = "e", .addresses = {ip("100.96.3.3")}, .prefixes = {net("fd00:1::/64")}},
  };
  const InstanceOwners owners(state);
  for (const char* address :
       {"10.250.0.4", "10.250.0.5", "10.250.0.6", "100.96.1.7", "100.96.1.8", "100.96.2.9",
        "100.96.3.3", "100.97.0.1", "fd00::4", "fd00:1::9", "fd00:2::9"})
    EXPECT_EQ(owners.find(ip(address)), first_owner(state, ip(address))) << address;
}

}  // namespace instance_owners_test
}  // namespace overlane::node

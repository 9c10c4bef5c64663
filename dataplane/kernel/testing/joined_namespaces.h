#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/net/address.h"

namespace overlane::kernel::testing {

/// Two namespaces joined by a veth pair: 10.0.0.1 near, 10.0.0.2 far.
class JoinedNamespaces : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(near_ && far_) << near_.error();
    run(*near_, {"link add eth0 type veth peer name eth0 netns world",
                 "address add 10.0.0.1/24 dev eth0", "link set eth0 up"});
    run(*far_, {"address add 10.0.0.2/24 dev eth0", "link set eth0 up"});
    ASSERT_TRUE(wait_until_running(*near_, "eth0"));
  }

  /// Runs `ip` with these arguments in one of the namespaces.
  void run(const NetworkNamespace& place, const std::vector<std::string>& lines) const {
    std::vector<Command> commands;
    for (const std::string& line : lines)
      commands.push_back({Program::Ip, line});
    configure(place, commands);
  }
  void configure(const NetworkNamespace& place, const std::vector<Command>& commands) const {
    const auto done = run_commands(commands, place, &place == &*near_ ? *far_ : *near_);
    ASSERT_TRUE(done) << done.error();
  }

  Parsed<NetworkNamespace> near_ = NetworkNamespace::make(), far_ = NetworkNamespace::make();
  IpAddress near_address_ = *IpAddress::parse("10.0.0.1");
  IpAddress far_address_ = *IpAddress::parse("10.0.0.2");
};

}  // namespace overlane::kernel::testing

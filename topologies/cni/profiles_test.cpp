#include "topologies/cni/profiles.h"

#include <set>

#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"

namespace overlane::cni {
namespace profiles_test {

TEST(Profiles, AreFoundByTypeAndAgent) {
  std::set<std::string_view> agent_names;
  for (const Profile* profile : profiles()) {
    EXPECT_EQ(find_profile(profile->type()), profile) << profile->type();
    EXPECT_EQ(&profile_of(profile->agent), profile) << profile->type();
    EXPECT_TRUE(agent_names.insert(profile->agent_name).second) << profile->agent_name;
  }
  EXPECT_EQ(find_profile("gardenet"), nullptr);
}

TEST(Profiles, HaveEverythingThatTheVerbsNeed) {
  for (const Profile* profile : profiles()) {
    SCOPED_TRACE(profile->type());
    EXPECT_FALSE(profile->extension->rules().empty());
    EXPECT_FALSE(profile->nodes->tunnels.empty());
    EXPECT_NE(profile->nodes->peer_routes, nullptr);
    EXPECT_NE(profile->nodes->add_devices, nullptr);
    EXPECT_FALSE(profile->live->kinds.empty());
    EXPECT_FALSE(profile->live->objects.empty());
    EXPECT_TRUE(profile->live->observe()->empty());
    EXPECT_FALSE(profile->live->rules().empty());
    EXPECT_NE(profile->decode_config, nullptr);
    EXPECT_FALSE(profile->run.scenario.empty());
  }
}

/// The NetworkConfig that only holds this patch is admitted.
TEST(Profiles, DecodeTheirOwnWireguardPatches) {
  for (const Profile* profile : profiles()) {
    for (const std::string_view patch : {profile->run.wireguard_on, profile->run.wireguard_off}) {
      const auto stream = document::parse(std::string(patch), "patch.yaml");
      document::Problems problems({.kind = "Network"});
      document::Fields root(stream.documents.at(0).root(), problems);
      profile->decode_config(root);
      EXPECT_FALSE(problems.any_error()) << profile->type() << ": " << patch;
    }
  }
}

}  // namespace profiles_test
}  // namespace overlane::cni

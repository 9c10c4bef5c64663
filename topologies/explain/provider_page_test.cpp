#include "topologies/explain/provider_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/effective/landscape.h"

namespace overlane::explain {
namespace provider_page_test {

using ::testing::HasSubstr;

TEST(ProviderPage, HasEveryProviderAndEverySetting) {
  const std::string page = provider_page();
  for (const provider::Profile* profile : provider::profiles())
    EXPECT_THAT(page, HasSubstr("| " + std::string(profile->name) + " | "));
  for (const effective::LandscapeSetting& setting : effective::landscape_settings())
    EXPECT_THAT(page, HasSubstr("| `" + setting.key + "` | "));
}

TEST(ProviderPage, GivesNumbersWithTheirSources) {
  const std::string page = provider_page();
  EXPECT_THAT(page, HasSubstr("| hcloud | 1450 | assumed: Hetzner Cloud documentation"));
  EXPECT_THAT(page, HasSubstr("| openstack | router | 512 (sapcc/helm-charts pull request 12242) | "
                              "256 (sapcc/helm-charts before pull request 12242) | 0 | together"));
  EXPECT_THAT(page, HasSubstr("| aws | ena | nic | 5 Gbit/s | "));
  EXPECT_THAT(page, HasSubstr("| openstack | virtio_net | virtio | "));
}

}  // namespace provider_page_test
}  // namespace overlane::explain

#include "topologies/explain/provider_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/effective/landscape.h"
#include "topologies/provider/machines/machine_types.h"

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
  EXPECT_THAT(page,
              HasSubstr("| openstack | router | 512 (sapcc/helm-charts "
                        "openstack/neutron/values.yaml (commit 14641da, 2026-08-21)) | 256 "
                        "(sapcc/helm-charts pull request 12242: before it (2026-07-13)) | 0 | "
                        "together"));
  EXPECT_THAT(page, HasSubstr("| aws | ena | nic | 5 Gbit/s | "));
  EXPECT_THAT(page, HasSubstr("| openstack | virtio_net | virtio | "));
}

TEST(ProviderPage, HasTheMachineTypesWithDocumentAndDate) {
  const std::string page = provider_page();
  for (const provider::MachineTable* table : provider::machine_tables()) {
    EXPECT_THAT(page, HasSubstr("\n### " + std::string(table->cloud) + "\n"));
    EXPECT_THAT(page, HasSubstr(fmt::format("Source: {}. ", table->source.dated())));
  }
  EXPECT_THAT(page, HasSubstr("\n| m5 | "));
  EXPECT_THAT(page, HasSubstr("large: 2 cores, 0.75 to 10 Gbit/s"));
  EXPECT_THAT(page, HasSubstr("\n| n2-\\*-\\<n> | 2 cores, 10 Gbit/s; 4 cores, 10 Gbit/s; "));
  EXPECT_THAT(page, HasSubstr("\n| Standard_D\\<n>s_v5 | 2 cores, 12.5 Gbit/s; "));
  EXPECT_THAT(page, HasSubstr("\n| g_c\\<n>_m8\\* | 2 cores |"));
  EXPECT_THAT(page, HasSubstr("2 cores, 2 to 10 Gbit/s, 900000 packets/s"));
}

}  // namespace provider_page_test
}  // namespace overlane::explain

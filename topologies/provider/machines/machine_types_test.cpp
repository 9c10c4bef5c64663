#include "topologies/provider/machines/machine_types.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "topologies/provider/profile.h"

namespace overlane::provider {

namespace machine_types_test {

bool is_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
         text.find_first_not_of("0123456789-") == text.npos;
}

TEST(MachineTables, HaveASourceADateAndAProviderOfTheirOwn) {
  std::set<std::string_view> providers;
  for (const MachineTable* table : machine_tables()) {
    SCOPED_TRACE(table->provider);
    EXPECT_TRUE(profile_of(table->provider).is_known());
    EXPECT_TRUE(providers.insert(table->provider).second);
    EXPECT_FALSE(table->cloud.empty());
    EXPECT_FALSE(table->source.empty());
    EXPECT_TRUE(is_date(table->source.date())) << table->source.date();
    EXPECT_FALSE(table->remark.empty());
    EXPECT_FALSE(table->types.empty());
  }
}

TEST(MachineTables, NameEachTypeOnce) {
  for (const MachineTable* table : machine_tables()) {
    std::set<std::string_view> names;
    for (const MachineType& type : table->types)
      EXPECT_TRUE(names.insert(type.name).second) << table->provider << ' ' << type.name;
  }
}

TEST(MachineTables, HaveFiguresThatAMachineCanHave) {
  for (const MachineTable* table : machine_tables())
    for (const MachineType& type : table->types) {
      SCOPED_TRACE(type.name);
      EXPECT_GE(type.cores, 1u);
      EXPECT_LE(type.threads_per_core, 2u);
      if (type.threads_per_core == 2) {
        EXPECT_EQ(type.cores % 2, 0u);
      }
      EXPECT_GE(type.burst_mbps, type.baseline_mbps);
      EXPECT_EQ(type.burst_mbps > 0, type.baseline_mbps > 0);
    }
}

TEST(MachineTypes, AreFoundByProviderAndName) {
  struct Row {
    const char* provider;
    const char* name;
    std::uint32_t cores;
    std::uint32_t threads_per_core;
    std::uint32_t baseline_mbps;
    std::uint32_t burst_mbps;
    std::uint32_t packets_per_second = 0;
  };
  for (const Row& row : {
           Row{"aws", "m5.large", 2, 2, 750, 10'000},
           Row{"aws", "m6i.2xlarge", 8, 2, 3'125, 12'500},
           Row{"aws", "c6gn.4xlarge", 16, 1, 25'000, 25'000},
           // Four network cards of 100 Gbit/s; a node has an interface on the first.
           Row{"aws", "p4d.24xlarge", 96, 2, 100'000, 100'000},
           Row{"gcp", "n2-standard-16", 16, 2, 32'000, 32'000},
           Row{"gcp", "n2-highmem-4", 4, 2, 10'000, 10'000},
           Row{"gcp", "e2-standard-4", 4, 2, 8'000, 8'000},
           Row{"gcp", "t2d-standard-8", 8, 1, 16'000, 16'000},
           Row{"gcp", "c3-standard-8-lssd", 8, 2, 23'000, 23'000},
           Row{"azure", "Standard_D4s_v5", 4, 2, 12'500, 12'500},
           Row{"azure", "Standard_D4s_v3", 4, 2, 2'000, 2'000},
           Row{"alicloud", "ecs.g7.xlarge", 4, 2, 3'000, 10'000, 1'000'000},
           Row{"alicloud", "ecs.g6.xlarge", 4, 2, 1'500, 5'000, 500'000},
           Row{"openstack", "g_c4_m16", 4, 0, 0, 0},
           Row{"openstack", "g_c4_m16_v2", 4, 0, 0, 0},
           Row{"hcloud", "cpx31", 4, 0, 0, 0},
           Row{"hcloud", "ccx33", 8, 2, 0, 0},
       }) {
    SCOPED_TRACE(row.name);
    const auto known = find_machine_type(row.provider, row.name);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->table->provider, row.provider);
    EXPECT_EQ(known->type.cores, row.cores);
    EXPECT_EQ(known->type.threads_per_core, row.threads_per_core);
    EXPECT_EQ(known->type.baseline_mbps, row.baseline_mbps);
    EXPECT_EQ(known->type.burst_mbps, row.burst_mbps);
    EXPECT_EQ(known->type.packets_per_second, row.packets_per_second);
  }
}

TEST(MachineTypes, OthersAreNotKnown) {
  struct Row {
    const char* provider;
    const char* name;
  };
  for (const Row& row :
       {Row{"aws", "m5.gigantic"}, Row{"aws", "n2-standard-16"}, Row{"aws", ""},
        Row{"gcp", "n2-standard-17"}, Row{"gcp", "n2-custom-16-65536"}, Row{"gcp", "n2--extra-16"},
        Row{"openstack", "g_c5_m16"}, Row{"metal", "m5.large"}, Row{"", "m5.large"}})
    EXPECT_FALSE(find_machine_type(row.provider, row.name)) << row.provider << ' ' << row.name;
}

}  // namespace machine_types_test

}  // namespace overlane::provider

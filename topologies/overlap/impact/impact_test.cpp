#include "topologies/overlap/impact/impact.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::overlap {
namespace consequence_test {

using effective::Provider;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Relation> all_relations() {
  std::vector<Relation> relations;
  for (const NetworkRelation network_relation :
       {NetworkRelation::OneRouteTable, NetworkRelation::OneNetwork, NetworkRelation::Connected,
        NetworkRelation::ConnectedForPods}) {
    relations.push_back({network_relation, true, true});
    relations.push_back({network_relation, false, true});
    relations.push_back({network_relation, false, false});
  }
  return relations;
}

TEST(Consequence, ExistsForEveryRuleAndProvider) {
  for (const rules::Rule& rule : rules()) {
    EXPECT_NE(fault(rule), "") << rule.id;
    if (!rule.id.starts_with("overlap-")) continue;
    EXPECT_EQ(std::string(fault(rule)) + '.', rule.title) << rule.id;
    for (const Provider provider :
         {Provider::Aws, Provider::Gcp, Provider::Azure, Provider::OpenStack, Provider::AliCloud,
          Provider::Metal, Provider::Local, Provider::Other})
      for (const Relation& relation : all_relations()) {
        const std::string text = consequence({&rule, rule.severity, relation.sure}, relation,
                                             provider, {"ONE"}, {"TWO"});
        EXPECT_NE(text, "") << rule.id;
        EXPECT_THAT(text, Not(HasSubstr("{"))) << rule.id;
      }
  }
}

TEST(Consequence, SaysWhoseTrafficIsAffected) {
  struct Said {
    const char* rule;
    Provider provider;
    RangeOwner a;
    RangeOwner b;
    const char* said;
  };
  const RangeOwner routed{"ONE", Role::Pods, DataplaneMode::Routed};
  const RangeOwner by_nodes{"TWO", Role::Pods, DataplaneMode::NodesAndRoutes};
  const RangeOwner overlay{"TWO", Role::Pods, DataplaneMode::Overlay};
  const Said rows[] = {
      {"overlap-routes-contested",
       Provider::OpenStack,
       routed,
       {"TWO", Role::Pods, DataplaneMode::Routed},
       "packets for pods of ONE and TWO are lost in turn"},
      {"overlap-routes-contested",
       Provider::Aws,
       routed,
       {"TWO", Role::Pods, DataplaneMode::Routed, true},
       "no routes to pods of TWO now (overlane explain says why); once they are written, both"},
      {"overlap-routes-contested", Provider::OpenStack, by_nodes, by_nodes,
       "except packets between pods of one shoot"},
      {"overlap-routes-contested", Provider::Aws, routed, by_nodes,
       "except packets between pods of TWO"},
      {"overlap-routes-contested",
       Provider::AliCloud,
       {"TWO", Role::Pods, DataplaneMode::OverlayAndRoutes},
       routed,
       "except packets between pods of TWO"},
      {"overlap-routes-capture-overlay", Provider::Gcp, routed, overlay,
       "its pods do not reach those of ONE, and replies to pods of TWO"},
      {"overlap-routes-capture-overlay", Provider::Gcp, overlay, routed,
       "its pods do not reach those of ONE, and replies to pods of TWO"},
      {"overlap-routes-over-hosts",
       Provider::Aws,
       {"TWO", Role::Nodes},
       routed,
       "nodes of ONE whose pod CIDR lies in addresses of TWO"},
      {"overlap-hosts-collide",
       Provider::Gcp,
       {"ONE", Role::Pods, DataplaneMode::ByInterface},
       {"TWO", Role::Pods, DataplaneMode::ByInterface},
       "a secondary one for pods"},
  };
  for (const Said& row : rows)
    EXPECT_THAT(consequence({&rule(row.rule)}, {NetworkRelation::OneRouteTable}, row.provider,
                            row.a, row.b),
                HasSubstr(row.said));
}

}  // namespace consequence_test
}  // namespace overlane::overlap

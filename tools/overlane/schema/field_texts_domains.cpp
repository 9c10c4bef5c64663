#include <array>

#include "tools/overlane/schema/field_texts.h"

namespace overlane::command {

std::span<const FieldText> routing_domains_texts() {
  static constexpr std::array kTexts = {
      FieldText{"spec", "What is declared; what is left out is not known."},
      FieldText{"spec.projects", "Accounts, projects and subscriptions."},
      FieldText{"spec.projects[]", "One of them."},
      FieldText{"spec.projects[].name", "A name of your own, for networks to refer to."},
      FieldText{"spec.projects[].provider", "The cloud that it is of."},
      FieldText{"spec.projects[].credentials",
                "The credentials bindings or secret bindings of shoots that lead into it."},
      FieldText{"spec.projects[].credentials[]", "namespace/name"},
      FieldText{"spec.networks", "Networks that shoots share, and what else is in them."},
      FieldText{"spec.networks[]", "A network; in several files it counts as one."},
      FieldText{"spec.networks[].provider", "The cloud; of others name a shoot."},
      FieldText{"spec.networks[].network",
                "The VPC's id (aws, alicloud), the network's name (gcp), the vnet's name (azure) "
                "or the router's id (openstack)."},
      FieldText{"spec.networks[].resourceGroup", "azure: the vnet's resource group."},
      FieldText{"spec.networks[].project",
                "The project of spec.projects that it is in; names of gcp and azure are one "
                "network's only within one."},
      FieldText{"spec.networks[].shoot",
                "Instead of all that: the network that this shoot is in, namespace/name."},
      FieldText{"spec.networks[].ranges",
                "Its real ranges: primary and secondary CIDRs, subnets of others than shoots."},
      FieldText{"spec.networks[].ranges[]", "A range."},
      FieldText{"spec.networks[].ranges[].cidr", "A network in CIDR notation, without host bits."},
      FieldText{"spec.networks[].ranges[].purpose", "What it is, for messages."},
      FieldText{"spec.networks[].routeQuota",
                "How many routes one table, network or router may hold; the provider's usual "
                "number by default."},
      FieldText{"spec.networks[].otherRoutes",
                "How many routes each table holds that lead to no shoot's node; the provider's own "
                "by default."},
      FieldText{"spec.networks[].foreignRoutes",
                "Those among its routes to no shoot's node whose destinations are known, beside "
                "otherRoutes: they count against the quota, and overlap with ranges of shoots."},
      FieldText{"spec.networks[].foreignRoutes[]", "A route."},
      FieldText{"spec.networks[].foreignRoutes[].destination",
                "Its destination in CIDR notation, without host bits."},
      FieldText{"spec.networks[].foreignRoutes[].purpose", "Whose it is, for messages."},
      FieldText{"spec.networks[].routeTables",
                "aws, azure, alicloud: tables that route subnets that were brought along."},
      FieldText{"spec.networks[].routeTables[]", "A route table."},
      FieldText{"spec.networks[].routeTables[].name", "Its id or name, for messages."},
      FieldText{"spec.networks[].routeTables[].subnets", "The subnets whose nodes it routes."},
      FieldText{"spec.networks[].routeTables[].subnets[]",
                "An id or name, as the shoot's infrastructureConfig gives it."},
      FieldText{"spec.connections",
                "What joins networks with each other, or with ranges beyond them."},
      FieldText{"spec.connections[]", "A connection."},
      FieldText{"spec.connections[].name", "A name of your own, for messages."},
      FieldText{"spec.connections[].kind",
                "What it is; a peering joins two networks and leads no further."},
      FieldText{"spec.connections[].carriesPodRoutes",
                "Whether routes to pods are announced over it; false by default."},
      FieldText{"spec.connections[].networks", "The networks at its ends."},
      FieldText{"spec.connections[].networks[]", "One of them."},
      FieldText{"spec.connections[].networks[].provider", "The cloud; of others name a shoot."},
      FieldText{"spec.connections[].networks[].network",
                "The VPC's id (aws, alicloud), the network's name (gcp), the vnet's name (azure) "
                "or the router's id (openstack)."},
      FieldText{"spec.connections[].networks[].resourceGroup", "azure: the vnet's resource group."},
      FieldText{"spec.connections[].networks[].project",
                "The project of spec.projects that it is in; names of gcp and azure are one "
                "network's only within one."},
      FieldText{"spec.connections[].networks[].shoot",
                "Instead of all that: the network that this shoot is in, namespace/name."},
      FieldText{"spec.connections[].ranges",
                "What else is reached over it, such as on-premises networks."},
      FieldText{"spec.connections[].ranges[]", "A range."},
      FieldText{"spec.connections[].ranges[].cidr",
                "A network in CIDR notation, without host bits."},
      FieldText{"spec.connections[].ranges[].purpose", "What it is, for messages."},
      FieldText{"spec.reserved", "Ranges that the landscape uses itself, in every network."},
      FieldText{"spec.reserved[]", "A range."},
      FieldText{"spec.reserved[].cidr", "A network in CIDR notation, without host bits."},
      FieldText{"spec.reserved[].purpose", "What it is, for messages."},
  };
  return kTexts;
}

}  // namespace overlane::command

#include "topologies/derive/testing/rule_row.h"

namespace overlane::derive::testing {

std::span<const RuleRow> migration_rule_rows() {
  const std::string dual_stack_network =
      "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Network\n"
      "metadata: {name: n, namespace: shoot--dev--one}\n"
      "spec: {type: calico, podCIDR: 100.96.0.0/11, serviceCIDR: 100.64.0.0/13, "
      "ipFamilies: [IPv4, IPv6], providerConfig: {overlay: {enabled: false}}}\n";
  static const RuleRow kRows[] = {
      {"§5.7",
       "families-not-configured",
       {.document = dual_stack_network + "status: {ipFamilies: [IPv4]}\n"},
       {.document = dual_stack_network + "status: {ipFamilies: [IPv4, IPv6]}\n"}},
      {"§5.7",
       "dual-stack-migration-running",
       {.families = "IPv4, IPv6",
        .status = "constraints: [{type: DualStackNodesMigrationReady, status: Progressing, "
                  "reason: NodesNotMigrated}]"},
       {.families = "IPv4, IPv6",
        .status = "constraints: [{type: DualStackNodesMigrationReady, status: 'True', "
                  "reason: NodesMigrated}]"}},
      {"§5.7",
       "dual-stack-migration-running",
       {.families = "IPv4",
        .status = "constraints: [{type: DualStackNodesMigrationReady, status: 'True', "
                  "reason: NodesMigrating}]"},
       {.families = "IPv4", .status = "constraints: []"}},
      {"§5.7",
       "dns-migration-running",
       {.families = "IPv4, IPv6",
        .status = "constraints: [{type: DNSServiceMigrationReady, status: Progressing, "
                  "reason: DNSServiceNotMigrated}]"},
       {.families = "IPv4, IPv6", .status = "constraints: []"}},
      {"§5.4",
       "clean-up-while-asleep",
       {.provider = "gcp", .spec = "hibernation: {enabled: true}", .live = true},
       {.provider = "gcp", .spec = "hibernation: {enabled: false}", .live = true}},
      {"§5.4",
       "no-clean-up-after-overlay",
       {.provider = "alicloud", .live = true},
       {.provider = "alicloud", .config = "overlay: {enabled: true}", .live = true},
       {}},
  };
  return kRows;
}

}  // namespace overlane::derive::testing

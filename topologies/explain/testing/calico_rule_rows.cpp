#include "topologies/explain/testing/rule_row.h"

namespace overlane::explain::testing {

std::span<const RuleRow> calico_rule_rows() {
  static const RuleRow kRows[] = {
      {"§1.3",
       "calico-without-kube-proxy",
       {.kubernetes = "kubeProxy: {enabled: false}"},
       {.kubernetes = "kubeProxy: {enabled: true}"}},
      {"§2.4",
       "mtu-too-large",
       {.config = "overlay: {enabled: true}, vethMTU: '1481'"},
       {.config = "overlay: {enabled: true}, vethMTU: '1480'"}},
      {"T5",
       "vxlan-left-over",
       {.config = "overlay: {enabled: false}, vxlan: {enabled: true}"},
       {}},
  };
  return kRows;
}

}  // namespace overlane::explain::testing

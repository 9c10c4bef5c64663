#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {

using document::Fields;

/// 23technologies/gardener-extension-provider-hcloud pkg/hcloud/apis/v1alpha1 and v1alpha2,
/// types_infrastructure.go: v1alpha2 has workersConfiguration beside the old workers.
void decode_hcloud(Fields& config, Infrastructure& out) {
  config.ignore({"floatingPoolName", "placementGroupQuantity"});
  Fields networks = config.fields("networks");
  Fields workers = networks.fields("workersConfiguration");
  out.workers_cidr = given_cidr(workers, "cidr");
  workers.ignore({"zone"});
  workers.warn_others();
  const Field<IpPrefix> old_workers = given_cidr(networks, "workers");
  if (!out.workers_cidr) out.workers_cidr = old_workers;
  networks.warn_others();
}

}  // namespace overlane::manifest

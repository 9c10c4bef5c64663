#include "topologies/manifest/infrastructure/decoders.h"

namespace overlane::manifest {

using document::Fields;

void decode_metal(Fields& config, Infrastructure& out) {
  out.partition = given_string(config, "partitionID");
  out.project = given_string(config, "projectID");
  Fields firewall = config.fields("firewall");
  out.firewall_networks = firewall.strings("networks");
  if (!out.partition) out.partition = given_string(firewall, "partition");
  firewall.ignore({"size", "image", "rateLimits", "egressRules", "initialRuleSet",
                   "logAcceptedConnections", "controllerVersion", "acceptlog", "partition",
                   "firewallHealthTimeout", "firewallCreateTimeout", "autoUpdateMachineImage"});
  firewall.warn_others();
}

}  // namespace overlane::manifest

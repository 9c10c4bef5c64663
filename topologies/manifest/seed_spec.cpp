#include "topologies/manifest/seed_spec.h"

#include "topologies/manifest/given_fields.h"

namespace overlane::manifest {

using document::Fields;

SeedSpec decode_seed(const document::Value& seed, document::Problems& problems) {
  SeedSpec read{.name = std::string(seed["metadata"]["name"].text()), .place = seed.place()};
  Fields root(seed, problems);
  Fields spec = root.fields("spec");
  Fields provider = spec.fields("provider");
  read.provider = given_string(provider, "type");
  read.region = given_string(provider, "region");
  Fields networks = spec.fields("networks");
  read.nodes = given_cidr(networks, "nodes");
  read.pods = given_cidr(networks, "pods");
  read.services = given_cidr(networks, "services");
  Fields defaults = networks.fields("shootDefaults");
  read.default_pods = given_cidr(defaults, "pods");
  read.default_services = given_cidr(defaults, "services");
  defaults.warn_others();
  read.ip_families = given_families(networks, "ipFamilies");
  networks.ignore({"blockCIDRs", "vpn"});
  networks.warn_others();
  return read;
}

}  // namespace overlane::manifest

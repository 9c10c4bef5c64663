#pragma once

#include "topologies/manifest/fields/located_fields.h"
#include "topologies/manifest/infrastructure/infrastructure.h"

namespace overlane::manifest {

/// Two decoders per provider: one reads all fields of its InfrastructureConfig and warns about
/// others; one reads the fields of an InfrastructureStatus that matter here.
void decode_aws(document::Fields& config, Infrastructure& out);
void observe_aws(document::Fields& status, ObservedInfrastructure& out);
void decode_gcp(document::Fields& config, Infrastructure& out);
void observe_gcp(document::Fields& status, ObservedInfrastructure& out);
void decode_azure(document::Fields& config, Infrastructure& out);
void observe_azure(document::Fields& status, ObservedInfrastructure& out);
void decode_openstack(document::Fields& config, Infrastructure& out);
void observe_openstack(document::Fields& status, ObservedInfrastructure& out);
void decode_alicloud(document::Fields& config, Infrastructure& out);
void observe_alicloud(document::Fields& status, ObservedInfrastructure& out);
void decode_metal(document::Fields& config, Infrastructure& out);
void decode_hcloud(document::Fields& config, Infrastructure& out);

/// `{enabled: …}`; ignores other fields.
Field<bool> given_switch(document::Fields& fields, std::string_view key,
                         std::initializer_list<std::string_view> others = {});
/// `{<inner>: …}`, a reference to an existing resource.
Field<std::string> given_reference(document::Fields& fields, std::string_view key,
                                   std::string_view inner,
                                   std::initializer_list<std::string_view> others = {});
/// Whether the block exists.
Field<bool> given_presence(document::Fields& fields, std::string_view key);
/// A list of `{id or name, purpose, zone, cidr}`.
std::vector<ObservedSubnet> observed_subnets(document::Fields& fields, std::string_view key);

}  // namespace overlane::manifest

#pragma once

#include "topologies/manifest/fields/given_fields.h"
#include "topologies/manifest/infrastructure/infrastructure.h"

namespace overlane::manifest {

/// One per provider. The first reads every field of its InfrastructureConfig and warns of others,
/// the second what it wants of an InfrastructureStatus.
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

/// `{enabled: …}`, with further fields that nobody reads.
Field<bool> given_switch(document::Fields& fields, std::string_view key,
                         std::initializer_list<std::string_view> others = {});
/// `{<inner>: …}`, a reference to something that exists.
Field<std::string> given_reference(document::Fields& fields, std::string_view key,
                                   std::string_view inner,
                                   std::initializer_list<std::string_view> others = {});
/// Whether the block is there at all.
Field<bool> given_presence(document::Fields& fields, std::string_view key);
/// A list of `{id or name, purpose, zone}`.
std::vector<ObservedSubnet> observed_subnets(document::Fields& fields, std::string_view key);

}  // namespace overlane::manifest

#pragma once

#include "topologies/document/fields/fields.h"
#include "topologies/domains/declarations.h"

namespace overlane::domains {

/// The name of a provider whose manifests name networks.
std::string decode_provider(document::Fields& fields);

/// "namespace/name", or an error; empty for an absent value.
std::string decode_qualified(const document::Value& value, document::Problems& problems);

/// Reads only the keys that name a network.
NetworkRef decode_ref(document::Fields& fields);

}  // namespace overlane::domains

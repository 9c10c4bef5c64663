#pragma once

#include "topologies/document/fields/fields.h"
#include "topologies/domains/declarations.h"

namespace overlane::domains {

/// A provider's name, of those whose networks manifests name.
std::string decode_provider(document::Fields& fields);

/// "namespace/name", or an error. Reads an absent value as nothing.
std::string decode_qualified(const document::Value& value, document::Problems& problems);

/// Reads the keys that name a network; others are left to the caller.
NetworkRef decode_ref(document::Fields& fields);

}  // namespace overlane::domains

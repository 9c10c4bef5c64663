#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::derive {

/// The network extensions that files describe, beside those that this program knows by itself.
using DeclarativeExtensions = std::vector<std::shared_ptr<const cni::NetworkExtension>>;

/// The one of this networking.type; nullptr if it is not known.
const cni::NetworkExtension* extension_of(std::string_view type,
                                          const DeclarativeExtensions& declarative);

/// Whether it is a document of kind NetworkProvider.
bool describes_network(const document::Tree& tree);
/// Takes the documents of kind NetworkProvider out of the stream and adds what they describe. What
/// is wrong with one, or a type that is known already, is a finding of the stream.
void take_network_providers(document::Stream& stream, DeclarativeExtensions& declarative);

}  // namespace overlane::derive

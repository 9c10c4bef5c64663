#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::derive {

/// The network types of NetworkProvider files, in addition to the coded ones (cni::profiles()).
using DeclarativeExtensions = std::vector<std::shared_ptr<const cni::NetworkExtension>>;

/// The extension of this networking.type; nullptr if none is known.
const cni::NetworkExtension* extension_of(std::string_view type,
                                          const DeclarativeExtensions& declarative);

/// Whether it is a document of kind NetworkProvider.
bool describes_network(const document::Tree& tree);
/// Removes the documents of kind NetworkProvider from the stream and adds their network types. An
/// invalid one, or one of a known type, becomes a finding of the stream.
void take_network_providers(document::Stream& stream, DeclarativeExtensions& declarative);

}  // namespace overlane::derive

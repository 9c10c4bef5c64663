#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "topologies/document/parse.h"
#include "topologies/effective/network_extension.h"

namespace overlane::explain {

/// The network extensions that files describe, beside those that this program knows by itself.
using DescribedExtensions = std::vector<std::shared_ptr<const effective::NetworkExtension>>;

/// The network extensions that this program knows by itself.
std::span<const effective::NetworkExtension* const> network_extensions();

/// The one of this networking.type; nullptr if it is not known.
const effective::NetworkExtension* extension_of(std::string_view type,
                                                const DescribedExtensions& described);

/// Whether it is a document of kind NetworkProvider.
bool describes_network(const document::Tree& tree);
/// Takes the documents of kind NetworkProvider out of the stream and adds what they describe. What
/// is wrong with one, or a type that is known already, is a finding of the stream.
void take_network_providers(document::Stream& stream, DescribedExtensions& described);

}  // namespace overlane::explain

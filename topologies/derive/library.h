#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "results/finding/result.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::derive {

/// The library's NetworkProvider file for a networking.type (topologies/library), which is linked
/// into the program; absent if there is none.
std::optional<std::string_view> library_network_provider(std::string_view type);

/// As document::read(). A path that does not exist may also name the network type of a library
/// NetworkProvider: "gardenet" reads "<library>/gardenet.yaml".
Result<document::Stream> read_manifests(const std::string& path, unsigned threads = 0);

}  // namespace overlane::derive

#pragma once

#include <string>
#include <string_view>

#include "topologies/document/fields.h"
#include "topologies/document/tree.h"

namespace overlane::spec {

inline constexpr std::string_view kApiVersion = "overlane.dev/v1alpha1";

/// The object a file of ours describes, for its findings.
ObjectName object_of(const document::Tree& tree);

/// Checks apiVersion and kind, and reads metadata.name (required). Counts all of them as known.
std::string decode_header(document::Fields& root, std::string_view kind);

/// The folder part of a path, with its slash; empty for a bare file name.
std::string folder_of(const std::string& file);

/// `path` as seen from the file that names it: absolute paths and "-" stay.
std::string relative_to(const std::string& file, const std::string& path);

}  // namespace overlane::spec

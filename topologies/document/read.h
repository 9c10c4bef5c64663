#pragma once

#include <string>

#include "results/finding/result.h"
#include "topologies/document/parse.h"

namespace overlane::document {

/// Reads a file, a folder (every .yaml, .yml and .json below it, in sorted order) or "-" (standard
/// input). Fails only if `path` itself cannot be read or the folder holds no such file; what is
/// wrong with a text is a finding in the Stream.
Result<Stream> read(const std::string& path);

/// The one document of a file (or "-"); more or fewer, or a refused one, is an error.
Result<Tree> read_one(const std::string& path);

}  // namespace overlane::document

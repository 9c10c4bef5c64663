#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/finding/result.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::document {

// A path is a file, a folder (every .yaml, .yml and .json below it, in sorted order; links to
// folders are not followed) or "-" (standard input). Reading fails only if `path` itself cannot be
// read or the folder holds no such file; what is wrong with a part of a folder or with a text is a
// finding. What is read does not depend on the number of threads (0: one per core). Pipes are read
// as files are; devices are not, and an input without an end is given up (`input-limit`).

/// Documents that follow each other in the input, or why there is none in a place.
using Group = std::vector<Result<Tree>>;

/// Hands on each document as soon as it is read, in order, on the calling thread. Memory is needed
/// for one document (a whole list, if it is one) and a few megabytes, as long as `visit` keeps
/// none.
Result<void> read_each(const std::string& path, const std::function<void(Result<Tree>)>& visit,
                       unsigned threads = 0);

/// The same, for those who have work of their own to do with documents: `work` gets a group of them
/// on any thread, beside others; what it returns is called in order on the calling thread.
using GroupWork = std::function<std::function<void()>(Group)>;
Result<void> read_groups(const std::string& path, const GroupWork& work, unsigned threads = 0);

/// All documents and findings of a path.
Result<Stream> read(const std::string& path, unsigned threads = 0);

/// The one document of a text; more, or a refused one, is an error.
Result<Tree> only_document(const Stream& stream);

/// The one document of a file (or "-"); more or fewer, or a refused one, is an error.
Result<Tree> read_one(const std::string& path);

}  // namespace overlane::document

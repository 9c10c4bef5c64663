#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::document {

// Reads files, folders and standard input into documents. Reading, parsing and decoding overlap:
// one thread reads blocks, several parse them, and results are delivered in the order of the
// input on the calling thread. Memory stays bounded if the caller keeps no document. Endless and
// huge inputs are refused with a finding.

/// The finding for a file or folder that cannot be opened or read.
Finding unreadable(const std::string& path, std::string message);

/// A file with manifests, or an unreadable part of the folder.
struct FolderEntry {
  std::string path;
  std::optional<Finding> problem;
};

/// Every .yaml, .yml and .json file below a folder, sorted by path. Links to folders are not
/// followed. Fails if the folder itself cannot be searched or holds no such file.
Result<std::vector<FolderEntry>> list_manifests(const std::string& folder);

// A path is a file, a folder (every .yaml, .yml and .json below it, in sorted order; links to
// folders are not followed) or "-" (standard input). Reading fails only if `path` itself cannot be
// read or the folder holds no such file; errors in a part of a folder or in a text are findings.
// The result does not depend on the number of threads (0: one per core). Pipes are read like files;
// devices are refused, and an endless input ends with the finding `input-limit`.

/// Receives the progress of long work, on the calling thread. `of` is the total, 0 if it is
/// unknown. May be empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t of)>;

/// Passes each document to `visit` as soon as it is read, in order, on the calling thread. Needs
/// memory for one document (one list with its items) and a few megabytes, if `visit` keeps none.
using Visit = std::function<void(Result<Tree>)>;
Result<void> read_each(const std::string& path, const Visit& visit, unsigned threads = 0,
                       const Progress& bytes = {});

/// All documents and findings of a path.
Result<Stream> read(const std::string& path, unsigned threads = 0, const Progress& bytes = {});

/// The only document of a text; an error if there are several or it was refused.
Result<Tree> only_document(const Stream& stream);

/// The only document of a file (or "-"); an error if there is none or several, or it was refused.
Result<Tree> read_one(const std::string& path);

}  // namespace overlane::document

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/read/read.h"

namespace overlane::topology_library {

// The library of NetworkProvider, Shoot and Topology files that is linked into the program
// (topologies/library). Wherever a command takes a path, the name of a library file works too if
// no such path exists.

/// The name and the text of a library file.
struct LibraryFile {
  std::string_view name;  ///< "shoot-aws.yaml"
  std::string_view text;
};

/// All library files, sorted by name within each folder.
std::span<const LibraryFile> library_files();

/// The library's NetworkProvider file for a networking.type (topologies/library), which is linked
/// into the program; absent if there is none.
std::optional<std::string_view> library_network_provider(std::string_view type);

/// The network type that a misspelt one is close to, of the coded CNIs and of the library; else
/// empty.
std::string_view meant_network_type(std::string_view type);

/// What to do about a network type that Overlane does not model: correct it, name the library's
/// file, or write one.
std::string describe_network_type(std::string_view type);

/// Reads a path as document::read() does. A path that does not exist may also name a
/// NetworkProvider or a Shoot of the library: "gardenet" reads "<library>/gardenet.yaml",
/// "shoot-aws" the example shoot.
Result<document::Stream> read_manifests(const std::string& path, unsigned threads = 0,
                                        const document::Progress& bytes = {});

/// The names of the files with this kind, such as "Shoot", without ".yaml".
std::vector<std::string> names_of_kind(std::string_view kind);

/// The names that read_manifests() accepts.
std::vector<std::string> manifest_names();

/// The hint for a path that does not exist and may be meant as one of these names of the library:
/// a file with a similar name in the same folder; else the closest name, if there is one, and all
/// of them. Empty for other paths.
std::string hint_for_missing(std::string_view path, const std::vector<std::string>& names);

/// Whether the library has a NetworkProvider or a Shoot of this name.
bool has_manifests(std::string_view name);

/// read_manifests() for a name inside another file: `path` is `name` relative to the folder of that
/// file.
Result<document::Stream> read_manifests_named(const std::string& name, const std::string& path,
                                              unsigned threads = 0,
                                              const document::Progress& bytes = {});

/// Reads a Topology file that another file names, as document::read_one() does: where `path` does
/// not exist, `name` may be that of a Topology of the library, such as "aws-two-zones".
Result<document::Tree> read_topology_named(const std::string& name, const std::string& path);

}  // namespace overlane::topology_library

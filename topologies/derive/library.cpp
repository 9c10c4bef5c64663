#include "topologies/derive/library.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "topologies/cni/profiles.h"
#include "topologies/document/fields/spelling.h"
#include "topologies/document/read/read.h"

namespace overlane::derive {
namespace {

struct LibraryFile {
  std::string_view name;
  std::string_view text;

  bool describes(std::string_view type) const {
    return name == fmt::format("{}.yaml", type) &&
           text.find("\nkind: NetworkProvider\n") != std::string_view::npos;
  }
};

constexpr LibraryFile kLibraryFiles[] = {
#include "topologies_derive_files.inc"
};

}  // namespace

std::optional<std::string_view> library_network_provider(std::string_view type) {
  const auto* file = std::ranges::find_if(
      kLibraryFiles, [&](const LibraryFile& one) { return one.describes(type); });
  return file == std::ranges::end(kLibraryFiles) ? std::nullopt : std::optional(file->text);
}

std::string_view meant_network_type(std::string_view type) {
  std::vector<std::string_view> types;
  for (const cni::Profile* cni : cni::profiles())
    types.push_back(cni->type());
  for (const LibraryFile& file : kLibraryFiles)
    if (const auto name = file.name.substr(0, file.name.rfind('.')); file.describes(name))
      types.push_back(name);
  return document::closest(type, types);
}

std::string describe_network_type(std::string_view type) {
  if (library_network_provider(type))
    return fmt::format("add the argument {}: the library has a NetworkProvider file of that name",
                       type);
  const std::string_view meant = meant_network_type(type);
  if (!meant.empty()) return fmt::format("did you mean {}?", meant);
  return "describe the network type in a NetworkProvider file and pass it together with the "
         "manifests";
}

Result<document::Stream> read_manifests(const std::string& path, unsigned threads) {
  return read_manifests_named(path, path, threads);
}

Result<document::Stream> read_manifests_named(const std::string& name, const std::string& path,
                                              unsigned threads) {
  std::error_code ignored;
  const auto provider = library_network_provider(name);
  if (provider && !std::filesystem::exists(path, ignored))
    return document::parse(*provider, fmt::format("<library>/{}.yaml", name));
  return document::read(path, threads);
}

}  // namespace overlane::derive

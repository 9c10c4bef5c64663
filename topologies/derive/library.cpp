#include "topologies/derive/library.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

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

Result<document::Stream> read_manifests(const std::string& path, unsigned threads) {
  std::error_code ignored;
  const auto provider = library_network_provider(path);
  if (provider && !std::filesystem::exists(path, ignored))
    return document::parse(*provider, fmt::format("<library>/{}.yaml", path));
  return document::read(path, threads);
}

}  // namespace overlane::derive

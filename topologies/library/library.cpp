#include "topologies/library/library.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/cni/profiles.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/read/reading_limit.h"

namespace overlane::topology_library {
namespace {

bool is_called(const LibraryFile& file, std::string_view name) {
  return file.name == fmt::format("{}.yaml", name);
}

bool has_kind(const LibraryFile& file, std::string_view kind) {
  return file.text.find(fmt::format("\nkind: {}\n", kind)) != std::string_view::npos;
}

/// The file's name without its extension.
std::string_view stem(const LibraryFile& file) {
  return file.name.substr(0, file.name.rfind('.'));
}

constexpr LibraryFile kLibraryFiles[] = {
#include "topologies_library_files.inc"
};

/// The library's file of this name and kind.
std::optional<std::string_view> library_file(std::string_view name, std::string_view kind) {
  const auto* file = std::ranges::find_if(kLibraryFiles, [&](const LibraryFile& one) {
    return is_called(one, name) && has_kind(one, kind);
  });
  return file == std::ranges::end(kLibraryFiles) ? std::nullopt : std::optional(file->text);
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// The library's NetworkProvider or Shoot of this name.
std::optional<std::string_view> manifests_called(std::string_view name) {
  const auto provider = library_file(name, "NetworkProvider");
  return provider ? provider : library_file(name, "Shoot");
}

/// The existing file or folder whose name is closest to a missing one in the same folder; empty if
/// none is similar.
std::string similar_file(const std::filesystem::path& missing) {
  std::vector<std::string> files;
  std::error_code error;
  const std::filesystem::path folder = missing.parent_path();
  for (std::filesystem::directory_iterator at(folder.empty() ? "." : folder, error), end;
       !error && at != end; at.increment(error))
    files.push_back(at->path().filename().string());
  std::ranges::sort(files);
  const std::vector<std::string_view> known(files.begin(), files.end());
  const std::string_view closest = document::closest(missing.filename().string(), known);
  return closest.empty() ? "" : (folder / closest).string();
}

}  // namespace

std::vector<std::string> names_of_kind(std::string_view kind) {
  std::vector<std::string> names;
  for (const LibraryFile& file : kLibraryFiles)
    if (has_kind(file, kind)) names.emplace_back(stem(file));
  return names;
}

std::span<const LibraryFile> library_files() {
  return kLibraryFiles;
}

std::optional<std::string_view> library_network_provider(std::string_view type) {
  return library_file(type, "NetworkProvider");
}

std::string_view meant_network_type(std::string_view type) {
  std::vector<std::string_view> types;
  for (const cni::Profile* cni : cni::profiles())
    types.push_back(cni->type());
  for (const LibraryFile& file : kLibraryFiles)
    if (has_kind(file, "NetworkProvider")) types.push_back(stem(file));
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

std::vector<std::string> manifest_names() {
  std::vector<std::string> names = names_of_kind("Shoot");
  std::ranges::copy(names_of_kind("NetworkProvider"), std::back_inserter(names));
  return names;
}

std::string hint_for_missing(std::string_view path, const std::vector<std::string>& names) {
  if (const std::string file = similar_file(path); !file.empty())
    return fmt::format("did you mean {}?", file);
  std::string_view word = path.substr(path.rfind('/') + 1);
  const bool is_bare = word == path && word.find('.') == word.npos;
  for (const std::string_view extension : {".yaml", ".yml", ".json"})
    if (word.ends_with(extension)) word.remove_suffix(extension.size());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view meant = document::closest(word, known);
  if (meant.empty() && !is_bare) return "";
  return fmt::format("{} {}",
                     meant.empty() ? "give the path of a file, or a name of the library:"
                                   : fmt::format("did you mean {}? The library has", meant),
                     fmt::join(names, ", "));
}

bool has_manifests(std::string_view name) {
  return manifests_called(name).has_value();
}

Result<document::Stream> read_manifests(const std::string& path, unsigned threads,
                                        const document::Progress& bytes) {
  return read_manifests_named(path, path, threads, bytes);
}

Result<document::Stream> read_manifests_named(const std::string& name, const std::string& path,
                                              unsigned threads, const document::Progress& bytes) {
  const auto known = manifests_called(name);
  if (known && !exists(path))
    return document::parse(*known, fmt::format("<library>/{}.yaml", name));
  auto stream = document::read(path, threads, bytes);
  if (!stream && path != "-" && !document::refused_by_reading_limit(path) && !exists(path))
    if (std::string hint = hint_for_missing(name, manifest_names()); !hint.empty())
      stream.error().hint = std::move(hint);
  return stream;
}

Result<document::Tree> read_topology_named(const std::string& name, const std::string& path) {
  if (exists(path) || document::refused_by_reading_limit(path)) return document::read_one(path);
  if (const auto known = library_file(name, "Topology"))
    return document::only_document(document::parse(*known, fmt::format("<library>/{}.yaml", name)));
  auto missing = document::read_one(path);
  if (!missing)
    missing.error().hint =
        fmt::format("give a path relative to the file that names it, or a name of the library: {}",
                    fmt::join(names_of_kind("Topology"), ", "));
  return missing;
}

}  // namespace overlane::topology_library

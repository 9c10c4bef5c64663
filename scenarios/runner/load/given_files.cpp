#include "scenarios/runner/load/given_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "scenarios/library/library.h"
#include "scenarios/spec/scenario.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/read/read.h"
#include "topologies/document/read/reading_limit.h"
#include "topologies/library/library.h"

namespace overlane::runner {
namespace {

/// The kind of a file's first document if its apiVersion is Overlane's; otherwise empty.
std::string own_kind(const document::Stream& stream) {
  if (stream.documents.empty()) return "";
  const document::Value root = stream.documents.front().root();
  return document::is_own_api_version(root["apiVersion"].text()) ? std::string(root["kind"].text())
                                                                 : "";
}

bool is_missing(const std::string& path) {
  std::error_code ignored;
  return path != "-" && !document::refused_by_reading_limit(path) &&
         !std::filesystem::exists(path, ignored);
}

std::string text_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// A file and, if it is a Scenario or a pipe, its text.
struct ReadFile {
  document::Stream stream;
  std::string text;
};

/// Reads a whole pipe, at most 64 MiB.
Result<std::string> piped(const std::string& path) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  std::ifstream stream(path, std::ios::binary);
  std::string text(kMaxBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() <= kMaxBytes) return text;
  return fail(Finding{.rule = "input-limit",
                      .message = "there are more than 64 MiB to read from a pipe",
                      .place = {path, 0, 0},
                      .hint = "save it as a file, or give manifests as standard input (-)"});
}

/// The library's Scenario of this name, unless such a path exists.
std::optional<std::string_view> library_scenario(const std::string& path) {
  if (!is_missing(path)) return std::nullopt;
  const auto text = library::find(path + ".yaml");
  const bool is_scenario = text && text->find("\nkind: Scenario\n") != text->npos;
  return is_scenario ? text : std::nullopt;
}

Result<ReadFile> read_file(const std::string& path) {
  if (auto refused = document::refused_by_reading_limit(path)) return fail(*std::move(refused));
  ReadFile file;
  if (const auto text = library_scenario(path)) {
    file.text = *text;
    file.stream = document::parse(*text, library::display_name(path + ".yaml"));
    return file;
  }
  if (std::filesystem::is_fifo(path)) {
    auto text = piped(path);
    if (!text) return fail(text.error());
    file.text = *std::move(text);
    file.stream = document::parse(file.text, path);
    return file;
  }
  auto stream = topology_library::read_manifests(path);
  if (!stream && is_missing(path)) {
    std::vector<std::string> names = library::names_of_kind("Scenario");
    std::ranges::move(topology_library::manifest_names(), std::back_inserter(names));
    if (std::string hint = topology_library::hint_for_missing(path, names); !hint.empty())
      stream.error().hint = std::move(hint);
  }
  if (!stream) return fail(stream.error());
  file.stream = *std::move(stream);
  if (own_kind(file.stream) == "Scenario") file.text = text_of(path);
  return file;
}

/// Rejects a Scenario on standard input or together with other paths. Without this check the
/// program would ignore it silently. In a folder, a Scenario is ignored like other files that are
/// not manifests.
Result<void> refuse_scenario(const std::string& path, const document::Stream& stream) {
  if (std::filesystem::is_directory(path) || own_kind(stream) != "Scenario") return {};
  const document::Tree& scenario = stream.documents.front();
  return fail(Finding{.rule = "unsupported-kind",
                      .message = path == "-" ? "a Scenario is not read from standard input"
                                             : "a Scenario is run by itself",
                      .object = document::object_of(scenario),
                      .path = "kind",
                      .place = scenario.root()["kind"].place(),
                      .hint = "give its file alone; it names its topology or manifests"});
}

}  // namespace

Outcome<Located> read_given(const std::vector<std::string>& paths) {
  const std::string& path = paths.front();
  if (paths.size() != 1 || path == "-" || std::filesystem::is_directory(path)) return {};
  auto file = read_file(path);
  if (!file) return unusable(file.error());
  document::Stream& stream = file->stream;
  const std::string kind = own_kind(stream);
  if (kind.empty()) return Located{.scenario = {}, .manifests = std::move(stream)};
  if (kind != "Scenario") {
    const document::Value root = stream.documents.front().root();
    const std::string_view use = document::hint_for_kind(kind);
    return unusable(
        Finding{.rule = "unsupported-kind",
                .severity = Severity::Error,
                .message = fmt::format("a {} cannot be run by itself", kind),
                .object = document::object_of(stream.documents.front()),
                .path = "kind",
                .place = root["kind"].place(),
                .hint = use.empty() ? document::closest_own_kind(kind) : std::string(use)});
  }
  if (any_at_or_above(stream.findings, Severity::Error)) return unusable(stream.findings);
  const auto tree = document::only_document(stream);
  if (!tree) return unusable(tree.error());
  return Located{GivenScenario{.text = std::move(file->text), .tree = *tree}, {}};
}

Outcome<document::Stream> read_named_manifests(const std::string& file,
                                               const std::vector<std::string>& names) {
  document::Stream all;
  for (const std::string& name : names) {
    const std::string path = spec::relative_to(file, name);
    auto stream = topology_library::read_manifests_named(name, path);
    if (!stream && is_missing(path) && !file.empty())
      stream.error().hint = fmt::format(
          "{} names it relative to its own folder: copy {} there as well, or write an absolute "
          "path or the name of a Shoot of the library, such as shoot-aws",
          file, std::filesystem::path(name).filename().string());
    if (!stream) return unusable(stream.error());
    all.append(*std::move(stream));
  }
  return all;
}

Outcome<document::Stream> read_manifests(const std::vector<std::string>& paths) {
  document::Stream manifests;
  for (const std::string& path : paths) {
    auto stream = topology_library::read_manifests(path);
    if (!stream) return unusable(stream.error());
    if (const auto alone = refuse_scenario(path, *stream); !alone) return unusable(alone.error());
    manifests.append(*std::move(stream));
  }
  return manifests;
}

}  // namespace overlane::runner

#include "topologies/document/read.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace overlane::document {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandardInput = "-";

tl::unexpected<Finding> unreadable(const std::string& path, std::string message, std::string hint) {
  return fail(Finding{.rule = "unreadable-file",
                      .message = std::move(message),
                      .place = {path, 0, 0},
                      .hint = std::move(hint)});
}

std::string slurp(std::istream& input) {
  return {std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
}

Result<Stream> read_file(const std::string& path) {
  std::ifstream input(path, std::ios::binary);
  if (!input) return unreadable(path, "the file cannot be opened", "check its permissions");
  const std::string text = slurp(input);
  if (input.bad()) return unreadable(path, "the file cannot be read", "check the disk");
  return parse(text, path);
}

bool is_manifest(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Result<Stream> read_folder(const std::string& path) {
  std::error_code error;
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(path, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    if (is_manifest(entry->path()) && entry->is_regular_file(error))
      files.push_back(entry->path().string());
  if (error)
    return unreadable(path, fmt::format("the folder cannot be searched: {}", error.message()),
                      "check its permissions");
  if (files.empty())
    return unreadable(path, "the folder holds no .yaml, .yml or .json file", "give another path");
  std::ranges::sort(files);
  Stream stream;
  for (const std::string& file : files) {
    Result<Stream> one = read_file(file);
    if (one)
      stream.append(*std::move(one));
    else
      stream.findings.push_back(std::move(one.error()));
  }
  return stream;
}

}  // namespace

Result<Stream> read(const std::string& path) {
  if (path == kStandardInput) return parse(slurp(std::cin), "<stdin>");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return unreadable(path, "there is no such file or folder", "check the path");
  return fs::is_directory(status) ? read_folder(path) : read_file(path);
}

Result<Tree> read_one(const std::string& path) {
  Result<Stream> stream = read(path);
  if (!stream) return fail(stream.error());
  if (!stream->findings.empty()) return fail(stream->findings.front());
  if (stream->documents.size() != 1)
    return fail(Finding{.rule = "too-many-documents",
                        .message = fmt::format("exactly one document is expected here, not {}",
                                               stream->documents.size()),
                        .place = stream->documents[1].root().place(),
                        .hint = "put the others into files of their own"});
  return stream->documents.front();
}

}  // namespace overlane::document

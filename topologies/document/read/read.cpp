#include "topologies/document/read/read.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/read/blocks.h"
#include "topologies/document/read/ordered_work.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/tree/source_text.h"

namespace overlane::document {

namespace {

namespace fs = std::filesystem;

bool is_manifest(const fs::path& path) {
  const auto extension = path.extension();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

/// Adds a folder's manifests to `found` and its subfolders to `deeper`. Returns the first error.
std::error_code search(const std::string& folder, std::vector<FolderEntry>& found,
                       std::vector<std::string>& deeper) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    std::error_code unknown;
    if (fs::is_directory(entry->symlink_status(unknown))) {
      deeper.push_back(path);
      continue;
    }
    if (!is_manifest(entry->path())) continue;
    const fs::file_status target = entry->status(unknown);
    if (fs::is_directory(target)) continue;
    FolderEntry manifest{.path = path};
    if (!fs::is_regular_file(target))
      manifest.problem =
          unreadable(path, unknown ? fmt::format("the file cannot be opened: {}", unknown.message())
                                   : "this is no regular file");
    found.push_back(std::move(manifest));
  }
  return error;
}

constexpr const char* kStandardInput = "-";

/// An open file.
class File {
 public:
  explicit File(const std::string& path)
      : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), error_(number_ < 0 ? errno : 0) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }
  int error() const { return error_; }

 private:
  int number_;
  int error_;
};

/// Inputs with more documents, list items included, are refused: each takes at least a kilobyte.
constexpr std::int64_t kMaxDocuments = 2'000'000;
constexpr std::string_view kDocuments = "2,000,000 documents and items of lists";
constexpr std::string_view kBytes = "4 GiB";
static_assert(kMaxInputBytes == std::int64_t{4} << 30);

Finding too_long(const std::string& name, std::string_view what) {
  return {.rule = "input-limit",
          .message = fmt::format("there are more than {} to read, so it is given up", what),
          .place = {name, 0, 0},
          .hint = "check that it is no device or stream without an end; give less at a time"};
}

/// Reads inputs sequentially, and their chunks in parallel.
class InputReader {
 public:
  InputReader(const Visit& visit, unsigned threads, const Progress& bytes)
      : visit_(visit), progress_(bytes), ordered_(threads) {}

  /// The size of all files that will be opened; 0 if it is unknown.
  void expect(std::uint64_t bytes) { expected_ = bytes; }

  Result<void> open_file(int file, const std::string& name) {
    struct stat about {};
    const bool known = ::fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    if (known && about.st_size > kMaxInputBytes) return fail(too_long(name, kBytes));
    BlockReader blocks(file, name);
    bool any = false;
    while (const auto block = blocks.next()) {
      bytes_ += block->text.text.size();
      if (progress_) progress_(bytes_, expected_);
      if (documents_ > kMaxDocuments) return fail(too_long(name, kDocuments));
      if (block->refusal) {
        refuse(*block->refusal);
        any = true;
        continue;
      }
      split_into_chunks(block->text, [&](Chunk chunk) {
        any = true;
        parse(std::move(chunk), block->bytes);
      });
    }
    if (blocks.is_too_long()) return fail(too_long(name, kBytes));
    if (!any) refuse(empty_file(name));
    return {};
  }

  void refuse(Finding finding) {
    ordered_.add([finding = std::move(finding)] { return finding; },
                 [this](Finding refusal) { visit_(fail(std::move(refusal))); });
  }

  /// `path` names the whole input in errors.
  Result<void> finish(const std::string& path) {
    ordered_.finish();
    if (documents_ > kMaxDocuments) return fail(too_long(path, kDocuments));
    return {};
  }

 private:
  void parse(Chunk chunk, std::shared_ptr<const ByteBuffer> bytes) {
    const std::string_view text = chunk.text.text;
    ordered_.add(
        [this, chunk = std::move(chunk)] {
          JsonTreeParser json;
          std::vector<Result<Tree>> documents;
          parse_chunk(chunk, json,
                      [&](Result<Tree> tree) { documents.push_back(std::move(tree)); });
          documents_ += static_cast<std::int64_t>(documents.size());
          return documents;
        },
        [this, bytes = std::move(bytes), text](std::vector<Result<Tree>> documents) {
          for (Result<Tree>& document : documents)
            visit_(std::move(document));
          bytes->drop(text);
        });
  }

  const Visit& visit_;
  const Progress& progress_;
  std::uint64_t bytes_ = 0;                  ///< Read so far.
  std::uint64_t expected_ = 0;               ///< Bytes of all files.
  std::atomic<std::int64_t> documents_ = 0;  ///< Parsed so far.
  OrderedWork ordered_;
};

/// Pipes and terminals are read like files.
bool is_device(int file) {
  struct stat about {};
  if (::fstat(file, &about) != 0) return false;
  return S_ISBLK(about.st_mode) || (S_ISCHR(about.st_mode) && ::isatty(file) == 0);
}

Result<void> read_file(const std::string& path, InputReader& reading) {
  const File file(path);
  if (file.error() != 0)
    return fail(unreadable(path, fmt::format("the file cannot be opened: {}",
                                             std::generic_category().message(file.error()))));
  if (is_device(file.number())) return fail(unreadable(path, "this is a device, and no file"));
  return reading.open_file(file.number(), path);
}

/// Bytes of a file; 0 if that is unknown.
std::uint64_t size_of(const std::string& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  return unknown ? 0 : size;
}

Result<void> read_folder(const std::string& path, InputReader& reading) {
  auto entries = list_manifests(path);
  if (!entries) return fail(std::move(entries.error()));
  std::uint64_t size = 0;
  for (const FolderEntry& entry : *entries)
    if (!entry.problem) size += size_of(entry.path);
  reading.expect(size);
  for (const FolderEntry& entry : *entries) {
    if (entry.problem) {
      reading.refuse(*entry.problem);
    } else if (auto read = read_file(entry.path, reading); !read) {
      reading.refuse(std::move(read.error()));
    }
  }
  return {};
}

Result<void> read_path(const std::string& path, InputReader& reading) {
  if (path.empty()) return fail(unreadable("\"\"", "an empty path names no file or folder"));
  if (path == kStandardInput) {
    return reading.open_file(STDIN_FILENO, "<stdin>");
  }
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return fail(unreadable(path, "there is no such file or folder"));
  if (std::filesystem::is_directory(status)) return read_folder(path, reading);
  reading.expect(size_of(path));
  return read_file(path, reading);
}

}  // namespace

Finding unreadable(const std::string& path, std::string message) {
  return {.rule = "unreadable-file",
          .message = std::move(message),
          .place = {path, 0, 0},
          .hint = "check the path and its permissions"};
}

Result<std::vector<FolderEntry>> list_manifests(const std::string& folder) {
  std::vector<FolderEntry> found;
  std::vector<std::string> folders{folder};
  while (!folders.empty()) {
    const std::string next = std::move(folders.back());
    folders.pop_back();
    const std::error_code error = search(next, found, folders);
    if (!error) continue;
    Finding problem =
        unreadable(next, fmt::format("the folder cannot be searched: {}", error.message()));
    if (next == folder && found.empty()) return fail(std::move(problem));
    found.push_back({next, std::move(problem)});
  }
  if (found.empty())
    return fail(unreadable(folder, "the folder holds no .yaml, .yml or .json file"));
  std::ranges::sort(found, {}, &FolderEntry::path);
  return found;
}

Result<void> read_each(const std::string& path, const Visit& visit, unsigned threads,
                       const Progress& bytes) {
  InputReader reading(visit, threads, bytes);
  const auto read = read_path(path, reading);
  const auto finished = reading.finish(path);
  return read ? finished : read;
}

Result<Stream> read(const std::string& path, unsigned threads, const Progress& bytes) {
  Stream stream;
  auto read = read_each(
      path, [&](Result<Tree> document) { stream.add(std::move(document)); }, threads, bytes);
  if (!read) return fail(std::move(read.error()));
  return stream;
}

Result<Tree> only_document(const Stream& stream) {
  if (!stream.findings.empty()) return fail(stream.findings.front());
  if (stream.documents.size() != 1)
    return fail(Finding{.rule = "too-many-documents",
                        .message = fmt::format("exactly one document is expected here, not {}",
                                               stream.documents.size()),
                        .place = stream.documents[1].root().place(),
                        .hint = "put the others into files of their own"});
  return stream.documents.front();
}

Result<Tree> read_one(const std::string& path) {
  const Result<Stream> stream = read(path);
  return stream ? only_document(*stream) : fail(stream.error());
}

}  // namespace overlane::document

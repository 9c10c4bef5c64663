#include "topologies/document/read/read.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "results/finding/finding.h"
#include "topologies/document/read/ordered_work.h"
#include "topologies/document/read/reading_limit.h"
#include "topologies/document/syntax/cut.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/document/tree/tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

// Reads an open file in blocks that end between documents, so that each block can be parsed
// alone. The bytes of a block are shared by all parsed parts and returned to the system early if
// they are many. One BlockReader is used by one thread; the file must stay open while it is
// used.

/// Maximum size of a document; larger ones (a list with all its items) are refused.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{512} << 20;

/// Maximum number of bytes read from an input, which may be endless. A landscape of 80,000 shoots,
/// as printed by kubectl, has a gigabyte.
inline constexpr std::int64_t kMaxInputBytes = std::int64_t{4} << 30;

/// A byte buffer that grows in place if the system can.
class ByteBuffer {
 public:
  std::string_view text() const { return {bytes_.get(), size_}; }
  std::span<char> bytes() { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }
  /// Space for `more` bytes after the end; `grow` adds them to the text.
  char* room(std::size_t more);
  void grow(std::size_t more) { size_ += more; }
  void truncate(std::size_t size) { size_ = size; }
  void append(std::string_view text);
  /// In a large buffer, returns the memory of `part` to the system. Neither the part nor the bytes
  /// before it may be read afterwards.
  void drop(std::string_view part) const;

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

/// Reads an open file in blocks of whole documents: of about a megabyte, or one large document.
/// Removes the byte order mark and replaces lone carriage returns by line feeds.
class BlockReader {
 public:
  BlockReader(int file, const std::string& name);

  struct Block {
    std::shared_ptr<const ByteBuffer> bytes;
    TextPart text;
    std::optional<Finding> refusal;  ///< Set instead of `text` if reading failed or the document is
                                     ///< too large.
  };
  /// The next block; nullopt at the end of the file, after a read error, or after kMaxInputBytes.
  std::optional<Block> next();
  /// Whether the file exceeds kMaxInputBytes.
  bool is_too_long() const { return read_ > kMaxInputBytes; }

 private:
  bool read_more(ByteBuffer& bytes);
  std::optional<Finding> fill(ByteBuffer& bytes);
  void skip_document(ByteBuffer& bytes);
  void cut(ByteBuffer& bytes, std::size_t end);

  int file_;
  Origin origin_;
  ByteBuffer left_;    ///< The beginning of the next block, already read.
  bool plain_ = true;  ///< Whether all bytes so far are is_plain().
  bool at_start_ = true;
  bool at_end_ = false;
  int error_ = 0;
  std::int64_t read_ = 0;  ///< Number of bytes read so far.
  std::int64_t size_ = 0;  ///< Size of the file in bytes; 0: unknown.
};

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
/// A marker that begins in one read and ends in the next: "\n---" and the blank after it.
constexpr std::size_t kMarkerBytes = 5;

/// Smallest buffer for which the kernel gets advice about its pages.
constexpr std::size_t kLarge = 4 * kBlockBytes;

/// Gives the kernel advice about the pages wholly within `bytes`, from the page of `begin` to the
/// last one that ends at or before `end`. The kernel may ignore the advice.
void advise(std::span<const char> bytes, const char* begin, const char* end, int what) {
  static const auto kPageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto page = [](const char* at) {
    return reinterpret_cast<std::uintptr_t>(at) / kPageBytes;
  };
  const std::uintptr_t first = std::max(page(begin), page(bytes.data() - 1) + 1);
  if (page(end) > first)
    ::madvise(reinterpret_cast<void*>(first * kPageBytes), (page(end) - first) * kPageBytes, what);
}

}  // namespace

char* ByteBuffer::room(std::size_t more) {
  if (size_ + more > capacity_) {
    capacity_ = std::max(size_ + more, capacity_ + capacity_ / 2);
    char* grown = static_cast<char*>(std::realloc(bytes_.get(), capacity_));
    if (grown == nullptr) throw std::bad_alloc();
    static_cast<void>(bytes_.release());
    bytes_.reset(grown);
    if (capacity_ >= kLarge) advise({grown, capacity_}, grown, grown + capacity_, MADV_HUGEPAGE);
  }
  return bytes_.get() + size_;
}

void ByteBuffer::append(std::string_view text) {
  if (text.empty()) return;
  std::memcpy(room(text.size()), text.data(), text.size());
  grow(text.size());
}

void ByteBuffer::drop(std::string_view part) const {
  if (size_ < kLarge || part.empty()) return;
  advise({bytes_.get(), size_}, part.data(), part.data() + part.size(), MADV_DONTNEED);
}

BlockReader::BlockReader(int file, const std::string& name) : file_(file), origin_({name}) {
  struct stat about {};
  if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode)) size_ = about.st_size;
}

std::optional<BlockReader::Block> BlockReader::next() {
  auto bytes = std::make_shared<ByteBuffer>(std::exchange(left_, {}));
  Block block{.refusal = fill(*bytes)};
  if (!block.refusal && bytes->size() == 0) return std::nullopt;
  if (!plain_ && has_lone_carriage_return(bytes->text()))
    replace_lone_carriage_returns(bytes->bytes());
  std::string_view text = bytes->text();
  if (std::exchange(at_start_, false) && text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  block.text = {text, origin_, plain_};
  if (!at_end_) origin_ = origin_.after(text);
  block.bytes = std::move(bytes);
  return block;
}

bool BlockReader::read_more(ByteBuffer& bytes) {
  if (at_end_) return false;
  ssize_t count = 0;
  do {
    count = ::read(file_, bytes.room(kBlockBytes), kBlockBytes);
  } while (count < 0 && errno == EINTR);
  if (count < 0) error_ = errno;
  read_ += std::max<ssize_t>(count, 0);
  at_end_ = count <= 0 || is_too_long();
  if (at_end_) return false;
  const auto fresh = static_cast<std::size_t>(count);
  plain_ = plain_ && is_plain({bytes.room(0), fresh});  // Checked now because the bytes are in the
                                                        // cache.
  bytes.grow(fresh);
  return true;
}

std::optional<Finding> BlockReader::fill(ByteBuffer& bytes) {
  std::size_t searched = 0;
  while (true) {
    const std::size_t before = bytes.size();
    while (bytes.size() < before + kBlockBytes && read_more(bytes)) {
    }
    if (error_ != 0) {
      bytes.truncate(0);
      return Finding{
          .rule = "unreadable-file",
          .message = fmt::format("the file cannot be read: {}",
                                 std::generic_category().message(std::exchange(error_, 0))),
          .place = {origin_.file, 0, 0},
          .hint = "check the path and the disk"};
    }
    if (at_end_) return std::nullopt;
    const auto end = last_document_start(bytes.text().substr(searched));
    if (end != std::string_view::npos) {
      cut(bytes, searched + end);
      return std::nullopt;
    }
    // Detects a large binary file without reading all of it.
    if (!plain_ && bytes.text().find('\0', searched) != std::string_view::npos) {
      auto finding = check_encoding(bytes.text(), origin_);
      skip_document(bytes);
      return finding;
    }
    if (bytes.size() > kMaxDocumentBytes) {
      const Finding finding =
          Refusal{
              "document-limit",
              fmt::format("the document that starts here has more than {} MiB, so it is refused",
                          kMaxDocumentBytes >> 20),
              "split it into files or by `---` lines", 0}
              .finding("", origin_);
      skip_document(bytes);
      return finding;
    }
    searched = bytes.size() - std::min(bytes.size(), kMarkerBytes);
    // Reserve the rest of the file at once, so that the buffer is not moved when it grows.
    if (size_ > read_)
      bytes.room(std::min(static_cast<std::size_t>(size_ - read_), kMaxDocumentBytes));
  }
}

/// Skips a document that is too large, counting its lines.
void BlockReader::skip_document(ByteBuffer& bytes) {
  while (true) {
    const auto end = last_document_start(bytes.text());
    if (end != std::string_view::npos) return cut(bytes, end);
    const std::size_t kept = std::min(bytes.size(), kMarkerBytes);
    const std::string tail(bytes.text().substr(bytes.size() - kept));
    origin_ = origin_.after(bytes.text().substr(0, bytes.size() - kept));
    bytes.truncate(0);
    bytes.append(tail);
    if (!read_more(bytes)) return;
  }
}

void BlockReader::cut(ByteBuffer& bytes, std::size_t end) {
  left_.append(bytes.text().substr(end));
  bytes.truncate(end);
}

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

/// Maximum number of documents and list items; inputs with more are refused, as each takes at least
/// a kilobyte of memory.
constexpr std::int64_t kMaxDocuments = 2'000'000;
constexpr std::string_view kDocuments = "2,000,000 documents and items of lists";
constexpr std::string_view kBytes = "4 GiB";
static_assert(kMaxInputBytes == std::int64_t{4} << 30);

Finding too_long(const std::string& name, std::string_view what) {
  return {.rule = "input-limit",
          .message = fmt::format("there are more than {} to read: reading stops", what),
          .place = {name, 0, 0},
          .hint = "check that it is no device or endless stream; give fewer or smaller files"};
}

/// Reads inputs sequentially, and their chunks in parallel.
class InputReader {
 public:
  InputReader(const Visit& visit, unsigned threads, const Progress& bytes)
      : visit_(visit), progress_(bytes), ordered_(threads) {}

  /// Sets the size of all files that will be opened; 0 if it is unknown.
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
  std::uint64_t bytes_ = 0;                  ///< Bytes read so far.
  std::uint64_t expected_ = 0;               ///< Size of all files in bytes; 0: unknown.
  std::atomic<std::int64_t> documents_ = 0;  ///< Documents parsed so far.
  OrderedWork ordered_;
};

/// Whether the input is a device other than a terminal. Pipes and terminals are read like files.
bool is_device(int file) {
  struct stat about {};
  if (::fstat(file, &about) != 0) return false;
  return S_ISBLK(about.st_mode) || (S_ISCHR(about.st_mode) && ::isatty(file) == 0);
}

Result<void> read_file(const std::string& path, InputReader& reading) {
  if (auto refused = refused_by_reading_limit(path)) return fail(*std::move(refused));
  const File file(path);
  if (file.error() != 0)
    return fail(unreadable(path, fmt::format("the file cannot be opened: {}",
                                             std::generic_category().message(file.error()))));
  if (is_device(file.number())) return fail(unreadable(path, "this is a device, and no file"));
  return reading.open_file(file.number(), path);
}

/// Size of a file in bytes; 0 if it is unknown.
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
  if (auto refused = refused_by_reading_limit(path)) return fail(*std::move(refused));
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

#include "topologies/document/read/blocks.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/source_text.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
/// A marker that begins in one read and ends in the next: "\n---" and the blank after it.
constexpr std::size_t kMarkerBytes = 5;

/// For less, the kernel is not asked for anything special.
constexpr std::size_t kLarge = 4 * kBlockBytes;

/// Tells the kernel what to do with the pages from the one that `begin` is in, of those that are
/// wholly within `bytes`, to the last that ends by `end`. It may do nothing.
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
  plain_ = plain_ && is_plain({bytes.room(0), fresh});  // While it is in the cache.
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
    // Reserve the rest of the file at once, so that growth does not move it.
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

}  // namespace overlane::document

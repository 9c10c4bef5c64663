#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "results/finding/finding.h"
#include "topologies/document/syntax/cut.h"

namespace overlane::document {

// Reads an open file in blocks that end between documents, so that each block can be parsed
// alone. The bytes of a block are shared by all parsed parts and returned to the system early if
// they are many. One BlockReader is used by one thread; the file must stay open while it is
// used.

/// Larger documents (a list with all its items) are refused.
inline constexpr std::size_t kMaxDocumentBytes = std::size_t{512} << 20;

/// Only this many bytes of an input are read, since it may be endless. A gigabyte is a landscape of
/// 80,000 shoots as kubectl prints them.
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
    std::optional<Finding> refusal;  ///< Instead of a text: reading failed, or it is too large.
  };
  /// Nothing at the end of the file, after a read error, or after kMaxInputBytes.
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
  bool plain_ = true;  ///< All bytes so far are is_plain().
  bool at_start_ = true;
  bool at_end_ = false;
  int error_ = 0;
  std::int64_t read_ = 0;  ///< Bytes, so far.
  std::int64_t size_ = 0;  ///< Bytes of the file; 0: unknown.
};

}  // namespace overlane::document

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

/// A document of more bytes than this (a list with all its items) is refused.
inline constexpr std::size_t kMaximumDocumentBytes = std::size_t{512} << 20;

/// And of an input that has more only the first bytes are read: it may have no end. A gigabyte is a
/// landscape of 80,000 shoots as kubectl prints them.
inline constexpr std::int64_t kMaximumInputBytes = std::int64_t{4} << 30;

/// Bytes that grow in place where the system can.
class ByteBuffer {
 public:
  std::string_view text() const { return {bytes_.get(), size_}; }
  std::span<char> bytes() { return {bytes_.get(), size_}; }
  std::size_t size() const { return size_; }
  /// Room for `more` bytes behind the end, which `grow` then takes in.
  char* room(std::size_t more);
  void grow(std::size_t more) { size_ += more; }
  void truncate(std::size_t size) { size_ = size; }
  void append(std::string_view text);
  /// Of a large buffer: gives the memory of a part of it back to the system. Nobody may read it any
  /// more, nor what stands before it.
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
/// The byte order mark is left out and carriage returns that are alone become line ends.
class BlockReader {
 public:
  BlockReader(int file, const std::string& name);

  struct Block {
    std::shared_ptr<const ByteBuffer> bytes;
    TextPart text;
    std::optional<Finding> refusal;  ///< Instead of a text: reading failed, or it is too large.
  };
  /// Nothing at the end of the file, after reading failed, or behind kMaximumInputBytes.
  std::optional<Block> next();
  /// Whether the file has more than is read of any.
  bool is_too_long() const { return read_ > kMaximumInputBytes; }

 private:
  bool read_more(ByteBuffer& bytes);
  std::optional<Finding> fill(ByteBuffer& bytes);
  void skip_document(ByteBuffer& bytes);
  void cut(ByteBuffer& bytes, std::size_t end);

  int file_;
  Origin origin_;
  ByteBuffer left_;    ///< Read already: the beginning of the next block.
  bool plain_ = true;  ///< All that was read so far is_plain().
  bool at_start_ = true;
  bool at_end_ = false;
  int error_ = 0;
  std::int64_t read_ = 0;  ///< Bytes, so far.
  std::int64_t size_ = 0;  ///< Of the file; 0: not known.
};

}  // namespace overlane::document

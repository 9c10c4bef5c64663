#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "results/finding/finding.h"

namespace overlane::capture {

/// The file that a capture is written to. Remembers the first write that failed.
class OutputFile {
 public:
  /// Creates or empties it. Fails with the file's name when that is impossible.
  static Result<OutputFile> create(const std::string& path);

  void append(std::span<const std::uint8_t> bytes);

  /// Makes sure that everything arrived, or says what did not. No append() after it.
  Result<void> close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  OutputFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  int failure_ = 0;  ///< The errno of the first write that failed.
};

/// Captures are written little-endian on every machine.
template <std::size_t count>
std::array<std::uint8_t, count * 4> little_endian(const std::array<std::uint32_t, count>& words) {
  std::array<std::uint8_t, count * 4> bytes{};
  for (std::size_t at = 0; at < bytes.size(); ++at)
    bytes[at] = static_cast<std::uint8_t>(words[at / 4] >> at % 4 * 8);
  return bytes;
}

}  // namespace overlane::capture

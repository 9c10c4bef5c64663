#include "dataplane/capture/output_file.h"

#include <cassert>
#include <cerrno>
#include <cstring>

namespace overlane::capture {
namespace {

Finding cannot_write(const std::string& path, int failure) {
  return {.rule = "unwritable", .message = std::strerror(failure), .place = {.file = path}};
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return fail(cannot_write(path, errno));
  return OutputFile(path, file);
}

void OutputFile::append(std::span<const std::uint8_t> bytes) {
  assert(file_ != nullptr);
  errno = 0;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() && failure_ == 0)
    failure_ = errno;
}

Result<void> OutputFile::close() {
  assert(file_ != nullptr);
  errno = 0;
  // A full disk often shows only when buffers are flushed.
  if (std::fclose(file_.release()) != 0 && failure_ == 0) failure_ = errno;
  if (failure_ != 0) return fail(cannot_write(path_, failure_));
  return {};
}

}  // namespace overlane::capture

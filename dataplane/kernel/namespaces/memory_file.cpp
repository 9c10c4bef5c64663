#include "dataplane/kernel/namespaces/memory_file.h"

#include <sys/mman.h>

#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::kernel {

Parsed<MemoryFile> MemoryFile::make(const std::string& text) {
  OwnedFd fd(memfd_create("overlane", MFD_CLOEXEC));
  if (!fd.is_open()) return fail(system_error("memfd_create"));
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(fd.get(), text.data() + done, text.size() - done);
    if (count <= 0) return fail(system_error("memory file"));
    done += static_cast<std::size_t>(count);
  }
  lseek(fd.get(), 0, SEEK_SET);
  return MemoryFile(std::move(fd));
}

std::string MemoryFile::text() const {
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0;
       (count = pread(fd(), buffer, sizeof buffer, static_cast<off_t>(text.size()))) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

}  // namespace overlane::kernel

#include <cstdio>

#include "dataplane/kernel/experiment/place.h"

/// `kernel-node REQUEST ANSWER`: the program that tests run inside user-mode Linux.
int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: kernel-node REQUEST ANSWER\n", stderr);
    return 2;
  }
  const auto done = overlane::kernel::answer_files(argv[1], argv[2]);
  if (!done) std::fprintf(stderr, "kernel-node: %s\n", done.error().c_str());
  return done ? 0 : 4;
}

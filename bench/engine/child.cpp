#include "bench/engine/child.h"

#include <cstdio>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>

#include <fmt/format.h>

namespace overlane::bench {
namespace {

static_assert(std::is_trivially_copyable_v<Figures>);

int answer(Measure how, const Workload& workload, int out) {
  const auto figures = how(workload);
  if (!figures) {
    fmt::print(stderr, "{}: {}\n", workload.name, figures.error());
    return 1;
  }
  return write(out, &*figures, sizeof *figures) == sizeof *figures ? 0 : 1;
}

}  // namespace

Parsed<Figures> measure_in_child(Measure how, const Workload& workload) {
  int ends[2];
  if (pipe(ends) != 0) return fail("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return fail("no process");
  if (child == 0) {
    close(ends[0]);
    _exit(answer(how, workload, ends[1]));
  }
  close(ends[1]);
  Figures figures;
  const bool answered = read(ends[0], &figures, sizeof figures) == sizeof figures;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (answered && status == 0) return figures;
  if (WIFSIGNALED(status)) return fail(fmt::format("ended by signal {}", WTERMSIG(status)));
  return fail("failed");
}

}  // namespace overlane::bench

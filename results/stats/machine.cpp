#include "results/stats/machine.h"

#include <algorithm>
#include <vector>

#include "results/stats/median.h"

namespace overlane::stats {

std::optional<model::Yardsticks> yardsticks_of(const model::SuiteRun& run) {
  std::vector<double> compute, memory;
  for (const model::CaseRun& one : run.cases) {
    for (const model::Yardsticks& round : one.rounds) {
      compute.push_back(round.compute_ns);
      memory.push_back(round.memory_ns);
    }
  }
  if (compute.empty()) return std::nullopt;
  return model::Yardsticks{.compute_ns = median(std::move(compute)),
                           .memory_ns = median(std::move(memory))};
}

bool is_same_machine(const model::Yardsticks& a, const model::Yardsticks& b) {
  const auto are_close = [](double one, double other) {
    return one <= other * kSameMachine && other <= one * kSameMachine;
  };
  return are_close(a.compute_ns, b.compute_ns) && are_close(a.memory_ns, b.memory_ns);
}

bool is_same_machine(const model::SuiteRun& a, const model::SuiteRun& b) {
  const auto one = yardsticks_of(a), other = yardsticks_of(b);
  return one && other && is_same_machine(*one, *other);
}

}  // namespace overlane::stats

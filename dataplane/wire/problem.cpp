#include "dataplane/wire/problem.h"

namespace overlane::wire {

std::vector<Problem> Problems::list() const {
  std::vector<Problem> problems;
  for (const ProblemFacts& row : kProblems)
    if (has(row.problem)) problems.push_back(row.problem);
  return problems;
}

}  // namespace overlane::wire

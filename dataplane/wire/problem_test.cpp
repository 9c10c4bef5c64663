#include "dataplane/wire/problem.h"

#include <set>

#include <gtest/gtest.h>

namespace overlane::wire {
namespace problem_test {

TEST(Problem, EveryRowStandsAtItsNumber) {
  for (std::size_t i = 0; i < kProblems.size(); ++i)
    EXPECT_EQ(kProblems[i].problem, static_cast<Problem>(i)) << kProblems[i].name;
}

TEST(Problem, EveryRowHasItsOwnNameAndAMeaning) {
  std::set<std::string_view> names;
  for (const ProblemFacts& row : kProblems) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(Problem, TheFirstOneInTheListNamesTheDrop) {
  Problems problems;
  EXPECT_FALSE(problems.drop());
  problems.add(Problem::ReservedBits);
  EXPECT_FALSE(problems.drop()) << "which receivers ignore";
  problems.add(Problem::LengthBeyondPacket);
  EXPECT_EQ(problems.drop(), Drop::Malformed);
  problems.add(Problem::WrongChecksum);
  EXPECT_EQ(problems.drop(), Drop::BadChecksum);
  problems.add(Problem::WrongVersion, false);
  EXPECT_EQ(problems.drop(), Drop::BadChecksum);
}

TEST(Problem, TheListKeepsItsOrder) {
  Problems problems;
  problems.add(Problem::ReservedBits);
  problems.add(Problem::WrongVersion);
  EXPECT_EQ(problems.list(), (std::vector{Problem::WrongVersion, Problem::ReservedBits}));
}

}  // namespace problem_test
}  // namespace overlane::wire

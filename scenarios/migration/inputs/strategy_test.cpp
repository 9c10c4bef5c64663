#include "scenarios/migration/inputs/strategy.h"

#include <gtest/gtest.h>

namespace overlane::migration {

namespace disturbance_test {

TEST(Disturbance, IsAnEventAtATime) {
  const auto parsed = parse_disturbance("rollback@90s");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->kind, Disturbance::Kind::Rollback);
  EXPECT_EQ(parsed->at, seconds(90));
  EXPECT_EQ(parse_disturbance("scale-up@1.5s")->kind, Disturbance::Kind::ScaleUp);
  EXPECT_EQ(parse_disturbance("worker-roll@0s")->kind, Disturbance::Kind::WorkerRoll);
  EXPECT_EQ(parse_disturbance("hibernate@60s")->kind, Disturbance::Kind::Hibernate);
  EXPECT_EQ(parse_disturbance("rollback@2m")->at, seconds(120));
  EXPECT_EQ(parse_disturbance("rollback@1h30m")->at, seconds(5400));
  EXPECT_NE(parse_disturbance("rollback@200h").error().find("604800s is the most"),
            std::string::npos);
  EXPECT_EQ(parse_disturbance("scale-up@1m30s")->at, seconds(90));
  EXPECT_EQ(to_string(*parsed), "rollback@90s");
}

TEST(Disturbance, NamesWhatIsWrong) {
  EXPECT_EQ(parse_disturbance("rollback").error(), "\"rollback\" has no time");
  EXPECT_EQ(parse_disturbance("hope@3s").error(), "there is no disturbance \"hope\"");
  EXPECT_EQ(parse_disturbance("").error(), "there is no disturbance \"\"");
  EXPECT_TRUE(parse_disturbance("rollback@soon").error().starts_with("\"soon\" is no duration"));
  EXPECT_NE(parse_disturbance("rollback@2min").error().find("(h, m, s, ms, us, ns)"),
            std::string::npos);
}

}  // namespace disturbance_test

}  // namespace overlane::migration

#include "sim/run/act/actors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/node/testing/cluster.h"

namespace overlane::run {
namespace actors_test {

using ::testing::ElementsAre;

struct Log {
  std::vector<std::string> acts;
  std::optional<Picos> for_second;  ///< What the first gives the second to do.
};

/// Acts at its times, and has the second act at once.
class First : public Actor {
 public:
  First(Log& log, std::vector<Picos> times) : log_(log), times_(std::move(times)) {}
  std::optional<Picos> next() const override {
    return done_ < times_.size() ? std::optional(times_[done_]) : std::nullopt;
  }
  void act(node::WorldEditor&, Picos now) override {
    ++done_;
    log_.acts.push_back("first " + std::to_string(now.count));
    log_.for_second = now;
  }

 private:
  Log& log_;
  std::vector<Picos> times_;
  std::size_t done_ = 0;
};

class Second : public Actor {
 public:
  explicit Second(Log& log) : log_(log) {}
  std::optional<Picos> next() const override { return log_.for_second; }
  void act(node::WorldEditor&, Picos now) override {
    log_.for_second.reset();
    log_.acts.push_back("second " + std::to_string(now.count));
  }

 private:
  Log& log_;
};

TEST(Actors, ActInTheirOrderAndReactAtTheSameTime) {
  auto cluster = node::testing::make_cluster({});
  node::World world{cluster.nodes, cluster.fabric};
  node::WorldEditor editor(world);
  Log log;
  const auto note = [&](const char* text) {
    return [&log, text](node::WorldEditor&) { log.acts.emplace_back(text); };
  };
  Actors actors({.changes = {{Picos{20}, note("late")},
                             {Picos{10}, note("early")},
                             {Picos{10}, note("early, too")}},
                 .actors = [&](std::uint64_t) {
                   std::vector<std::unique_ptr<Actor>> made;
                   made.push_back(std::make_unique<Second>(log));
                   made.push_back(std::make_unique<First>(log, std::vector{Picos{10}, Picos{15}}));
                   return made;
                 }});
  while (const auto next = actors.next())
    actors.act(editor, *next);
  EXPECT_THAT(log.acts, ElementsAre("early", "early, too", "first 10", "second 10", "first 15",
                                    "second 15", "late"));
}

TEST(Actors, AreNoneWithoutAny) {
  EXPECT_EQ(Actors(RunOptions{}).next(), std::nullopt);
}

}  // namespace actors_test
}  // namespace overlane::run

#include "results/store/store.h"

#include <fstream>
#include <sqlite3.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/model/testing/example_suite_run.h"
#include "results/store/testing/store_file.h"

namespace overlane::store {
namespace store_test {

using model::example_suite_run;
using model::RunState;
using model::SuiteRun;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StoreFile;

Store open(const StoreFile& file) {
  auto store = Store::open(file.path(), Store::Use::Write);
  if (!store) throw std::runtime_error(store.error());
  return *std::move(store);
}

std::vector<std::string> ids(const Store& store, const RunFilter& filter = {}) {
  std::vector<std::string> found;
  const std::vector<SuiteRun> runs = store.runs(filter).value();
  for (const SuiteRun& run : runs)
    found.push_back(run.id);
  return found;
}

std::string refusal(const std::string& file, Store::Use use) {
  const auto store = Store::open(file, use);
  return store ? "" : store.error();
}

void execute(const std::string& file, const std::string& statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(database, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  sqlite3_close(database);
}

TEST(Store, GivesBackWhatWasPutIn) {
  const StoreFile file;
  const SuiteRun run = example_suite_run("a");
  ASSERT_TRUE(open(file).add(run));
  const auto reopened = Store::open(file.path(), Store::Use::Read);
  ASSERT_TRUE(reopened) << reopened.error();
  EXPECT_EQ(reopened->load("a").value(), run);
  EXPECT_TRUE(reopened->has("a"));
  EXPECT_FALSE(reopened->has("b"));
  EXPECT_THAT(reopened->load("b").error(), HasSubstr("has no run b"));
}

TEST(Store, ARunGrowsCaseByCaseAndEnds) {
  const StoreFile file;
  SuiteRun run = example_suite_run("a");
  const auto cases = std::exchange(run.cases, {});
  Store store = open(file);
  ASSERT_TRUE(store.add(run));
  // Cases are added in another order than the run's.
  ASSERT_TRUE(store.put_case("a", cases[1], 1));
  ASSERT_TRUE(store.put_case("a", cases[0], 0));
  model::CaseRun again = cases[1];
  again.status = model::CaseStatus::Complete;
  again.reason = "";
  ASSERT_TRUE(store.put_case("a", again, 1));
  ASSERT_TRUE(store.finish("a", RunState::Complete, 5));
  run.cases = {cases[0], again};
  run.state = RunState::Complete;
  run.ended_ms = 5;
  EXPECT_EQ(store.load("a").value(), run);
}

TEST(Store, ListsRunsByTimeOfASuiteAndACommit) {
  const StoreFile file;
  Store store = open(file);
  SuiteRun late = example_suite_run("late");
  late.started_ms += 1000;
  SuiteRun other = example_suite_run("other");
  other.suite = "weekly";
  other.environment.commit = "ffff";
  other.state = RunState::Complete;
  for (const SuiteRun& run : {late, example_suite_run("early"), other})
    ASSERT_TRUE(store.add(run));
  EXPECT_THAT(ids(store), ElementsAre("early", "other", "late"));
  EXPECT_THAT(ids(store, {.suite = "nightly"}), ElementsAre("early", "late"));
  EXPECT_THAT(ids(store, {.commit = "ff"}), ElementsAre("other"));
  EXPECT_THAT(ids(store, {.complete = true}), ElementsAre("other"));
  ASSERT_TRUE(store.remove("early"));
  EXPECT_THAT(ids(store), ElementsAre("other", "late"));
  EXPECT_TRUE(store.load("late")->cases.at(0).document.size() > 0) << "another run has it, too";
}

TEST(Store, AnIdIsThereOnce) {
  const StoreFile file;
  Store store = open(file);
  ASSERT_TRUE(store.add(example_suite_run("a")));
  EXPECT_THAT(store.add(example_suite_run("a")).error(), HasSubstr("UNIQUE"));
  EXPECT_EQ(store.load("a")->cases.size(), 2u);
}

TEST(Store, TwoProgramsMakeItAtOnce) {
  for (int i = 0; i < 100; ++i) {
    const StoreFile file;
    const auto make = [&] { open(file); };
    const std::jthread first(make), second(make);
  }
}

TEST(Store, TwoProgramsWriteAtOnce) {
  const StoreFile file;
  const auto write = [&](const std::string& id) {
    Store store = open(file);
    SuiteRun run = example_suite_run(id);
    const auto cases = std::exchange(run.cases, {});
    EXPECT_TRUE(store.add(run));
    for (int i = 0; i < 50; ++i) {
      model::CaseRun one = cases[0];
      one.name = std::to_string(i);
      const auto put = store.put_case(id, one, static_cast<std::size_t>(i));
      EXPECT_TRUE(put) << put.error();
    }
  };
  { std::jthread first(write, "a"), second(write, "b"); }
  const Store store = open(file);
  EXPECT_EQ(store.load("a")->cases.size(), 50u);
  EXPECT_EQ(store.load("b")->cases.size(), 50u);
}

TEST(Store, RefusesWhatItCannotUse) {
  const StoreFile file;
  EXPECT_THAT(refusal(file.path(), Store::Use::Read), HasSubstr("cannot be opened"));
  EXPECT_THAT(refusal("/no/such/folder/store.sqlite", Store::Use::Write),
              HasSubstr("cannot be opened"));

  std::ofstream(file.path()) << "this is a text and not a database, whatever its name says\n";
  EXPECT_THAT(refusal(file.path(), Store::Use::Write), HasSubstr("damaged, or not a store"));
  EXPECT_THAT(refusal(file.path(), Store::Use::Read), HasSubstr("damaged, or not a store"));
}

TEST(Store, RefusesANewerOneAndThoseOfOtherPrograms) {
  const StoreFile newer;
  open(newer);
  execute(newer.path(), "PRAGMA user_version = 999");
  EXPECT_THAT(refusal(newer.path(), Store::Use::Write), HasSubstr("written by a newer overlane"));
  EXPECT_THAT(refusal(newer.path(), Store::Use::Read), HasSubstr("written by a newer overlane"));

  const StoreFile foreign;
  execute(foreign.path(), "CREATE TABLE bookmarks (url TEXT)");
  EXPECT_THAT(refusal(foreign.path(), Store::Use::Write), HasSubstr("of another program"));
}

TEST(Store, FindsDamageBeforeItWrites) {
  const StoreFile file;
  {
    Store store = open(file);
    for (int i = 0; i < 40; ++i)
      ASSERT_TRUE(store.add(example_suite_run(std::to_string(i))));
  }
  const auto size = std::filesystem::file_size(file.path());
  std::fstream stream(file.path(), std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(size / 2));
  for (int i = 0; i < 8192; ++i)
    stream.put('\x5a');
  stream.close();
  EXPECT_THAT(refusal(file.path(), Store::Use::Write), HasSubstr("damaged"));
}

TEST(Store, IdsGrowWithTime) {
  EXPECT_THAT(new_run_id(1'764'180'754'000), HasSubstr("20251126T181234Z-"));
  EXPECT_LT(new_run_id(1'764'180'754'000), new_run_id(1'764'180'755'000));
  EXPECT_NE(new_run_id(0), new_run_id(0));
}

}  // namespace store_test
}  // namespace overlane::store

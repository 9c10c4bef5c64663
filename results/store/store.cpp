#include "results/store/store.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <sqlite3.h>
#include <sys/random.h>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"
#include "results/model/run_environment.h"
#include "results/model/suite_run.h"
#include "results/store/database.h"

namespace overlane::store {
namespace {

using model::CaseRun;
using model::SuiteRun;

/// Marks the file as a store (PRAGMA application_id): "OvLn".
constexpr int kApplicationId = 0x4f764c6e;

/// The versions of the schema: the statements at index i turn version i into version i + 1. Append
/// only: files of users have older versions (PRAGMA user_version), and Store::open() brings them up
/// to date.
constexpr std::array kMigrations = {R"sql(
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  suite TEXT NOT NULL,
  suite_digest TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'interrupted')),
  beside TEXT,
  shard TEXT,
  purpose TEXT NOT NULL CHECK (purpose IN ('judged', 'base', 'noise')),
  environment TEXT NOT NULL CHECK (json_valid(environment)),
  accepted TEXT NOT NULL CHECK (json_valid(accepted))
) STRICT;
CREATE INDEX runs_by_suite ON runs (suite, started_ms);

-- The results of programs, each once: they are the same every night until something changes.
CREATE TABLE documents (
  digest TEXT PRIMARY KEY,
  text TEXT NOT NULL CHECK (json_valid(text))
) STRICT;

CREATE TABLE cases (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('complete', 'failed', 'timed-out', 'missing')),
  reason TEXT NOT NULL,
  seconds REAL NOT NULL,
  document TEXT REFERENCES documents,
  UNIQUE (run, name)
) STRICT;

CREATE TABLE yardsticks (
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  round INTEGER NOT NULL,
  compute_ns REAL NOT NULL,
  memory_ns REAL NOT NULL,
  PRIMARY KEY ("case", round)
) STRICT, WITHOUT ROWID;

CREATE TABLE metrics (
  id INTEGER PRIMARY KEY,
  "case" INTEGER NOT NULL REFERENCES cases ON DELETE CASCADE,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  better TEXT NOT NULL CHECK (better IN ('lower', 'higher', 'neither')),
  tolerance TEXT NOT NULL
    CHECK (tolerance IN ('exact', 'instructions', 'time', 'memory-bound-time')),
  UNIQUE ("case", name)
) STRICT;

CREATE TABLE samples (
  metric INTEGER NOT NULL REFERENCES metrics ON DELETE CASCADE,
  number INTEGER NOT NULL,
  round INTEGER NOT NULL,
  value ANY NOT NULL,
  PRIMARY KEY (metric, number)
) STRICT, WITHOUT ROWID;
)sql"};

constexpr int kVersion = static_cast<int>(kMigrations.size());

std::string reason_of(const std::string& file, const DatabaseError& error) {
  switch (error.code) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fmt::format("{}: damaged, or not a store ({}); move it away, and restore a copy", file,
                         error.message);
    case SQLITE_CANTOPEN:
      return fmt::format("{}: cannot be opened ({}){}", file, error.message,
                         std::filesystem::exists(file)
                             ? ""
                             : "; no run is stored there yet: `overlane bench quick` stores one");
    case SQLITE_BUSY:
      return fmt::format("{}: another program has been writing to it for too long", file);
    case SQLITE_FULL:
      return fmt::format("{}: the disk is full", file);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return fmt::format("{}: not writable", file);
    default:
      return fmt::format("{}: {}", file, error.message);
  }
}

/// The result of `work`, or the text of its DatabaseError.
template <typename Work>
auto guarded(const std::string& file, Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const DatabaseError& error) {
    return fail(reason_of(file, error));
  }
}

/// The reason why the database is not a store; empty for a store or a new, empty database. Another
/// program may be making the store meanwhile.
std::string foreign(Database& database) {
  const Transaction snapshot(database, Transaction::Access::Read);
  const std::int64_t application = database.integer("PRAGMA application_id");
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (application != kApplicationId) {
    const bool is_empty = database.integer("SELECT count(*) FROM sqlite_schema") == 0;
    return application == 0 && version == 0 && is_empty
               ? ""
               : "an SQLite file of another program, not a store of overlane";
  }
  if (version <= kVersion) return "";
  return fmt::format(
      "written by a newer overlane (version {} of the store; this program knows {}); use that one",
      version, kVersion);
}

/// Switches a new file to write-ahead logging, and waits for another program that does so. SQLite
/// does not wait by itself then: each of the two has a lock that the other one needs.
void use_write_ahead_log(Database& database) {
  constexpr int kTries = 200;
  constexpr std::chrono::milliseconds kPause{10};
  for (int tries = 1;; ++tries) {
    try {
      return database.execute("PRAGMA journal_mode = WAL");
    } catch (const DatabaseError& error) {
      if (error.code != SQLITE_BUSY || tries == kTries) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
}

/// Brings the schema up to date. If two programs do so at once, the second one waits for the first
/// one and then changes nothing.
void migrate(Database& database) {
  if (database.integer("PRAGMA user_version") == kVersion) return;
  Transaction transaction(database);
  for (auto version = database.integer("PRAGMA user_version"); version < kVersion; ++version)
    database.execute(kMigrations[static_cast<std::size_t>(version)]);
  database.execute(
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplicationId, kVersion)
          .c_str());
  transaction.commit();
}

template <typename Word>
Word word_of(const std::string& text, std::initializer_list<Word> words) {
  for (const Word word : words)
    if (to_string(word) == text) return word;
  return *words.begin();  // The schema allows no other.
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void insert_metrics(Database& database, std::int64_t case_id, const CaseRun& one) {
  Statement add_metric(database,
                       "INSERT INTO metrics (\"case\", name, unit, better, tolerance) "
                       "VALUES (?, ?, ?, ?, ?)");
  Statement add_sample(database,
                       "INSERT INTO samples (metric, number, round, value) VALUES (?, ?, ?, ?)");
  for (const model::MeasuredMetric& measured : one.metrics) {
    const model::Metric& metric = measured.metric;
    (add_metric << case_id << metric.name << metric.unit << to_string(metric.better)
                << to_string(metric.tolerance))
        .run();
    const std::int64_t metric_id = sqlite3_last_insert_rowid(database.handle());
    std::int64_t number = 0;
    for (const model::Sample& sample : measured.samples)
      (add_sample << metric_id << number++ << sample.round << sample.value).run();
  }
}

void insert_case(Database& database, std::string_view run_id, const CaseRun& one,
                 std::size_t number) {
  std::optional<std::string> digest;
  if (!one.document.empty()) {
    digest = model::digest_of(one.document);
    Statement add(database, "INSERT OR IGNORE INTO documents (digest, text) VALUES (?, ?)");
    (add << *digest << one.document).run();
  }
  Statement add(database,
                "INSERT INTO cases (run, number, name, owner, status, reason, seconds, document) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  (add << run_id << static_cast<std::int64_t>(number) << one.name << one.owner
       << to_string(one.status) << one.reason << one.seconds << digest)
      .run();
  const std::int64_t case_id = sqlite3_last_insert_rowid(database.handle());
  Statement add_round(
      database,
      "INSERT INTO yardsticks (\"case\", round, compute_ns, memory_ns) VALUES (?, ?, ?, ?)");
  std::int64_t round_number = 0;
  for (const model::Yardsticks& round : one.rounds)
    (add_round << case_id << round_number++ << round.compute_ns << round.memory_ns).run();
  insert_metrics(database, case_id, one);
}

/// The metrics of a case, with their samples.
std::vector<model::MeasuredMetric> load_metrics(const Database& database, std::int64_t case_id) {
  std::vector<model::MeasuredMetric> metrics;
  Statement list(
      database,
      "SELECT id, name, unit, better, tolerance FROM metrics WHERE \"case\" = ? ORDER BY id");
  Statement samples(database, "SELECT round, value FROM samples WHERE metric = ? ORDER BY number");
  list << case_id;
  while (list.step()) {
    model::MeasuredMetric measured{
        .metric = {.name = list.text(1),
                   .unit = list.text(2),
                   .better = word_of(list.text(3), model::kBetter),
                   .tolerance = word_of(list.text(4), model::kTolerances)}};
    samples << list.integer(0);
    while (samples.step())
      measured.samples.push_back({.round = samples.integer(0), .value = samples.figure(1)});
    metrics.push_back(std::move(measured));
  }
  return metrics;
}

std::vector<CaseRun> load_cases(const Database& database, std::string_view run_id) {
  using enum model::CaseStatus;
  std::vector<CaseRun> cases;
  Statement list(database,
                 "SELECT id, name, owner, status, reason, seconds, text FROM cases "
                 "LEFT JOIN documents ON digest = document WHERE run = ? ORDER BY number, id");
  Statement rounds(
      database, "SELECT compute_ns, memory_ns FROM yardsticks WHERE \"case\" = ? ORDER BY round");
  list << run_id;
  while (list.step()) {
    CaseRun one{.name = list.text(1),
                .owner = list.text(2),
                .status = word_of(list.text(3), {Complete, Failed, TimedOut, Missing}),
                .reason = list.text(4),
                .seconds = list.number(5),
                .document = list.text(6)};
    rounds << list.integer(0);
    while (rounds.step())
      one.rounds.push_back({.compute_ns = rounds.number(0), .memory_ns = rounds.number(1)});
    one.metrics = load_metrics(database, list.integer(0));
    cases.push_back(std::move(one));
  }
  return cases;
}

/// The run of the current row of a query for kRunColumns.
constexpr const char* kRunColumns =
    "id, suite, suite_digest, started_ms, ended_ms, state, beside, purpose, environment, shard, "
    "accepted";

SuiteRun run_of_row(const Statement& row) {
  using enum model::RunState;
  using model::RunPurpose;
  SuiteRun run{
      .id = row.text(0),
      .suite = row.text(1),
      .suite_digest = row.text(2),
      .started_ms = row.integer(3),
      .state = word_of(row.text(5), {Running, Complete, Interrupted}),
      .beside = row.text(6),
      .purpose = word_of(row.text(7), {RunPurpose::Judged, RunPurpose::Base, RunPurpose::Noise})};
  if (!row.is_null(4)) run.ended_ms = row.integer(4);
  run.shard = row.text(9);
  // A field that an older version did not know is left empty.
  const auto json = [&](int column) {
    return nlohmann::ordered_json::parse(row.text(column), nullptr, false);
  };
  if (auto read = read_json(json(8), model::decode_environment)) run.environment = *std::move(read);
  if (auto read = read_json(json(10), model::decode_accepted_changes))
    run.accepted = *std::move(read);
  return run;
}

}  // namespace

Parsed<Store> Store::open(const std::string& file, Use use) {
  return guarded(file, [&]() -> Parsed<Store> {
    const int flags =
        use == Use::Write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    auto database = std::make_unique<Database>(file, flags);
    if (const std::string why = foreign(*database); !why.empty())
      return fail(fmt::format("{}: {}", file, why));
    database->execute("PRAGMA foreign_keys = ON");
    if (use == Use::Write) {
      use_write_ahead_log(*database);
      database->execute("PRAGMA synchronous = FULL");
      migrate(*database);
      // Finds a damaged file before an hour's results are written into it.
      Statement check(*database, "PRAGMA quick_check(1)");
      if (check.step() && check.text(0) != "ok") throw DatabaseError{SQLITE_CORRUPT, check.text(0)};
    } else if (database->integer("PRAGMA user_version") < kVersion) {
      return fail(
          fmt::format("{}: no store, or one of an older version, which is brought "
                      "up to date by the next run that is written to it",
                      file));
    }
    return Store(file, std::move(database));
  });
}

Store::Store(std::string file, std::unique_ptr<Database> database)
    : file_(std::move(file)), database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Parsed<void> Store::add(const SuiteRun& run) {
  return guarded(file_, [&]() -> Parsed<void> {
    Transaction transaction(*database_);
    Statement add(
        *database_,
        fmt::format("INSERT INTO runs ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", kRunColumns)
            .c_str());
    (add << run.id << run.suite << run.suite_digest << run.started_ms << run.ended_ms
         << to_string(run.state) << unless_empty(run.beside) << to_string(run.purpose)
         << text_of(encode(run.environment)) << unless_empty(run.shard)
         << text_of(model::encode(run.accepted)))
        .run();
    for (std::size_t i = 0; i < run.cases.size(); ++i)
      insert_case(*database_, run.id, run.cases[i], i);
    transaction.commit();
    return {};
  });
}

Parsed<void> Store::put_case(std::string_view run_id, const CaseRun& one, std::size_t number) {
  return guarded(file_, [&]() -> Parsed<void> {
    Transaction transaction(*database_);
    Statement clear(*database_, "DELETE FROM cases WHERE run = ? AND name = ?");
    (clear << run_id << one.name).run();
    insert_case(*database_, run_id, one, number);
    transaction.commit();
    return {};
  });
}

Parsed<void> Store::finish(std::string_view run_id, model::RunState state, std::int64_t ended_ms) {
  return guarded(file_, [&]() -> Parsed<void> {
    Transaction transaction(*database_);
    Statement set(*database_, "UPDATE runs SET state = ?, ended_ms = ? WHERE id = ?");
    (set << to_string(state) << ended_ms << run_id).run();
    transaction.commit();
    return {};
  });
}

Parsed<void> Store::remove(std::string_view run_id) {
  return guarded(file_, [&]() -> Parsed<void> {
    Transaction transaction(*database_);
    Statement remove(*database_, "DELETE FROM runs WHERE id = ?");
    (remove << run_id).run();
    database_->execute(
        "DELETE FROM documents WHERE digest NOT IN "
        "(SELECT document FROM cases WHERE document IS NOT NULL)");
    transaction.commit();
    return {};
  });
}

Parsed<std::vector<SuiteRun>> Store::runs(const RunFilter& filter) const {
  return guarded(file_, [&]() -> Parsed<std::vector<SuiteRun>> {
    Statement list(*database_, fmt::format("SELECT {} FROM runs WHERE (?1 = '' OR suite = ?1) "
                                           "ORDER BY started_ms, id",
                                           kRunColumns)
                                   .c_str());
    list << filter.suite;
    std::vector<SuiteRun> runs;
    while (list.step()) {
      SuiteRun run = run_of_row(list);
      if (filter.complete && run.state != model::RunState::Complete) continue;
      if (run.environment.commit.starts_with(filter.commit)) runs.push_back(std::move(run));
    }
    return runs;
  });
}

bool Store::has(std::string_view run_id) const {
  return guarded(file_,
                 [&]() -> Parsed<bool> {
                   Statement find(*database_, "SELECT 1 FROM runs WHERE id = ?");
                   find << run_id;
                   return find.step();
                 })
      .value_or(false);
}

Parsed<SuiteRun> Store::load(std::string_view run_id) const {
  return guarded(file_, [&]() -> Parsed<SuiteRun> {
    Statement find(*database_,
                   fmt::format("SELECT {} FROM runs WHERE id = ?", kRunColumns).c_str());
    find << run_id;
    if (!find.step()) return fail(fmt::format("{}: has no run {}", file_, run_id));
    SuiteRun run = run_of_row(find);
    run.cases = load_cases(*database_, run_id);
    return run;
  });
}

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string new_run_id(std::int64_t started_ms) {
  std::uint32_t number = 0;
  // Without entropy, which only happens while a machine starts, the id is the time alone.
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = 0;
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{:08x}",
                     fmt::gmtime(static_cast<std::time_t>(started_ms / 1000)), number);
}

}  // namespace overlane::store

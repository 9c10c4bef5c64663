#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "results/model/suite_run.h"

namespace overlane::store {

class Database;

/// A filter for the runs of a store.
struct RunFilter {
  std::string suite;      ///< Name of the suite; empty: any.
  std::string commit;     ///< Beginning of the commit; empty: any.
  bool complete = false;  ///< Only complete runs.
};

/// The runs of suites in an SQLite file, with all raw samples. Errors name the file.
///
/// Changes are atomic and durable: the file is in WAL mode, and each change is a transaction that
/// is flushed to the disk before the function returns. Several processes may read and write at
/// once; writers wait for each other. An object of this class belongs to one thread at a time.
class Store {
 public:
  enum class Use {
    Read,
    Write,  ///< Creates the file if necessary; brings a file of an older version up to date.
  };

  /// Opens the store in `file`. Fails if the file is damaged, is not a store, or was written by a
  /// newer version.
  static Parsed<Store> open(const std::string& file, Use use);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Adds a run with its cases. Fails if the store has a run with this id.
  Parsed<void> add(const model::SuiteRun& run);
  /// Adds a case to a run, or replaces the case with the same name. `number` is its position among
  /// the cases of the run; cases may be added in any order.
  Parsed<void> put_case(std::string_view run_id, const model::CaseRun& one, std::size_t number);
  /// Records how and when a run ended.
  Parsed<void> finish(std::string_view run_id, model::RunState state, std::int64_t ended_ms);
  Parsed<void> remove(std::string_view run_id);

  /// The runs that pass the filter, without their cases, the oldest first.
  Parsed<std::vector<model::SuiteRun>> runs(const RunFilter& filter = {}) const;
  /// Whether the store has a run with this id; false also if the file cannot be read.
  bool has(std::string_view run_id) const;
  /// The run with all its cases. Fails if the store has no run with this id.
  Parsed<model::SuiteRun> load(std::string_view run_id) const;

 private:
  Store(std::string file, std::unique_ptr<Database> database);

  std::string file_;
  std::unique_ptr<Database> database_;
};

/// The current Unix time in milliseconds.
std::int64_t unix_ms();

/// An id for a run that begins now: the time in UTC and a random number,
/// "20261126T181234Z-7f3a9c21".
std::string new_run_id(std::int64_t started_ms);

}  // namespace overlane::store

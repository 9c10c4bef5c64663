#pragma once

#include <array>

namespace overlane::store {

/// Marks the file as a store (PRAGMA application_id): "OvLn".
inline constexpr int kApplicationId = 0x4f764c6e;

/// The versions of the schema: the statements at index i turn version i into version i + 1. Append
/// only: files of users have older versions (PRAGMA user_version), and Store::open() brings them up
/// to date.
inline constexpr std::array kMigrations = {R"sql(
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

}  // namespace overlane::store

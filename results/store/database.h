#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "results/finding/finding.h"
#include "results/model/suite_run.h"

struct sqlite3;
struct sqlite3_stmt;

namespace overlane::store {

// A thin layer over SQLite for store.cpp: an open database, statements, and transactions that are
// rolled back unless they are committed. Errors are exceptions (DatabaseError); Store converts them
// to Parsed. Only results/store includes this header. An object belongs to one thread at a time.

/// An error of SQLite.
struct DatabaseError {
  int code = 0;  ///< SQLite's primary result code.
  std::string message;
};

/// An open SQLite database. It must outlive its statements and transactions. All functions throw
/// DatabaseError, which must not leave this folder.
class Database {
 public:
  /// Opens a database. `flags` are those of sqlite3_open_v2(). `file` may be a file: URI.
  Database(const std::string& file, int flags);

  /// Runs statements that return nothing.
  void execute(const char* statements);
  std::int64_t integer(const char* query);
  /// Number of rows that the last statement inserted, changed or deleted.
  std::int64_t changes() const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A statement with parameters. Values are bound in order by `<<`; then either run() is called, or
/// step() until it returns false. After that the statement can be used again.
class Statement {
 public:
  Statement(const Database& database, const char* text);

  Statement& operator<<(std::int64_t value);
  Statement& operator<<(double value);
  Statement& operator<<(std::string_view value);
  Statement& operator<<(const std::string& value) { return *this << std::string_view(value); }
  Statement& operator<<(const model::Figure& value);
  /// Binds NULL for nothing.
  Statement& operator<<(const std::optional<std::int64_t>& value);
  Statement& operator<<(const std::optional<std::string>& value);

  /// Runs a statement that returns no rows.
  void run();
  /// Goes to the next row, which the functions below read. Returns false after the last row.
  bool step();

  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;
  /// A column that holds an integer, a number or a text.
  model::Figure figure(int column) const;

 private:
  void check(int code);
  void reset();

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

/// A transaction. The destructor rolls back unless commit() was called.
class Transaction {
 public:
  enum class Access : std::uint8_t {
    Read,   ///< All reads see one state of the file, whatever other programs write meanwhile.
    Write,  ///< The constructor takes the write lock.
  };

  explicit Transaction(Database& database, Access access = Access::Write);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void commit();

 private:
  Database* database_;
  bool open_ = true;
};

}  // namespace overlane::store

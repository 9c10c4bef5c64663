#include "results/store/database.h"

#include <sqlite3.h>

namespace overlane::store {
namespace {

/// Maximum time that a writer waits for another writer; a transaction takes milliseconds.
constexpr int kBusyMilliseconds = 30'000;

[[noreturn]] void raise(sqlite3* database, int code) {
  throw DatabaseError{code & 0xff,
                      database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database)};
}

}  // namespace

Database::Database(const std::string& file, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &handle, flags | SQLITE_OPEN_URI, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) raise(handle, code);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
}

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close(handle);
}

void Database::execute(const char* statements) {
  const int code = sqlite3_exec(handle(), statements, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) raise(handle(), code);
}

std::int64_t Database::integer(const char* query) {
  Statement statement(*this, query);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(handle());
}

Statement::Statement(const Database& database, const char* text) : database_(database.handle()) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_, text, -1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) raise(database_, code);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Statement& Statement::operator<<(std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), ++bound_, value));
  return *this;
}

Statement& Statement::operator<<(double value) {
  check(sqlite3_bind_double(statement_.get(), ++bound_, value));
  return *this;
}

Statement& Statement::operator<<(std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), ++bound_, value.data(), value.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

Statement& Statement::operator<<(const model::Figure& value) {
  std::visit([&](const auto& one) { *this << one; }, value);
  return *this;
}

Statement& Statement::operator<<(const std::optional<std::int64_t>& value) {
  if (value) return *this << *value;
  check(sqlite3_bind_null(statement_.get(), ++bound_));
  return *this;
}

Statement& Statement::operator<<(const std::optional<std::string>& value) {
  if (value) return *this << std::string_view(*value);
  check(sqlite3_bind_null(statement_.get(), ++bound_));
  return *this;
}

void Statement::run() {
  step();
  reset();
}

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    const DatabaseError error{code & 0xff, sqlite3_errmsg(database_)};
    reset();
    throw error;
  }
  reset();
  return false;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  const auto length = sqlite3_column_bytes(statement_.get(), column);
  if (text == nullptr) return "";
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

model::Figure Statement::figure(int column) const {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      return integer(column);
    case SQLITE_FLOAT:
      return number(column);
    default:
      return text(column);
  }
}

void Statement::check(int code) {
  if (code != SQLITE_OK) raise(database_, code);
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

Transaction::Transaction(Database& database, Access access) : database_(&database) {
  database.execute(access == Access::Read ? "BEGIN" : "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_->execute("ROLLBACK");
  } catch (const DatabaseError&) {  // SQLite has undone it after a severe error.
  }
}

void Transaction::commit() {
  database_->execute("COMMIT");
  open_ = false;
}

}  // namespace overlane::store

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace overlane::report {

/// A CSV file (RFC 4180) with the rows of a JSON document, so that both formats have the same names
/// and values. A member of a nested object is a column such as "latency_ns.p99". An array of
/// scalars is one cell, separated by semicolons. Arrays of objects are left out: they are rows of
/// another table. A row without a member of other rows has an empty cell, as null has. The rows are
/// kept as text, not as JSON.
class CsvRows {
 public:
  void add(const nlohmann::ordered_json& object);
  /// The names of the columns, in the order of their first appearance, and all rows. Empty without
  /// columns.
  std::string to_string() const;

 private:
  using Row = std::vector<std::pair<std::size_t, std::string>>;  ///< Column and value.

  void add_member(const std::string& name, const nlohmann::ordered_json& value, Row& row);

  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

/// CsvRows of an array of objects.
std::string rows_csv(const nlohmann::ordered_json& rows);

/// CsvRows of the objects in `member` of each parent. Each row begins with the parent's name as the
/// column `label` and the parent's scalar members `kept`. A parent without such objects is a row.
std::string rows_csv(const nlohmann::ordered_json& parents, const std::string& label,
                     const std::vector<std::string>& kept, const std::string& member);

}  // namespace overlane::report

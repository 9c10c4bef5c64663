#include "results/report/csv.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "results/report/text.h"

namespace overlane::report {
namespace {

using Json = nlohmann::ordered_json;

/// A scalar as the text of a cell. Invalid UTF-8, which texts of inputs may contain, is replaced.
std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void CsvRows::add_member(const std::string& name, const Json& value, Row& row) {
  if (value.is_object()) {
    for (const auto& [key, inner] : value.items())
      add_member(name.empty() ? key : name + '.' + key, inner, row);
    return;
  }
  std::string text;
  if (value.is_array()) {
    const auto is_scalar = [](const Json& one) { return !one.is_structured(); };
    if (value.empty() || !std::ranges::all_of(value, is_scalar)) return;
    for (const Json& one : value)
      text += (text.empty() ? "" : ";") + cell_text(one);
  } else {
    text = cell_text(value);
  }
  const auto known = std::ranges::find(columns_, name);
  const auto column = static_cast<std::size_t>(std::distance(columns_.begin(), known));
  if (known == columns_.end()) columns_.push_back(name);
  row.emplace_back(column, std::move(text));
}

void CsvRows::add(const Json& object) {
  add_member("", object, rows_.emplace_back());
}

std::string CsvRows::to_string() const {
  if (columns_.empty()) return "";
  std::string csv = csv_record(columns_);
  for (const Row& row : rows_) {
    std::vector<std::string> cells(columns_.size());
    for (const auto& [column, text] : row)
      cells[column] = text;
    csv += csv_record(cells);
  }
  return csv;
}

std::string rows_csv(const Json& rows) {
  CsvRows csv;
  for (const Json& row : rows)
    csv.add(row);
  return csv.to_string();
}

std::string rows_csv(const Json& parents, const std::string& label,
                     const std::vector<std::string>& kept, const std::string& member) {
  CsvRows csv;
  for (const Json& parent : parents) {
    Json start{{label, parent.at("name")}};
    for (const std::string& key : kept)
      start[key] = parent.at(key);
    if (parent.at(member).empty()) csv.add(start);
    for (const Json& child : parent.at(member)) {
      Json row = start;
      row.update(child);
      csv.add(row);
    }
  }
  return csv.to_string();
}

}  // namespace overlane::report

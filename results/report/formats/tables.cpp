#include "results/report/formats/tables.h"

namespace overlane::report {

namespace {

void append_field(const std::string& field, std::string& record) {
  if (field.find_first_of(",\"\r\n") == field.npos) {
    record += field;
    return;
  }
  record += '"';
  for (const char c : field)
    record.append(c == '"' ? 2 : 1, c);
  record += '"';
}

}  // namespace

std::string csv_record(std::span<const std::string> fields) {
  std::string record;
  for (const std::string& field : fields) {
    if (&field != fields.data()) record += ',';
    append_field(field, record);
  }
  return record + "\r\n";
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarkup = "|*_`<[\\";
  std::string result;
  for (const char c : text) {
    if (kMarkup.find(c) != std::string_view::npos) result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace overlane::report

#include "results/report/formats/csv.h"

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

}  // namespace overlane::report

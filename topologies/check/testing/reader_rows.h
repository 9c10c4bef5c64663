#pragma once

#include <ostream>
#include <string>
#include <vector>

// Rows of the tests of the rules that have no check in a table, because a reader or decoder reports
// them, and texts of shoots for these tests.
namespace overlane::check::testing {

/// The function that reads the inputs of a row.
enum class Reader {
  Check,        ///< check(); the input is a text.
  Explain,      ///< explain(); the input is a text.
  Update,       ///< check_update(); the input is the old text, the line `kNow` and the new text.
  Path,         ///< document::read(); the input is a path, absolute or in the source folder.
  OneDocument,  ///< document::read_one(); the input is a path as for Path.
};

inline constexpr const char* kNow = "# now\n";

/// A rule of the readers and decoders, an input that breaks it, and an input that does not.
struct ReaderRow {
  const char* rule;
  std::string broken;
  std::string sound;
  Reader reader = Reader::Check;
};

inline void PrintTo(const ReaderRow& row, std::ostream* out) {
  *out << row.rule << "\n" << row.broken;
}

std::vector<ReaderRow> document_rows();
std::vector<ReaderRow> object_rows();
std::vector<ReaderRow> field_rows();

/// A shoot without findings of the readers; `networking` is a further line of spec.networking.
std::string shoot_text(const std::string& networking = "pods: 100.96.0.0/11");
/// The shoot of shoot_text() with a further line of its spec.
std::string shoot_with(const std::string& spec);
/// `text` with its first `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace overlane::check::testing

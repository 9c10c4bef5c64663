#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace overlane::check::testing {

/// Who reads the inputs of a row.
enum class Reader {
  Check,        ///< check(), of the text.
  Explain,      ///< explain(), of the text.
  Update,       ///< check_update(), of the texts before and behind a line of `kNow`.
  Path,         ///< document::read(), of a path, from the source folder on unless it is absolute.
  OneDocument,  ///< document::read_one(), of such a path.
};

inline constexpr const char* kNow = "# now\n";

/// A rule of those who read documents: an input that breaks it, and one that does not.
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

/// A sound shoot; `networking` is a further line of its block.
std::string shoot_text(const std::string& networking = "pods: 100.96.0.0/11");
/// The shoot of shoot_text() with a further line of its spec.
std::string shoot_with(const std::string& spec);
/// `text` with its first `from` replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace overlane::check::testing

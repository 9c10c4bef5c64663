#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace overlane::sources {

// A source supports facts that the program assumes: a file of a repository at one commit, or a
// document, an issue or a pull request as read on one day. Rows of sources are constants, in one
// file of this folder for each kind of owner; their facts name what the program takes from them.
// The value itself stays where it is used (a quota in its provider's profile), so that no number is
// written twice. A file has the hash of its content, by which tools/check-facts detects whether a
// newer copy of the repository has the same content.

/// The state of a repository, or the day on which a document was read or published.
struct Snapshot {
  std::string_view commit;  ///< 40 hexadecimal digits; empty for a document.
  std::string_view
      date;  ///< Date of the commit, or of reading the document: "2026-08-21", "2026-08".
};

/// One statement that the program takes from a source.
struct Fact {
  std::string_view what;     ///< "a route table holds 50 routes by default"
  std::string_view passage;  ///< Text of the file, within a line. Empty for documents.
};

/// A row of this folder: a place outside of this program, with the facts taken from it.
struct Source {
  static constexpr std::size_t kMaxFacts = 4;

  /// "owner/repository path/of/file", "owner/repository issue 12", "RFC 791".
  std::string_view name;
  Snapshot at;
  std::string_view blob;  ///< Git's hash of the file's content; empty for a document.
  std::array<Fact, kMaxFacts> rows{};

  constexpr bool is_file() const { return !blob.empty(); }
  /// "gardener/gardener" for a file or a thread; for a document, its name up to the first blank.
  constexpr std::string_view repository() const { return name.substr(0, name.find(' ')); }
  /// The name after repository() and a blank; empty without a blank.
  constexpr std::string_view path() const {
    const std::size_t blank = name.find(' ');
    return blank == name.npos ? std::string_view() : name.substr(blank + 1);
  }
  constexpr std::span<const Fact> facts() const {
    const auto end = std::ranges::find_if(rows, [](const Fact& row) { return row.what.empty(); });
    return {rows.begin(), end};
  }
};

}  // namespace overlane::sources

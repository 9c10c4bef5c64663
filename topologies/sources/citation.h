#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/sources/clouds.h"
#include "topologies/sources/gardener.h"
#include "topologies/sources/pod_networks.h"
#include "topologies/sources/provider_extensions.h"
#include "topologies/sources/source.h"
#include "topologies/sources/standards.h"

namespace overlane::sources {

/// The sources of one kind of owner, and the heading under which pages list them.
struct SourceGroup {
  std::string_view title;
  std::span<const Source> sources;
};

/// All sources. A new file of rows is entered here; what is not here cannot be cited.
inline constexpr std::array kSources{
    SourceGroup{"Gardener", kGardenerSources},
    SourceGroup{"Gardener's provider extensions", kProviderExtensionsSources},
    SourceGroup{"Other provider extensions", kCommunityProvidersSources},
    SourceGroup{"Gardener's network extensions", kNetworkExtensionsSources},
    SourceGroup{"Calico and Cilium", kNetworkPluginsSources},
    SourceGroup{"Cloud controllers", kCloudControllersSources},
    SourceGroup{"Clouds", kCloudsSources},
    SourceGroup{"Standards and systems", kStandardsSources},
};

// A citation is the text by which a value names its sources, such as
// "gardener-extension-provider-aws docs/usage/ipv6.md: quota; RFC 791". The compiler reads it: a
// part that names no row of this folder does not compile, so that every value has a source with a
// date. A part is one of
//   - the name of a source, without "gardener/" for Gardener's extensions; behind ": " a remark;
//   - a folder of a repository, for all sources inside it;
//   - a name with <name>, for the sources of all providers that have it;
//   - a value without an external source: kUnsourced.

/// Beginnings of citations without a source outside of the program.
inline constexpr std::array<std::string_view, 7> kUnsourced{
    "assumed: ",                    // Behind it, the reason.
    "no measurement is published",  // A duration or a rate that is assumed for that reason.
    "not known",
    "the landscape's operator",  // Decides it.
    "landscape.",                // A setting of the command line.
    "--",                        // An option of it.
    "topologies/",               // This program's own rule.
};

/// Equals std::string_view::starts_with, in one step: compilers limit the steps of a constant.
constexpr bool has_start(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         __builtin_memcmp(text.data(), start.data(), start.size()) == 0;
}

constexpr bool is_unsourced(std::string_view part) {
  return std::ranges::any_of(kUnsourced,
                             [&](std::string_view start) { return has_start(part, start); });
}

inline constexpr std::string_view kOwner = "gardener/";
inline constexpr std::string_view kOwnersExtension = "gardener/gardener-extension-";
inline constexpr std::string_view kAnyName = "<name>";

/// A source's name as citations write it.
constexpr std::string_view short_name(const Source& source) {
  return has_start(source.name, kOwnersExtension) ? source.name.substr(kOwner.size()) : source.name;
}

/// Whether `name` is `pattern` or a file in that folder; `<name>` stands for lower-case letters.
constexpr bool names(std::string_view pattern, std::string_view name) {
  while (true) {
    const std::size_t any = pattern.find('<');
    const std::string_view literal = pattern.substr(0, any);
    if (!has_start(name, literal)) return false;
    name.remove_prefix(literal.size());
    if (any == pattern.npos) return name.empty() || name.front() == '/';
    const std::size_t letters = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
    if (letters == 0) return false;
    name = name.substr(std::min(letters, name.size()));
    pattern.remove_prefix(any + kAnyName.size());
  }
}

/// Calls `take` with each source that a part of a citation names; returns how many there are.
template <typename Take>
constexpr std::size_t for_each_source(std::string_view part, const Take& take) {
  const std::string_view pattern = part.substr(0, part.find(": "));
  // Most names differ in what comes before the first <name>, which is found once.
  const std::string_view literal = pattern.substr(0, pattern.find('<'));
  std::size_t found = 0;
  for (const SourceGroup& group : kSources)
    for (const Source& source : group.sources) {
      const std::string_view name = short_name(source);
      if (!has_start(name, literal) || !names(pattern, name)) continue;
      take(source);
      ++found;
    }
  return found;
}

/// Calls `take` with each part of a citation.
template <typename Take>
constexpr void for_each_part(std::string_view text, const Take& take) {
  constexpr std::string_view kBetween = "; ";
  while (true) {
    const std::size_t end = text.find(kBetween);
    take(text.substr(0, end));
    if (end == text.npos) return;
    text.remove_prefix(end + kBetween.size());
  }
}

class Citation {
 public:
  constexpr Citation() = default;
  /// Fails to compile if a part names no source. `text` has static storage duration.
  consteval Citation(const char* text) : text_(text) {  // NOLINT: a literal is a citation
    for_each_part(text_, [](std::string_view part) {
      if (!is_unsourced(part) && for_each_source(part, [](const Source&) {}) == 0)
        throw "this citation names no row of topologies/sources";
    });
  }

  constexpr bool empty() const { return text_.empty(); }
  /// The citation as written, without date: for findings and reasons.
  constexpr std::string_view text() const { return text_; }
  constexpr bool is_assumed() const { return text_.starts_with(kUnsourced[0]); }

  std::vector<const Source*> sources() const;
  /// The date of the newest of its sources; empty if it has none.
  std::string_view date() const;
  /// For pages and JSON: "gardener-extension-provider-aws docs/usage/ipv6.md (commit 2ff8d81,
  /// 2026-08-21); RFC 791 (1981-09)".
  std::string dated() const;

  constexpr bool operator==(const Citation&) const = default;

 private:
  std::string_view text_;
};

/// Citation::dated of a text that may have come from a Citation; another text stays as it is.
std::string with_dates(std::string_view text);

}  // namespace overlane::sources

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

/// All sources. Add new files of rows here: a source that is not listed cannot be cited.
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
//   - the name of a source, without "gardener/" for Gardener's extensions, and a remark after ": ";
//   - a folder of a repository, for all sources inside it;
//   - a name with <name>, for the sources of all providers that have it;
//   - a value without an external source: kUnsourced.

/// Prefixes of citations without a source outside of this program.
inline constexpr std::array<std::string_view, 7> kUnsourced{
    "assumed: ",                    // Followed by the reason.
    "no measurement is published",  // For an assumed duration or rate.
    "not known",
    "the landscape's operator",  // The operator decides the value.
    "landscape.",                // A setting of the command line.
    "--",                        // An option of the command line.
    "topologies/",               // A rule of this program itself.
};

/// Same result as std::string_view::starts_with, in one step: compilers limit the number of steps
/// in the evaluation of a constant.
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

/// The name of a source in citations.
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

/// Calls `take` with each source that a part of a citation names. Returns the number of sources.
template <typename Take>
constexpr std::size_t for_each_source(std::string_view part, const Take& take) {
  const std::string_view pattern = part.substr(0, part.find(": "));
  // Most names differ in the text before the first <name>, so compare that first.
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

/// A citation that was checked at compile time. It refers to a text with static storage duration.
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
  /// The date of the newest source; empty without a source.
  std::string_view date() const;
  /// The citation with dates, for pages and JSON: "gardener-extension-provider-aws
  /// docs/usage/ipv6.md (commit 2ff8d81, 2026-08-21); RFC 791 (1981-09)".
  std::string dated() const;

  constexpr bool operator==(const Citation&) const = default;

 private:
  std::string_view text_;
};

/// Citation::dated() of a text that may come from a Citation; other texts are returned unchanged.
std::string with_dates(std::string_view text);

}  // namespace overlane::sources

#pragma once

// Helpers for tests that every format of a document contains every text. They reduce the texts of
// the document and of a rendering to plain words, without the markup of the format, so that both
// can be compared.

#include <string>
#include <string_view>
#include <vector>

#include "results/answer/document.h"

namespace overlane::answer::testing {

enum class Format { Text, Markdown, Html };

/// Words separated by single blanks, in lower case (headings differ), without backquotes.
std::string words_of(std::string_view text);
/// Words of a rendering, without markup, entities, escapes, and line breaks of commands.
std::string words_of(std::string_view rendering, Format format);

/// All strings and field names of a JSON text, one per line; empty if the JSON is invalid.
std::string strings_of_json(std::string_view text);

/// The texts whose words do not occur in `words` (words_of()), in the order of `texts`.
std::vector<std::string> missing_texts(const std::vector<std::string>& texts,
                                       std::string_view words);
/// The texts of the document up to `detail` (texts_of()) that the rendering does not contain.
std::vector<std::string> missing_texts(const Document& document, Detail detail,
                                       std::string_view rendering, Format format);

/// A document with every kind of block, whose texts need escapes in every format.
Document example_document();

}  // namespace overlane::answer::testing

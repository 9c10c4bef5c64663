#pragma once

// Tests that every format of a document has all of it: its texts and those of a rendering in the
// same form, without what only the format needs.

#include <string>
#include <string_view>
#include <vector>

#include "results/answer/document.h"

namespace overlane::answer::testing {

enum class Format { Text, Markdown, Html };

/// Words separated by single blanks, in lower case (headings differ), without backquotes.
std::string words_of(std::string_view text);
/// Words of a rendering: without line breaks of commands, markup, entities and escapes.
std::string words_of(std::string_view rendering, Format format);

/// All strings of a JSON text and the names of its fields, one a line; empty if it is invalid.
std::string strings_of_json(std::string_view text);

/// Those of the texts that are not among the words.
std::vector<std::string> missing_texts(const std::vector<std::string>& texts,
                                       std::string_view words);
/// Those of the document's texts that a rendering lacks.
std::vector<std::string> missing_texts(const Document& document, Detail detail,
                                       std::string_view rendering, Format format);

/// A document with every kind of block in which texts need escapes in each format.
Document example_document();

}  // namespace overlane::answer::testing

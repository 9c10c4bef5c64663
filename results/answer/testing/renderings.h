#pragma once

// Helpers for tests that no format of a document leaves out a text. They bring the texts of the
// document and those of a rendering to one form: plain words, without the markup of the format.

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

/// The texts whose words do not occur in `words` (words_of), in their order.
std::vector<std::string> missing_texts(const std::vector<std::string>& texts,
                                       std::string_view words);
/// The document's texts up to `detail` (texts_of) that a rendering lacks.
std::vector<std::string> missing_texts(const Document& document, Detail detail,
                                       std::string_view rendering, Format format);

/// A document with every kind of block in which texts need escapes in each format.
Document example_document();

}  // namespace overlane::answer::testing

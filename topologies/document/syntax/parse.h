#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "results/base/result.h"
#include "results/finding/finding.h"
#include "topologies/document/syntax/cut.h"
#include "topologies/document/tree/json_tree.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

// From a text to its documents. split_into_chunks() cuts a text into parts that can be parsed
// independently (documents between `---` lines, items of lists), parse_chunk() parses one with
// the fastest parser that accepts it: simdjson, the plain YAML parser, or yaml-cpp. The cut
// depends on the text only, so that results do not depend on the number of threads. A bad
// document becomes a finding and does not hide the others.

/// Target size of a chunk; a larger object makes a larger chunk.
inline constexpr std::size_t kChunkBytes = std::size_t{128} << 10;
/// Maximum size of a document other than a list, and of an item; larger ones are refused.
/// Kubernetes stores no object of more than 1.5 MiB (etcd's request limit).
inline constexpr std::size_t kMaxObjectBytes = std::size_t{64} << 20;

/// A part of a text that can be parsed independently of all others. The chunks, and thus the
/// result, depend only on the text.
struct Chunk {
  enum class Form {
    Documents,  ///< Small documents, separated by `---` lines.
    Document,   ///< One document.
    JsonTexts,  ///< `parts` are consecutive JSON documents.
    JsonItems,  ///< `parts` are items of `list`, in JSON.
    YamlItems,  ///< `parts` are items of `list`, in YAML.
    Refused,    ///< Only `refusal` is set.
  };
  Form form = Form::Documents;
  TextPart text;  ///< Includes the parts and the text between them.
  std::vector<std::string_view> parts;
  std::shared_ptr<const ListHead> list;
  std::size_t first_item = 0;
  std::optional<Finding> refusal;
};

/// Splits `text`, which consists of whole documents, into chunks, in order. After `add` gets a
/// chunk, the text up to the end of the chunk is not read again.
void split_into_chunks(const TextPart& text, const std::function<void(Chunk)>& add);

/// Parses a chunk. Each document, or item of a `kind: List` document, becomes a Tree or a finding.
void parse_chunk(const Chunk& chunk, JsonTreeParser& json,
                 const std::function<void(Result<Tree>)>& take);

/// The documents of one input in order, and one finding per refused document.
struct Stream {
  std::vector<Tree> documents;
  Findings findings;

  void append(Stream other);
  void add(Result<Tree> document);
  /// Removes and returns the documents for which `wanted` is true; calls it once per document.
  std::vector<Tree> take_if(const std::function<bool(const Tree&)>& wanted);
};

/// Reads every document of a text. Documents are separated by `---` lines; JSON documents may
/// follow each other directly. Each item of a `kind: List` (or ShootList …) document becomes a
/// document (Tree::list). A bad document does not hide the others: invalid UTF-8, invalid YAML, or
/// an `elision` (content after a `...` line without `---`, or a `...` line where YAML allows none),
/// which marks an excerpt. Empty documents are skipped; a text without any document gives the
/// finding `empty-file`.
Stream parse(std::string_view text, const std::string& file);

}  // namespace overlane::document

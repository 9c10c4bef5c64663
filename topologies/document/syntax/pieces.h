#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "results/finding/result.h"
#include "topologies/document/syntax/cut.h"
#include "topologies/document/tree/json_tree.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// About how much text makes one Piece; an object alone may be larger.
inline constexpr std::size_t kPieceBytes = std::size_t{128} << 10;
/// A document that is no list, or an item of one, is refused beyond this. Kubernetes stores no
/// object of more than 1.5 MiB (etcd's request limit).
inline constexpr std::size_t kMaximumObjectBytes = std::size_t{64} << 20;

/// A part of a text that can be parsed apart from all others, in any order. The pieces, and so what
/// is read, depend on the text alone.
struct Piece {
  enum class Form {
    Documents,  ///< Small ones, `---` lines between them.
    Document,   ///< One, to be parsed as a whole.
    JsonTexts,  ///< `parts`, one after the other.
    JsonItems,  ///< `parts` are items of `list`.
    YamlItems,  ///< The same.
    Refused,    ///< There is only `refusal`.
  };
  Form form = Form::Documents;
  TextPart text;  ///< With the parts, and what stands between them.
  std::vector<std::string_view> parts;
  std::shared_ptr<const ListHead> list;
  std::size_t first_item = 0;
  std::optional<Finding> refusal;
};

/// Cuts `text`, which holds whole documents, into pieces, in their order. Once `add` has a piece,
/// nothing of the text up to the piece's end is read here any more.
void cut_pieces(const TextPart& text, const std::function<void(Piece)>& add);

/// Parses a piece. Each document, or item of a `kind: List` document, is a Tree or a finding.
void parse_piece(const Piece& piece, JsonReader& json,
                 const std::function<void(Result<Tree>)>& take);

}  // namespace overlane::document

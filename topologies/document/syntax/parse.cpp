#include "topologies/document/syntax/parse.h"

#include <iterator>
#include <utility>

#include "topologies/document/syntax/chunks.h"
#include "topologies/document/tree/text_check.h"

namespace overlane::document {

void Stream::append(Stream other) {
  documents.insert(documents.end(), std::make_move_iterator(other.documents.begin()),
                   std::make_move_iterator(other.documents.end()));
  findings.insert(findings.end(), std::make_move_iterator(other.findings.begin()),
                  std::make_move_iterator(other.findings.end()));
}

void Stream::add(Result<Tree> document) {
  if (document)
    documents.push_back(*std::move(document));
  else
    findings.push_back(std::move(document.error()));
}

std::vector<Tree> Stream::take_if(const std::function<bool(const Tree&)>& wanted) {
  std::vector<Tree> taken;
  std::erase_if(documents, [&](const Tree& document) {
    if (!wanted(document)) return false;
    taken.push_back(document);
    return true;
  });
  return taken;
}

Stream parse(std::string_view text, const std::string& file) {
  Stream stream;
  const Origin origin{file};
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string without_carriage_returns;
  if (has_lone_carriage_return(text)) {
    without_carriage_returns = text;
    replace_lone_carriage_returns(without_carriage_returns);
    text = without_carriage_returns;
  }
  JsonReader json;
  split_into_chunks({text, origin}, [&](const Chunk& chunk) {
    parse_chunk(chunk, json, [&](Result<Tree> document) { stream.add(std::move(document)); });
  });
  if (stream.documents.empty() && stream.findings.empty())
    stream.findings.push_back(empty_file(file));
  return stream;
}

}  // namespace overlane::document

#include "results/answer/testing/renderings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <nlohmann/json.hpp>

namespace overlane::answer::testing {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// Without fences, bars of tables, emphasis and backslashes before markup; code is verbatim.
std::string without_markdown(std::string_view text) {
  std::string plain;
  bool is_block = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    if (line.substr(first).starts_with("```")) {
      is_block = !is_block;
      continue;
    }
    if (is_block) {
      plain += std::string(line) + '\n';
      continue;
    }
    bool is_code = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const bool is_escape = c == '\\' && i + 1 < line.size() && (!is_code || line[i + 1] == '|');
      if (is_escape)
        plain += line[++i];
      else if (c == '`')
        is_code = !is_code;
      else if (c == '|')
        plain += ' ';
      else if (c != '*' || is_code)
        plain += c;
    }
    plain += '\n';
  }
  return plain;
}

/// The text of a page's body. Elements within a line leave no gap.
std::string without_html(std::string_view page) {
  const std::size_t begin = page.find("<body>");
  if (begin != page.npos) page.remove_prefix(begin);
  page = page.substr(0, page.find("<script"));
  std::string plain;
  while (!page.empty()) {
    if (page.front() != '<') {
      const std::size_t end = std::min(page.find('<'), page.size());
      plain += page.substr(0, end);
      page.remove_prefix(end);
      continue;
    }
    const std::size_t end = page.find('>');
    const std::string_view tag = page.substr(0, end);
    const bool is_inline =
        tag == "<b" || tag.starts_with("<b ") || tag == "</b" || tag == "<code" || tag == "</code";
    if (!is_inline) plain += ' ';
    page.remove_prefix(end + 1);
  }
  for (const auto& [entity, character] :
       std::array<std::pair<std::string_view, std::string_view>, 5>{
           {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}}})
    replace_all(plain, entity, character);
  return plain;
}

}  // namespace

std::string words_of(std::string_view text) {
  std::string words;
  for (const char c : text) {
    if (c == '`') continue;
    const bool is_blank = c == ' ' || c == '\n';
    if (is_blank && (words.empty() || words.back() == ' ')) continue;
    words += is_blank ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (words.ends_with(' ')) words.pop_back();
  return words;
}

std::string words_of(std::string_view rendering, Format format) {
  switch (format) {
    case Format::Text: {
      std::string text(rendering);
      replace_all(text, " \\\n", " ");
      return words_of(text);
    }
    case Format::Markdown:
      return words_of(without_markdown(rendering));
    case Format::Html:
      return words_of(without_html(rendering));
  }
  return "";
}

std::string strings_of_json(std::string_view text) {
  using Event = nlohmann::json::parse_event_t;
  std::string strings;
  const auto add = [&](int, Event event, nlohmann::json& value) {
    if ((event == Event::value || event == Event::key) && value.is_string())
      strings += value.get<std::string>() + '\n';
    return true;
  };
  const bool is_valid = !nlohmann::json::parse(text, add, false).is_discarded();
  return is_valid ? strings : "";
}

std::vector<std::string> missing_texts(const std::vector<std::string>& texts,
                                       std::string_view words) {
  std::vector<std::string> missing;
  for (const std::string& text : texts)
    if (words.find(words_of(text)) == words.npos) missing.push_back(text);
  return missing;
}

std::vector<std::string> missing_texts(const Document& document, Detail detail,
                                       std::string_view rendering, Format format) {
  return missing_texts(texts_of(document, detail), words_of(rendering, format));
}

Document example_document() {
  Document document{.title = "Switch of a_b <one> | two", .sections = {}};
  document.sections.push_back(
      {.heading = "",
       .blocks = {VerdictLine{"no-go", Tone::Bad, "garden-dev/one: *all* pods & \"nodes\" <stop>."},
                  Paragraph{Tone::Warning, "warning", "set `ip link set a|b down` on 2_nodes"}}});
  document.sections.push_back(
      {.heading = "recommended: today",
       .blocks = {
           Steps{{{.action = "Patch the shoot.",
                   .commands = {{.text = "kubectl -n garden-dev patch shoot one --type merge "
                                         "-p '{\"spec\": {\"a long key\": \"a long value\", "
                                         "\"and\": \"more <of> it\"}}'",
                                 .cluster = "garden"},
                                {.text = "for node in a b; do\n  echo \"$node\"\ndone",
                                 .cluster = "shoot"}},
                   .wait_for = "all pods are ready",
                   .undo = "patch it back",
                   .undo_commands = {{.text = "kubectl undo", .cluster = "garden"}}}}},
           Commands{{{.text = "true", .cluster = ""}}}}});
  document.sections.push_back(
      {.heading = "strategies",
       .blocks = {Table{.title = "",
                        .columns = {{"verdict"}, {"longest", Align::Left}},
                        .rows = {{.label = "by hand", .cells = {}, .explanation = ""},
                                 {.label = "a_b",
                                  .cells = {{.text = "go|stop"}, {.text = "1.0 s", .share = 1}},
                                  .explanation = "explained by `x|y`"},
                                 {.label = "today",
                                  .cells = {{.text = ""}, {.text = "never over"}},
                                  .explanation = ""}}}}});
  document.sections.push_back(
      {.heading = "afterwards",
       .blocks = {List{{"the device tunl0 stays"}}, Facts{{{"12.0 s", "gardenlet: ready"}}},
                  Verbatim{{"  a|b  ▁▄█ <60 %>"}}}});
  document.sections.push_back({.heading = "over time",
                               .blocks = {Chart{.title = "interrupted",
                                                .shade = "pairs",
                                                .axis = "after the change",
                                                .begin = 0,
                                                .end = 10'800,
                                                .rows = {{"node <1>", {0, 1'000'000, 0, 300'000}}},
                                                .lanes = {{"gardenlet", {{60, "is & ready"}}}}}},
                               .detail = Detail::OnRequest});
  document.sections.push_back({.heading = "picture",
                               .blocks = {Paragraph{.text = "on pages"}},
                               .detail = Detail::PageOnly});
  return document;
}

}  // namespace overlane::answer::testing

#include "tools/overlane/cli/choice.h"

#include <algorithm>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace overlane::command {

void add_word(CLI::App& verb, const std::string& names, const std::vector<std::string_view>& words,
              std::function<void(std::size_t)> choose, const std::string& what) {
  const auto take = [&verb, names, words, choose = std::move(choose)](const std::string& word) {
    const auto at = std::ranges::find(words, word);
    if (at == words.end()) {
      const std::string option = "--" + word;  // For example --sarif instead of -o sarif.
      throw CLI::ValidationError(
          names,
          fmt::format("\"{}\" is not supported; choose one of {}{}", word, fmt::join(words, ", "),
                      verb.get_option_no_throw(option) == nullptr
                          ? ""
                          : fmt::format(", or give {} FILE", option)));
    }
    choose(static_cast<std::size_t>(at - words.begin()));
  };
  verb.add_option_function<std::string>(names, take, what)
      ->type_name(fmt::format("{}", fmt::join(words, "|")));
}

}  // namespace overlane::command

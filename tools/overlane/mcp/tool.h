#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/finding/finding.h"
#include "tools/overlane/cli/outline.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/mcp/json_rpc.h"

// A tool of the server is a verb of the command line with those of its options that a tool may set.
// Names, texts, words and ranges of the arguments come from the verb's parser (cli/outline.h). An
// option can be reached only if the tool's row lists it; the rows list none that writes a file.
// Tools are immutable, and any thread may read them.
namespace overlane::mcp {

/// The way in which an argument becomes an option.
enum class ArgumentForm {
  Option,  ///< A flag, a word, a number, a text, or a list of texts, by the parser.
  List,    ///< A list of texts, for an option that the parser declares as one text.
  Pair,    ///< A list of two texts that follow the option.
  Word,    ///< A text, for a flag that takes an optional value.
};

struct ArgumentRow {
  std::string_view option;  ///< "--max-outage"; the argument is called max_outage.
  ArgumentForm form = ArgumentForm::Option;
};

/// A row of the table of tools.
struct ToolRow {
  command::VerbFacts verb;  ///< Its name is the tool's, too.
  std::string_view title;
  std::string_view purpose;  ///< Questions that the tool answers, after the verb's description.
  std::span<const ArgumentRow> arguments;
  /// An option that each call has; empty: none.
  std::string_view fixed_option;
  /// The schema of the verb's JSON document; nullptr: none is published.
  Json (*output_schema)() = nullptr;
};

/// A call of a verb.
struct VerbCall {
  command::VerbFacts verb;
  std::vector<std::string> arguments;  ///< The verb and its arguments, without the program's name.
  std::string input;                   ///< The text of standard input.
};

/// A tool, with the outline of its verb.
class Tool {
 public:
  explicit Tool(const ToolRow& row);

  std::string_view name() const { return row_->verb.name; }
  /// The tool's entry in the result of tools/list.
  Json description() const;
  /// The call for these arguments, an object; the message if they do not fit the schema.
  Result<VerbCall, std::string> call(const Json& arguments) const;

 private:
  struct Argument {
    std::string name;
    ArgumentForm form{};
    command::OptionOutline option;
  };

  static Json schema_of(const Argument& argument);
  static Result<void, std::string> append(const Argument& argument, const Json& value,
                                          std::vector<std::string>& words);
  Result<void, std::string> check_names(const Json& arguments) const;

  const ToolRow* row_;
  std::string description_;
  bool needs_path_ = false;  ///< The verb requires paths.
  std::vector<Argument> arguments_;
};

}  // namespace overlane::mcp

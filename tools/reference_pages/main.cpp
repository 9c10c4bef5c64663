#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "scenarios/migration/inputs/load.h"
#include "tools/reference_pages/pages.h"

// overlane-reference-pages: prints one page of docs/reference, or the rows for tools/check-facts.
// tools/write-docs writes the files. The page on mixed nodes needs the manifests of a shoot.

namespace {

using namespace overlane;

std::string rules() {
  return reference_pages::rules_page(check::RuleBook());
}

struct Page {
  std::string_view name;
  std::string (*text)();
};

constexpr Page kPages[] = {{"rules", rules},
                           {"providers", reference_pages::provider_page},
                           {"facts", reference_pages::facts_page},
                           {"facts-json", reference_pages::facts_json},
                           {"migration-timing", reference_pages::timing_page},
                           {"drop-reasons", reference_pages::drops_page},
                           {"regimes", reference_pages::regimes_page}};

int print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0
             ? 0
             : 1;
}

int print_mixed_nodes(const char* manifests) {
  migration::LoadRequest request;
  request.paths = {manifests};
  request.to = migration::Target::Routed;
  const auto loaded = migration::load(request);
  if (loaded) return print(reference_pages::mixed_nodes_page(loaded->transition));
  for (const Finding& finding : loaded.error().findings)
    std::fprintf(stderr, "%s\n", finding.to_string().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  if (argc == 3 && arguments[1] == std::string_view("mixed-nodes"))
    return print_mixed_nodes(arguments[2]);
  for (const Page& page : kPages)
    if (argc == 2 && arguments[1] == page.name) return print(page.text());
  std::fprintf(stderr,
               "usage: overlane-reference-pages "
               "rules|providers|facts|facts-json|migration-timing|drop-reasons\n"
               "       overlane-reference-pages mixed-nodes MANIFESTS\n");
  return 2;
}

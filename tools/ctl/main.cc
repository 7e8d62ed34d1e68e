#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "tools/ctl/console.h"
#include "tools/ctl/sluicectl.h"

namespace {

// As wide as terminals were before windows, for one that does not tell.
constexpr size_t kDefaultColumns = 80;

size_t TerminalColumns() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefaultColumns;
  return size.ws_col;
}

}  // namespace

int main(int argc, char** argv) {
  sluice::Console console(std::cout, std::cerr, isatty(STDOUT_FILENO) == 1, TerminalColumns());
  return sluice::RunSluicectl(std::vector<std::string>(argv + 1, argv + argc), console);
}

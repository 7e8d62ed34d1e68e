#include "tools/ctl/testing/command_fixture.h"

#include <cstdlib>
#include <iterator>
#include <vector>

#include "tools/ctl/console.h"
#include "tools/ctl/sluicectl.h"

namespace sluice {

CommandFixture::CommandFixture() {
  setenv("XDG_STATE_HOME", (testing::TempDir() + "/nothing-here").c_str(), 1);
}

int CommandFixture::RunLine(const std::string& line) {
  out_.str("");
  err_.str("");
  std::istringstream words(line);
  const std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
  Console console(out_, err_, /*interactive=*/false, 80);
  return RunSluicectl(arguments, console);
}

}  // namespace sluice

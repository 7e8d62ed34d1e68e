#ifndef TOOLS_CTL_SLUICECTL_H_
#define TOOLS_CTL_SLUICECTL_H_

#include <string>
#include <vector>

#include "tools/ctl/console.h"

namespace sluice {

// Reads a command line (without the program's name), runs its command and returns the exit code:
// 0, 1 when the gateway or the world said no, 2 when the command line is wrong.
int RunSluicectl(const std::vector<std::string>& arguments, Console& console);

}  // namespace sluice

#endif  // TOOLS_CTL_SLUICECTL_H_

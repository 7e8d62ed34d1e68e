#ifndef TOOLS_CTL_LEG_OPTIONS_H_
#define TOOLS_CTL_LEG_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "tools/ctl/leg_flags.h"

namespace sluice {

// Gives `command` the flags of a leg that can be said when it is made and changed later. `flags`
// outlives the command.
void AddChangeableLegOptions(CLI::App& command, LegFlags& flags);

}  // namespace sluice

#endif  // TOOLS_CTL_LEG_OPTIONS_H_

#include "tools/ctl/leg_update.h"

#include "tools/ctl/leg_options.h"

namespace sluice {

void AddLegUpdateOptions(CLI::App& command, LegUpdateFlags& flags) {
  AddChangeableLegOptions(command, flags.config);
  command.add_flag("--resume", flags.config.resume, "the end of --hold");
  command.add_option("--local-key", flags.local_key,
                     "prepare: make and show a new key; activate: protect with it from now on; "
                     "retire: forget it, with --local-mki");
  command
      .add_option("--retire-remote-key", flags.retire_remote_mkis,
                  "VALUE:BYTES: forget the peer's key with this MKI; may be repeated")
      ->expected(1)
      ->take_all();
}

}  // namespace sluice

#include "tools/ctl/leg_options.h"

namespace sluice {
namespace {

// What the interceptors of a leg go by.
void AddInterceptorOptions(CLI::App& command, LegFlags& flags) {
  command
      .add_option("--extension", flags.header_extensions,
                  "ID=URI of a header extension; may be repeated")
      ->expected(1)
      ->take_all();
  command
      .add_option("--stream", flags.remote_streams,
                  "SSRC[,rtx=SSRC][,fec=SSRC]: SSRCs of the peer that belong together; may be "
                  "repeated")
      ->expected(1)
      ->take_all();
  command
      .add_option("--interceptor", flags.interceptors,
                  "NAME=on|off: whether a mechanism works on the leg's packets; default: what was "
                  "negotiated; may be repeated")
      ->expected(1)
      ->take_all();
  command.add_option(
      "--rtcp", flags.rtcp,
      "forward: the peer's RTCP goes to where its media goes; terminate: the gateway "
      "is its RTCP partner; default: terminate where feedback was negotiated");
  command.add_flag("--reduced-size-rtcp", flags.reduced_size_rtcp,
                   "RTCP need not begin with a report (RFC 5506)");
}

}  // namespace

void AddChangeableLegOptions(CLI::App& command, LegFlags& flags) {
  command.add_option("--remote", flags.remote, "ADDRESS:PORT where the peer receives RTP");
  command.add_option("--remote-rtcp", flags.remote_rtcp,
                     "ADDRESS:PORT where it receives RTCP; default: the port above --remote");
  command.add_option("--source", flags.source,
                     "ADDRESS:PORT that it sends RTP from, if not --remote");
  command.add_option("--source-rtcp", flags.source_rtcp,
                     "ADDRESS:PORT that it sends RTCP from, if not --remote-rtcp");
  command.add_option("--remote-key", flags.remote_key,
                     "key the peer protects with: SUITE:inline:BASE64, with |VALUE:BYTES behind it "
                     "where packets carry an MKI, or @FILE with that in it");
  command.add_option("--remote-suite", flags.remote_suite,
                     "suite of --remote-key, if it is only BASE64");
  command
      .add_option("--local-option", flags.local_options,
                  "KEY=VALUE: how the gateway protects, such as cryptex=required; may be repeated")
      ->expected(1)
      ->take_all();
  command
      .add_option(
          "--remote-option", flags.remote_options,
          "KEY=VALUE: how the peer protects, such as rtp_replay_window=2048; may be repeated")
      ->expected(1)
      ->take_all();
  command.add_option("--local-mki", flags.local_mki,
                     "VALUE:BYTES: names the gateway's key, such as 1:4");
  command.add_flag("--learn", flags.learn,
                   "send to where packets come from, when they begin to come");
  command.add_flag("--strict", flags.strict, "accept packets from the signalled address only");
  command.add_option("--learning-window", flags.learning_window,
                     "how long --learn lasts, such as 10s");
  command
      .add_option("--payload-type", flags.payload_types,
                  "NUMBER:NAME/CLOCK[:FEEDBACK,...], such as 111:opus/48000 or "
                  "96:VP8/90000:nack,nack-pli; may be repeated")
      ->expected(1)
      ->take_all();
  command
      .add_option("--remote-ssrc", flags.remote_ssrcs,
                  "accept RTP with this SSRC only; may be repeated")
      ->expected(1)
      ->take_all();
  AddInterceptorOptions(command, flags);
  command.add_flag("--hold", flags.hold, "send nothing to this leg and forward nothing from it");
}

}  // namespace sluice

#ifndef TOOLS_CTL_DEMO_FAR_END_H_
#define TOOLS_CTL_DEMO_FAR_END_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/gateway/v1/leg.pb.h"
#include "tools/ctl/demo/child_process.h"
#include "tools/ctl/demo/scratch_folder.h"
#include "tools/ctl/demo/tone_meter.h"
#include "tools/ctl/demo/udp_ports.h"

namespace sluice {

// One participant of the demo call: an ffmpeg that sends a tone (the source), and another one that
// receives and decodes what comes back (the sink). Order of use: StartSink, SinkListens until true,
// StartSource of the other one; whenever sink_fd() is readable, ReadSink. Waits for nothing itself.
class FarEnd {
 public:
  struct Options {
    std::string name;
    // An address of this machine.
    std::string ip;
    int sends_hz;
    int hears_hz;
  };

  // Takes free ports. The folder is for files and logs and must outlive this object.
  static absl::StatusOr<std::unique_ptr<FarEnd>> Create(const Options& options,
                                                        const ScratchFolder& folder);

  const std::string& name() const { return options_.name; }
  const Options& options() const { return options_; }

  // Where the sink receives and the source sends from, for a leg's configuration.
  gateway::v1::RemoteTransport Remote() const;

  // `key`: what those packets are protected with; none for plain RTP.
  absl::Status StartSink(const std::optional<gateway::v1::SrtpKey>& key);
  // Whether the sink is bound to its ports; an error when it has ended instead.
  absl::StatusOr<bool> SinkListens();

  // Sends for so many seconds, 0 for until StopSource, to these addresses.
  absl::Status StartSource(const gateway::v1::TransportAddress& rtp,
                           const gateway::v1::TransportAddress& rtcp,
                           const std::optional<gateway::v1::SrtpKey>& key, int seconds);

  void StopSource();
  // True also when it was never started.
  bool SourceEnded();
  // After the end of the source: RTP packets sent, if it knows.
  std::optional<uint64_t> SentPackets() const;

  // Readable when there is something to hear; -1 if the sink does not run.
  int sink_fd() const;
  void ReadSink();
  const ToneMeter& heard() const { return heard_; }

  void StopSink();
  bool SinkEnded();

  // What went wrong with a process by itself, with the end of its log; OK if nothing did.
  absl::Status CheckProcesses();
  // The last lines that source and sink wrote, without keys.
  std::string LastWords() const;

 private:
  FarEnd(const Options& options, const ScratchFolder& folder, PortPair source_ports,
         PortPair sink_ports);

  std::string Tail(const ChildProcess& process) const;

  const Options options_;
  const ScratchFolder& folder_;
  PortPair source_ports_;
  PortPair sink_ports_;
  ToneMeter heard_;
  // As they stand in files, to be kept out of what is shown of logs.
  std::vector<std::string> key_texts_;
  std::unique_ptr<ChildProcess> source_;
  std::unique_ptr<ChildProcess> sink_;
  bool sink_closed_ = false;
  bool stopping_sink_ = false;
};

}  // namespace sluice

#endif  // TOOLS_CTL_DEMO_FAR_END_H_

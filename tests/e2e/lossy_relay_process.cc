#include "tests/e2e/lossy_relay_process.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "tests/e2e/deadline.h"

namespace sluice {
namespace {

using google::protobuf::Struct;

// Where the build put the binary; a test starts in the folder that this is relative to.
constexpr char kBinary[] = "tools/load/lossy_relay";

std::string Endpoint(const pb::TransportAddress& address) {
  return absl::StrCat(address.ip(), ":", address.port());
}

// The next line that the program prints, read as a JSON object.
absl::StatusOr<Struct> ReadObject(const ChildProcess& child) {
  const Deadline deadline = Deadline::Generous();
  std::string line;
  pollfd readable = {.fd = child.stdout_fd(), .events = POLLIN, .revents = 0};
  char c = 0;
  while (poll(&readable, 1, deadline.PollTimeout()) == 1 && read(child.stdout_fd(), &c, 1) == 1 &&
         c != '\n') {
    line.push_back(c);
  }
  Struct object;
  if (!google::protobuf::util::JsonStringToMessage(line, &object).ok()) {
    return absl::InternalError(
        absl::StrCat("the relay printed \"", line, "\" and says: ", child.StderrText()));
  }
  return object;
}

// The member of that name; an empty value when there is none.
google::protobuf::Value Member(const Struct& object, absl::string_view name) {
  const auto found = object.fields().find(std::string(name));
  return found == object.fields().end() ? google::protobuf::Value() : found->second;
}

uint64_t Number(const Struct& object, absl::string_view name) {
  return static_cast<uint64_t>(Member(object, name).number_value());
}

RelayedPackets Packets(const Struct& direction, absl::string_view kind) {
  const Struct counts = Member(direction, kind).struct_value();
  return {.forwarded = Number(counts, "forwarded"), .dropped = Number(counts, "dropped")};
}

RelayReport Report(const Struct& direction) {
  RelayReport report;
  report.rtp = Packets(direction, "rtp");
  report.rtcp = Packets(direction, "rtcp");
  report.other = Packets(direction, "other");
  for (const char* name : {"strangers", "no_destination", "not_sent", "overflowed"}) {
    report.unexpected += Number(direction, name);
  }
  return report;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LossyRelayProcess>> LossyRelayProcess::Start(
    const LossyRelayProcessOptions& options) {
  absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(
      {kBinary, "--a", Endpoint(options.a), "--b", Endpoint(options.b), "--loss",
       absl::StrCat(options.loss_percent), "--seed", absl::StrCat(options.seed)},
      ChildProcess::Stdout::kPipe);
  if (!child.ok()) {
    return child.status();
  }
  std::unique_ptr<LossyRelayProcess> relay(new LossyRelayProcess(*std::move(child)));
  const absl::StatusOr<Struct> ports = ReadObject(*relay->child_);
  if (!ports.ok()) {
    return ports.status();
  }
  for (size_t end = 0; end < relay->addresses_.size(); ++end) {
    relay->addresses_[end].set_ip("127.0.0.1");
    relay->addresses_[end].set_port(static_cast<uint32_t>(Number(*ports, end == 0 ? "a" : "b")));
  }
  return relay;
}

absl::StatusOr<std::array<RelayReport, 2>> LossyRelayProcess::Stop() {
  child_->Signal(SIGTERM);
  const absl::StatusOr<Struct> counts = ReadObject(*child_);
  if (!counts.ok()) {
    return counts.status();
  }
  return std::array<RelayReport, 2>{Report(Member(*counts, "a_to_b").struct_value()),
                                    Report(Member(*counts, "b_to_a").struct_value())};
}

}  // namespace sluice

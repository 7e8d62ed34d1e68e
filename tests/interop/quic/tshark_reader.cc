#include "tests/interop/quic/tshark_reader.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/data_size.h"
#include "gtest/gtest.h"
#include "tests/e2e/child_process.h"

namespace sluice {
namespace {

// As tshark prints it; what is not sent is "".
struct NamedValue {
  const char* name;
  std::string value;
};

std::string Number(int64_t value, int64_t absent) {
  return value == absent ? "" : absl::StrCat(value);
}
std::string Number(uint64_t value, uint64_t absent) {
  return value == absent ? "" : absl::StrCat(value);
}

// All that EndpointParameters have and tshark has a name for, with what their absence means.
std::vector<NamedValue> ValuesOf(const EndpointParameters& p) {
  const EndpointParameters absent;
  const auto size = [](DataSize value, DataSize without) {
    return Number(value.bytes(), without.bytes());
  };
  return {
      {"max_idle_timeout", Number(p.max_idle_timeout.ms(), absent.max_idle_timeout.ms())},
      {"max_udp_payload_size", size(p.max_udp_payload_size, absent.max_udp_payload_size)},
      {"initial_max_data", size(p.initial_max_data, absent.initial_max_data)},
      {"initial_max_stream_data_bidi_local",
       size(p.initial_max_stream_data_bidi_local, absent.initial_max_stream_data_bidi_local)},
      {"initial_max_stream_data_bidi_remote",
       size(p.initial_max_stream_data_bidi_remote, absent.initial_max_stream_data_bidi_remote)},
      {"initial_max_stream_data_uni",
       size(p.initial_max_stream_data_uni, absent.initial_max_stream_data_uni)},
      {"initial_max_streams_bidi",
       Number(p.initial_max_streams_bidi, absent.initial_max_streams_bidi)},
      {"initial_max_streams_uni",
       Number(p.initial_max_streams_uni, absent.initial_max_streams_uni)},
      {"ack_delay_exponent", Number(p.ack_delay_exponent, absent.ack_delay_exponent)},
      {"max_ack_delay", Number(p.max_ack_delay.ms(), absent.max_ack_delay.ms())},
      {"active_connection_id_limit",
       Number(p.active_connection_id_limit, absent.active_connection_id_limit)},
      {"max_datagram_frame_size", size(p.max_datagram_frame_size, absent.max_datagram_frame_size)},
  };
}

}  // namespace

std::vector<std::string> TsharkReader::Decode(const std::string& filter,
                                              const std::vector<std::string>& fields) const {
  std::vector<std::string> argv = {"env",
                                   // The machine's preferences are not ours.
                                   "HOME=/nonexistent", "LC_ALL=C", "tshark", "-n", "-r",
                                   packets_file_, "-o",
                                   absl::StrCat("tls.keylog_file:", keys_file_), "-d",
                                   absl::StrCat("udp.port==", port_, ",quic"), "-Y", filter, "-T",
                                   "fields", "-E", "separator=;"};
  for (const std::string& field : fields) {
    argv.push_back("-e");
    argv.push_back(field);
  }
  const absl::StatusOr<ProgramResult> result = RunProgram(std::move(argv));
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    return {};
  }
  EXPECT_EQ(result->exit_code, 0) << result->err;
  return absl::StrSplit(result->out, '\n', absl::SkipEmpty());
}

void TsharkReader::ExpectServerParameters(const EndpointParameters& expected) const {
  const std::vector<NamedValue> values = ValuesOf(expected);
  std::vector<std::string> fields;
  for (const NamedValue& value : values) {
    fields.push_back(absl::StrCat("tls.quic.parameter.", value.name));
  }
  const std::vector<std::string> lines = Decode(kEncryptedExtensions, fields);
  ASSERT_EQ(lines.size(), 1u);
  const std::vector<std::string> found = absl::StrSplit(lines[0], ';');
  ASSERT_EQ(found.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(found[i], values[i].value) << values[i].name;
  }
}

}  // namespace sluice

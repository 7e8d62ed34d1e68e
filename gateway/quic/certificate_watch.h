#ifndef GATEWAY_QUIC_CERTIFICATE_WATCH_H_
#define GATEWAY_QUIC_CERTIFICATE_WATCH_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "quic/tls/certificate_store.h"

namespace sluice {

// What became of a look at the files of a certificate.
enum class CertificateOutcome : uint8_t {
  kUnchanged,
  // New connections get what the files hold now.
  kReplaced,
  // They hold nothing that could be used: new connections get what they got before.
  kRefused,
};

// Takes a certificate into use that was renewed while the process runs. Says what it did in the
// log. One thread, but for the counters.
class CertificateWatch {
 public:
  // How often somebody should look. Certificates are renewed days before they end.
  static constexpr absl::Duration kInterval = absl::Seconds(30);

  // Takes the files as they are for what is in `store`, which outlives the watch.
  CertificateWatch(std::string certificate_file, std::string private_key_file,
                   CertificateStore& store);

  // Reads the files if they are others than at the last look: other times, sizes or files behind
  // the names. Something that was refused is not read again before it changes, since one of two
  // files may be written later than the other. `now` is the wall clock's.
  CertificateOutcome Check(absl::Time now);
  // Reads them in any case.
  CertificateOutcome Reload(absl::Time now);

  // Any thread.
  uint64_t replaced() const { return replaced_.load(std::memory_order_relaxed); }
  uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  // What tells one content of a file from another without reading it.
  struct FileState {
    dev_t device;
    ino_t inode;
    off_t size;
    int64_t modified_s;
    int64_t modified_ns;
    friend bool operator==(const FileState&, const FileState&) = default;
  };
  struct State {
    // nullopt: there is none.
    std::optional<FileState> certificate;
    std::optional<FileState> private_key;
    friend bool operator==(const State&, const State&) = default;
  };

  static std::optional<FileState> StateOf(const std::string& path);
  State Look() const;

  const std::string certificate_file_;
  const std::string private_key_file_;
  CertificateStore& store_;
  State seen_;
  std::atomic<uint64_t> replaced_ = 0;
  std::atomic<uint64_t> refused_ = 0;
};

}  // namespace sluice

#endif  // GATEWAY_QUIC_CERTIFICATE_WATCH_H_

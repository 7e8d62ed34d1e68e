#!/usr/bin/env python3
"""Writes the seeds of srtp_unprotect_fuzz into corpus/srtp_unprotect_fuzz; for whoever changes what its inputs mean.

What a fuzzer found and was fixed is added to that folder by hand, under another name.
"""

import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus/srtp_unprotect_fuzz"
# In the order of kCipherSuites.
SUITES = ("cm_128_80", "cm_128_32", "gcm_128", "gcm_256", "cm_192_80", "cm_192_32", "cm_256_80", "cm_256_32", "null_80",
          "null_32")

# Flags of the options.
MKI_1, MKI_4, MKI_128 = 1, 2, 3
UNENCRYPTED_SENT, UNENCRYPTED_TAKEN = 4, 8
CRYPTEX_ON, CRYPTEX_REQUIRED = 0x10, 0x20
ENCRYPTED_EXTENSIONS = 0x40
RATE = 0x80
# Three streams, windows of 64.
BOUNDS = 0x20
NO_SCRATCH = 4


def options(suite, flags=0, numbers=0, bounds=BOUNDS):
    return bytes((suite, flags, numbers, bounds))


def raw_rtp(data):
    return bytes((0x00,)) + len(data).to_bytes(2, "big") + data


def raw_rtcp(data):
    return bytes((0x01,)) + len(data).to_bytes(2, "big") + data


def send_raw_rtp(data):
    return bytes((0x02,)) + len(data).to_bytes(2, "big") + data


def send_rtp(ssrc=0, step=1, size=20, csrcs=0, extension=0, profile=None):
    """`size` in units of five bytes; `extension` is 1 for one-byte elements, 2 for two-byte ones, 3 for `profile`."""
    operands = bytes((ssrc + 64, step & 255, size))
    return bytes((extension << 6 | csrcs << 4 | 4,)) + operands + (profile.to_bytes(2, "big") if extension == 3 else b"")


def jump_rtp(by, ssrc=0):
    """A packet whose sequence number is that much further."""
    return bytes((4, ssrc, 0x80)) + by.to_bytes(2, "big") + b"\x04"


def send_rtcp(ssrc=0, name=None):
    return bytes((ssrc << 4 | 5,)) if name is None else bytes((ssrc + 4 << 4 | 5, name))


def deliver(wire, variant=0, operands=b""):
    return bytes((variant << 4 | 6, wire)) + operands


FLUSH = b"\x07"
ALL = b"\x0a"


def keys(variant, named=0):
    return bytes((variant << 4 | 8, named))


def restart(variant, key=0):
    return bytes((variant << 4 | 9, key))


RECEIVER, SENDER = 0, 1
BOTH, ONLY_RECEIVER, ONLY_SENDER, RETIRE_PREVIOUS, SEND_WITH, RETIRE_SENT, RETIRE_RECEIVED = range(7)

# Sent, damaged in every way, delivered, delivered again.
EVERY_DAMAGE = (deliver(0, 1, b"\x00\x10\x03") + deliver(0, 1, b"\x00\x01\x00") + deliver(0, 2, b"\x00\x00\x90")
                + deliver(0, 3, b"\x00\x0b") + deliver(0, 3, b"\x00\x20") + deliver(0, 4, b"\x00\x01") + deliver(0, 4, b"\x0b\x80")
                + deliver(0, 5, b"\x00") + deliver(0, 6) + deliver(0) + deliver(0) + FLUSH + deliver(0) + ALL)


def seeds():
    """Pairs of a name and an input."""
    for suite, name in enumerate(SUITES):
        yield f"rtp_{name}", options(suite) + send_rtp() + EVERY_DAMAGE
        yield f"rtcp_{name}", options(suite) + send_rtcp(name=9) + EVERY_DAMAGE
        stream = b"".join(send_rtp(ssrc=i % 3, size=i * 8, csrcs=i % 3, extension=i % 3) + send_rtcp(i % 2) for i in range(12))
        yield f"streams_{name}", options(suite, MKI_4) + stream + ALL + ALL
    for suite in (0, 2, 8):
        name = SUITES[suite]
        yield (f"rekey_{name}", options(suite) + send_rtp() + send_rtcp() + keys(BOTH) + send_rtp() + send_rtcp() + ALL
               + keys(ONLY_SENDER) + send_rtp() + ALL + keys(ONLY_RECEIVER) + ALL + keys(RETIRE_PREVIOUS) + send_rtp() + ALL)
        yield (f"mki_{name}", options(suite, MKI_1) + send_rtp() + keys(BOTH) + keys(BOTH) + keys(SEND_WITH, 1) + send_rtp()
               + send_rtcp() + ALL + keys(RETIRE_RECEIVED, 0) + keys(RETIRE_SENT, 0) + ALL + keys(SEND_WITH, 2) + send_rtp()
               + deliver(3, 4, b"\x00\x01") + ALL + keys(ONLY_SENDER) + keys(SEND_WITH, 3) + send_rtp() + ALL)
        yield f"longest_mki_{name}", options(suite, MKI_128) + send_rtp() + send_rtcp() + deliver(0, 4, b"\x40\x01") + ALL
        yield (f"cryptex_{name}", options(suite, CRYPTEX_ON) + send_rtp(csrcs=2) + send_rtp(extension=1)
               + send_rtp(csrcs=1, extension=2) + send_rtp(extension=3, profile=0xABAC) + send_rtp() + EVERY_DAMAGE)
        yield (f"cryptex_required_{name}", options(suite, CRYPTEX_REQUIRED) + send_rtp() + send_rtp(csrcs=3, extension=1)
               + send_rtp(extension=3, profile=0x1234) + send_rtp(extension=3, profile=0xC0DE) + EVERY_DAMAGE)
        yield (f"encrypted_extensions_{name}", options(suite, ENCRYPTED_EXTENSIONS) + send_rtp(extension=1)
               + send_rtp(csrcs=2, extension=2) + send_rtp(extension=3, profile=0xC2DE) + EVERY_DAMAGE)
        yield (f"derivation_rate_{name}", options(suite, RATE | ENCRYPTED_EXTENSIONS, 1)
               + b"".join(send_rtp(ssrc=i % 2, extension=1) + send_rtcp() for i in range(9)) + ALL + deliver(0) + deliver(3))
        yield (f"unencrypted_rtcp_{name}", options(suite, UNENCRYPTED_SENT | UNENCRYPTED_TAKEN) + send_rtcp() + EVERY_DAMAGE)
        yield f"unencrypted_rtcp_refused_{name}", options(suite, UNENCRYPTED_SENT) + send_rtcp() + EVERY_DAMAGE
        yield (f"lifetime_{name}", options(suite, 0, 0x40) + (send_rtp() + send_rtcp()) * 6 + ALL + keys(BOTH)
               + (send_rtp() + send_rtcp()) * 2 + ALL)
        yield (f"rollover_{name}", options(suite) + send_rtp() + jump_rtp(0x7FF0) + jump_rtp(0x7FF0) + jump_rtp(0x40)
               + jump_rtp(0x7FFF) + ALL + deliver(3) + jump_rtp(0xFFF0) + ALL)
        yield (f"missed_rollover_{name}", options(suite, bounds=BOUNDS | NO_SCRATCH) + send_rtp() + jump_rtp(0x7FF0)
               + jump_rtp(0x7FF0) + jump_rtp(0x40) + deliver(3) + deliver(2) + deliver(0) + ALL)
        yield (f"restart_{name}", options(suite) + send_rtp() + send_rtcp() + ALL + restart(RECEIVER) + restart(SENDER)
               + send_rtp() + send_rtp(step=40) + send_rtcp() + ALL + restart(SENDER | 8) + send_rtp() + ALL)
        yield (f"crowded_{name}", options(suite, bounds=0)
               + b"".join(send_rtp(ssrc=i % 4) + send_rtcp((i + 1) % 4) for i in range(10)) + ALL + keys(BOTH)
               + b"".join(send_rtp(ssrc=i % 4) for i in range(8)) + ALL + ALL)
        yield f"batch_{name}", options(suite) + b"".join(send_rtp(ssrc=i % 2, size=i % 70) for i in range(70)) + ALL + ALL
    yield "garbage", options(0) + raw_rtp(b"") + raw_rtcp(b"\x80\xc8") + raw_rtp(bytes(range(128, 190))) + raw_rtcp(
        b"\x81\xc9" + bytes(60)) + send_raw_rtp(b"\x80") + FLUSH
    yield "padded_plain", options(2) + send_raw_rtp(b"\xa0\x60\x00\x01" + bytes(8) + b"\xff\x00\x00\x04") + ALL


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in seeds():
        (FOLDER / name).write_bytes(content)


if __name__ == "__main__":
    main()

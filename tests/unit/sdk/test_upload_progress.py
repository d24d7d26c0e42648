from __future__ import annotations

from diamond.sdk.uploads import UploadProgress

MB = 2**20


def test_a_long_upload_says_bytes_share_and_time_left_and_a_short_one_nothing() -> None:
    said: list[str] = []
    now = 0.0
    progress = UploadProgress(100 * MB, said.append, clock=lambda: now)
    progress.sent(10 * MB)
    assert said == []
    now = 2.0
    progress.sent(10 * MB)
    now = 4.0
    progress.sent(10 * MB)
    assert said == ["Uploaded 20.0 MB of 100.0 MB (20 %), about 8 s left"]
    now = 9.0
    progress.sent(-30 * MB)
    progress.sent(50 * MB)
    assert len(said) == 2
    now = 30.0
    progress.sent(50 * MB)
    assert len(said) == 2

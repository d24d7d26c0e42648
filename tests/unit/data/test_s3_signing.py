"""The signature of a request to S3, by the examples that AWS publishes for Signature Version 4."""

from __future__ import annotations

import datetime

import pytest

from diamond.core.errors import BadRequest
from diamond.data.s3 import Keys, Request, _read_list, quote, read_keys, sign

KEYS = Keys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
HOST = "examplebucket.s3.amazonaws.com"
THEN = datetime.datetime(2013, 5, 24, tzinfo=datetime.UTC)


def signature(request: Request, content: bytes = b"") -> str:
    return sign(request, content, KEYS, "us-east-1", THEN)["authorization"].rpartition("=")[2]


def test_a_get_with_a_range_is_signed_as_documented() -> None:
    request = Request("GET", HOST, "/test.txt", "", {"range": "bytes=0-9"})
    assert signature(request) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"


def test_a_put_is_signed_with_the_digest_of_its_content() -> None:
    headers = {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"}
    request = Request("PUT", HOST, "/" + quote("test$file.text"), "", headers)
    found = signature(request, b"Welcome to Amazon S3.")
    assert found == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"


def test_a_list_is_signed_with_its_query() -> None:
    request = Request("GET", HOST, "/", "max-keys=2&prefix=J", {})
    assert signature(request) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"


def test_without_keys_nothing_is_signed() -> None:
    signed = sign(Request("GET", HOST, "/a", "", {}), b"", Keys("", ""), "us-east-1", THEN)
    assert signed == {"host": HOST}


def test_a_secret_is_a_key_with_its_secret() -> None:
    assert read_keys("A:b/c+d\n") == Keys("A", "b/c+d")
    assert read_keys("A:b:token:with:colons").session == "token:with:colons"
    for bad in ("", "A", "A:", ":b"):
        with pytest.raises(BadRequest, match="ACCESS_KEY:SECRET_KEY"):
            read_keys(bad)


def test_a_listing_with_entities_is_rejected() -> None:
    with pytest.raises(BadRequest, match="document type"):
        _read_list(b'<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult/>')
    with pytest.raises(BadRequest, match="something else"):
        _read_list(b"not xml")

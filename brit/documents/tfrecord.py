"""TFRecord files of SequenceExamples, one record at a time.

A record (https://www.tensorflow.org/tutorials/load_data/tfrecord) is its length (uint64), the
length's checksum, its bytes, their checksum (uint32, CRC-32C, masked), all little-endian. The
messages are those of tensorflow/core/example, declared here for protobuf as far as they are read; a
map is written as a list of keys and values. The package `tfrecord` imports torch (10 s), unpacks a
file twice, and takes whatever memory a damaged file's lengths claim.
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any

from brit.errors import DocumentError

_MAX_RECORD = 64_000_000
_MESSAGES: dict[str, list[tuple[str, int, str]]] = {
    "BytesList": [("value", 1, "bytes*")],
    "Int64List": [("value", 1, "int64*")],
    "Feature": [("bytes_list", 1, "BytesList"), ("int64_list", 3, "Int64List")],
    "NamedFeature": [("key", 1, "string"), ("value", 2, "Feature")],
    "Features": [("feature", 1, "NamedFeature*")],
    "FeatureList": [("feature", 1, "Feature*")],
    "NamedList": [("key", 1, "string"), ("value", 2, "FeatureList")],
    "FeatureLists": [("feature_list", 1, "NamedList*")],
    "SequenceExample": [("context", 1, "Features"), ("feature_lists", 2, "FeatureLists")],
}

Values = list[str]


def read_examples(path: Path) -> Iterator[tuple[dict[str, Values], dict[str, list[Values]]]]:
    """→ (context, lists) of every record: the values of each feature, and for each list a row of
    values an entry; bytes as text, numbers as their digits. Raises DocumentError."""
    from google.protobuf.message import DecodeError

    example_class = _example_class()
    try:
        with path.open("rb") as plain:
            packed = ".gz" in path.name.lower()
            file: Any = gzip.GzipFile(fileobj=plain) if packed else plain
            while (record := _read_record(file)) is not None:
                example = example_class.FromString(record)
                context = {each.key: _values(each.value) for each in example.context.feature}
                lists = {
                    each.key: [_values(feature) for feature in each.value.feature]
                    for each in example.feature_lists.feature_list
                }
                yield context, lists
    except (DecodeError, OSError, EOFError, ValueError, zlib.error) as error:
        reason = " ".join(str(error).split())[:120]
        raise DocumentError(
            f"The file is damaged ({reason}): the pages before that place were read."
        ) from error


def _read_record(file: IO[bytes]) -> bytes | None:
    """The next record, None at the end. Raises ValueError."""
    head = file.read(12)
    if not head:
        return None
    if len(head) < 12:
        raise ValueError("it ends within a record")
    length, check = struct.unpack("<QI", head)
    if check != _checksum(head[:8]) or length > _MAX_RECORD:
        raise ValueError("a record's length is wrong")
    record = file.read(length)
    if file.read(4) != struct.pack("<I", _checksum(record)) or len(record) < length:
        raise ValueError("a record's checksum is wrong")
    return record


def _checksum(data: bytes) -> int:
    from crc32c import crc32c

    crc = int(crc32c(data))
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _values(feature: Any) -> Values:
    texts = [value.decode("utf-8", "replace") for value in feature.bytes_list.value]
    return texts or [str(value) for value in feature.int64_list.value]


@cache
def _example_class() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(
        name="brit/example.proto", package="brit.example", syntax="proto3"
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            plain = kind.rstrip("*")
            label = kinds.LABEL_REPEATED if kind.endswith("*") else kinds.LABEL_OPTIONAL
            added = message.field.add(name=field, number=number, label=label)
            if plain in _MESSAGES:
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".brit.example.{plain}"
            else:
                added.type = getattr(kinds, f"TYPE_{plain.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = pool.FindMessageTypeByName("brit.example.SequenceExample")
    return message_factory.GetMessageClass(found)

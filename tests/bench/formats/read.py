# Iterates over every record of an archive, HTTP heads parsed, and says what it cost: `read.py warcio|fastwarc FILE`.
# Prints {"records", "wallSeconds", "cpuSeconds"}.
import json
import sys
import time

reader, path = sys.argv[1:3]
if reader == "fastwarc":
    from fastwarc.warc import ArchiveIterator

    def iterate(stream):
        return ArchiveIterator(stream, parse_http=True)
else:
    from warcio.archiveiterator import ArchiveIterator

    def iterate(stream):
        return ArchiveIterator(stream)

wall, cpu = time.perf_counter(), time.process_time()
records = 0
with open(path, "rb") as stream:
    for record in iterate(stream):
        records += 1
print(json.dumps({"records": records, "wallSeconds": time.perf_counter() - wall, "cpuSeconds": time.process_time() - cpu}))

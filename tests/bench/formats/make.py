# Makes the files that the benchmark `formats` reads, of one record-wise .warc.gz: `make.py SOURCE FOLDER`.
# plain.warc, members.warc.gz, frames.warc.zst (a frame a record, no dictionary), plain.arc, members.arc.gz: the same
# records, in ARC the responses of them.
import os
import sys
import zlib

import zstandard

source, folder = sys.argv[1:3]
# Long enough that what compiles itself while it runs, as WebAssembly and Java do, is past that.
TIMES = 4


def members(data):
    view, at = memoryview(data), 0
    while at < len(view):
        inflate, pieces, end = zlib.decompressobj(31), [], at
        while not inflate.eof and end < len(view):
            piece = view[end:end + (1 << 16)]
            pieces.append(inflate.decompress(piece))
            end += len(piece)
        at = end - len(inflate.unused_data)
        yield b"".join(pieces)


def gzipped(record):
    deflate = zlib.compressobj(6, zlib.DEFLATED, 31)
    return deflate.compress(record) + deflate.flush()


def arc_line(head, block):
    fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
    date = bytes(byte for byte in fields[b"WARC-Date"] if 48 <= byte < 58)[:14]
    mime = b"text/html"
    for line in block[:4096].split(b"\r\n\r\n", 1)[0].split(b"\r\n"):
        if line.lower().startswith(b"content-type:"):
            mime = line[13:].split(b";")[0].strip() or mime
    uri = fields[b"WARC-Target-URI"].strip(b"<>").replace(b" ", b"%20")
    return b"%s 127.0.0.1 %s %s %d\n" % (uri, date, mime.replace(b" ", b""), len(block))


names = ["plain.warc", "members.warc.gz", "frames.warc.zst", "plain.arc", "members.arc.gz"]
outs = {name: open(os.path.join(folder, name + ".part"), "wb") for name in names}
version = b"1 0 stackroom\nURL IP-address Archive-date Content-type Archive-length\n"
first = b"filedesc://made.arc 0.0.0.0 20200101000000 text/plain %d\n%s\n" % (len(version), version)
outs["plain.arc"].write(first)
outs["members.arc.gz"].write(gzipped(first))
compress = zstandard.ZstdCompressor(level=3, write_checksum=True)
with open(source, "rb") as stream:
    data = stream.read()
for record in list(members(data)) * TIMES:
    outs["plain.warc"].write(record)
    outs["members.warc.gz"].write(gzipped(record))
    outs["frames.warc.zst"].write(compress.compress(record))
    head, block = record.split(b"\r\n\r\n", 1)
    if b"WARC-Type: response" in head:
        block = block[:-4]
        entry = arc_line(head, block) + block + b"\n"
        outs["plain.arc"].write(entry)
        outs["members.arc.gz"].write(gzipped(entry))
for name, out in outs.items():
    out.close()
    os.replace(os.path.join(folder, name + ".part"), os.path.join(folder, name))

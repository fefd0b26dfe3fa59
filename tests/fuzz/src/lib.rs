//! What every fuzz target checks of a parser: an end, bounded reading, and the same however the input is cut.

use stackroom::archive::{Format, Part, Sink, detect, parser};
use stackroom::captures::Captures;
use stackroom::inspect::Inspector;
use stackroom::teller::Teller;

/// More than this is reading again and again. The reader may go back over a few times the file.
const FED_TIMES_MAX: u64 = 40;
const FED_BYTES_MIN: u64 = 1 << 20;

/// Reads `bytes` as a file of the format with this name.
pub fn read_as(name: &str, bytes: &[u8]) {
    let format = Format::named(name).expect("a format of that name");
    read(format, bytes);
}

/// Reads `bytes` as what they look like.
pub fn read_detected(bytes: &[u8]) {
    if let Ok(format) = detect(&bytes[..bytes.len().min(64 << 10)]) {
        read(format, bytes);
    }
}

/// All that is in `bytes`, in the rows of a table.
pub fn table(format: Format, bytes: &[u8]) -> Captures {
    let mut captures = Captures::new();
    captures.begin_file(Part { format, ..Part::default() });
    feed_all(format, bytes, usize::MAX, &mut captures, |_| {});
    captures
}

fn read(format: Format, bytes: &[u8]) {
    table(format, bytes);
    // The first byte says how the second round is cut, so that inputs choose it.
    let window = 1 + usize::from(bytes.first().copied().unwrap_or(0)) * 3;
    let told = |window| {
        let mut inspector = Inspector::new();
        let mut lines = String::new();
        feed_all(format, bytes, window, &mut inspector, |inspector| {
            lines.push_str(&inspector.take());
        });
        lines
    };
    assert_eq!(told(usize::MAX), told(window), "in pieces of {window}");
}

fn feed_all<S: Sink>(
    format: Format,
    bytes: &[u8],
    window: usize,
    sink: &mut S,
    mut drain: impl FnMut(&mut S),
) {
    let length = bytes.len() as u64;
    let mut reader = parser(format, Some(length));
    let mut fed = 0u64;
    let mut idle = 0u32;
    loop {
        let at = usize::try_from(reader.wanted())
            .unwrap_or(usize::MAX)
            .min(bytes.len());
        let piece = &bytes[at..at.saturating_add(window).min(bytes.len())];
        let taken = if piece.is_empty() {
            if reader.finish(length, sink) {
                break;
            }
            0
        } else {
            reader.feed(piece, sink)
        };
        drain(sink);
        fed += taken as u64;
        idle = if taken == 0 { idle + 1 } else { 0 };
        assert!(idle < 100_000, "nothing is taken, and nothing ends");
        assert!(
            fed <= FED_TIMES_MAX * length + FED_BYTES_MIN,
            "{fed} bytes were read of {length}"
        );
    }
    drain(sink);
}

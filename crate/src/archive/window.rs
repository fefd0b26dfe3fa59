//! Members of a file: where their bytes lie, and how what reads a member is fed from the file that holds it.

use zlib_rs::{Inflate, InflateFlush, Status};

use crate::limits::INFLATE_STEP_BYTES;

/// How the bytes of a member are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    Stored,
    /// As bare deflate data.
    Deflated,
    /// In gzip members, one after another.
    Gzipped,
}

impl Storage {
    const ALL: [(Storage, &'static str); 3] = [
        (Storage::Stored, "stored"),
        (Storage::Deflated, "deflated"),
        (Storage::Gzipped, "gzipped"),
    ];

    pub fn name(self) -> &'static str {
        let known = Storage::ALL.iter().find(|(storage, _)| *storage == self);
        known.map_or("", |(_, name)| name)
    }

    pub fn named(name: &str) -> Option<Storage> {
        let known = Storage::ALL.iter().find(|(_, known)| *known == name);
        known.map(|(storage, _)| *storage)
    }
}

/// Where a member lies in the file that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub base: u64,
    /// Bytes that it takes there.
    pub bytes: u64,
    pub storage: Storage,
}

/// Something that is pushed the bytes it wants; see `Parser`, which this is together with its sink.
pub trait Feed {
    fn wanted(&self) -> u64;
    fn feed(&mut self, bytes: &[u8]) -> usize;
    fn finish(&mut self, end: u64) -> bool;
    /// Whether no more bytes are wanted, wherever the file ends.
    fn is_done(&self) -> bool {
        false
    }
    /// Whether what came out must be taken away before more is fed.
    fn is_full(&self) -> bool {
        false
    }
}

/// Feeds what reads a member from the bytes of the file that holds it.
///
/// Deflated members are inflated as they come. Where the reader goes back in one, inflating begins again;
/// how often that may be is bounded by the reader, as it is in files.
pub struct Tunnel {
    window: Window,
    /// Bytes of the window taken.
    taken: u64,
    inflater: Option<Box<Inflater>>,
    is_done: bool,
    is_broken: bool,
}

struct Inflater {
    inflate: Inflate,
    out: Vec<u8>,
    /// What of `out` is not handed on yet.
    held: (usize, usize),
    /// Bytes of the member up to the end of what is held.
    reached: u64,
    has_ended: bool,
    /// Whether all of `out` was filled, so that more may come without more input.
    is_filled: bool,
    is_gzip: bool,
    /// Whether a gzip member ended, and nothing of another one came out yet.
    is_between: bool,
}

impl Inflater {
    fn new(is_gzip: bool) -> Inflater {
        Inflater {
            inflate: inflate(is_gzip),
            out: vec![0; INFLATE_STEP_BYTES],
            held: (0, 0),
            reached: 0,
            has_ended: false,
            is_filled: false,
            is_gzip,
            is_between: false,
        }
    }

    fn restart(&mut self) {
        self.inflate = inflate(self.is_gzip);
        self.is_between = false;
        self.held = (0, 0);
        self.reached = 0;
        self.has_ended = false;
        self.is_filled = false;
    }

    /// Inflates once; returns what was taken, or nothing where the data is damaged.
    fn step(&mut self, bytes: &[u8]) -> Option<usize> {
        let before = (self.inflate.total_in(), self.inflate.total_out());
        let status = self
            .inflate
            .decompress(bytes, &mut self.out, InflateFlush::NoFlush);
        let moved = |now: u64, before: u64| usize::try_from(now - before).unwrap_or(0);
        let taken = moved(self.inflate.total_in(), before.0);
        let made = moved(self.inflate.total_out(), before.1);
        self.held = (0, made);
        self.is_filled = made == self.out.len();
        self.reached += made as u64;
        self.is_between &= made == 0;
        match status {
            Ok(Status::StreamEnd) if self.is_gzip => {
                self.inflate = inflate(true);
                self.is_between = true;
            }
            Ok(Status::StreamEnd) => self.has_ended = true,
            Ok(_) => {}
            // What follows the last gzip member is none.
            Err(_) if self.is_between => self.has_ended = true,
            Err(_) => return None,
        }
        Some(taken)
    }
}

fn inflate(is_gzip: bool) -> Inflate {
    const WITH_GZIP_HEADER: u8 = 16;
    if is_gzip {
        Inflate::new(true, WITH_GZIP_HEADER + 15)
    } else {
        Inflate::new(false, 15)
    }
}

impl Tunnel {
    pub fn new(window: Window) -> Tunnel {
        let is_gzip = window.storage == Storage::Gzipped;
        let inflater =
            (window.storage != Storage::Stored).then(|| Box::new(Inflater::new(is_gzip)));
        Tunnel {
            window,
            taken: 0,
            inflater,
            is_done: false,
            is_broken: false,
        }
    }

    /// Whether the member was read to its end.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Whether the deflated data is damaged, or the file ends before the member does.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Offset in the file that holds the member.
    pub fn wanted(&self, inner: &dyn Feed) -> u64 {
        let within = match &self.inflater {
            None => inner.wanted().min(self.window.bytes),
            Some(_) => self.taken,
        };
        self.window.base.saturating_add(within)
    }

    /// Takes the bytes at `wanted`, of which those beyond the member are left.
    pub fn feed(&mut self, bytes: &[u8], inner: &mut dyn Feed) -> usize {
        if self.is_done {
            return 0;
        }
        match self.inflater.is_some() {
            false => self.feed_stored(bytes, inner),
            true => self.feed_deflated(bytes, inner),
        }
    }

    /// The file that holds the member ends. False where what reads it is full, or wants to go back.
    pub fn finish(&mut self, inner: &mut dyn Feed) -> bool {
        if self.inflater.is_some() && !self.is_done {
            self.feed_deflated(&[], inner);
        }
        if self.is_done {
            return true;
        }
        if inner.is_full() {
            return false;
        }
        let end = match &self.inflater {
            None => inner.wanted().min(self.window.bytes),
            Some(inflater) => inflater.reached,
        };
        // Gzip members go on as long as the file does.
        let is_whole = self
            .inflater
            .as_ref()
            .is_some_and(|inflater| inflater.is_between);
        self.is_broken = !is_whole && (self.inflater.is_some() || end < self.window.bytes);
        self.end(end, inner)
    }

    fn feed_stored(&mut self, bytes: &[u8], inner: &mut dyn Feed) -> usize {
        let at = inner.wanted().min(self.window.bytes);
        let left = usize::try_from(self.window.bytes - at).unwrap_or(usize::MAX);
        let piece = &bytes[..bytes.len().min(left)];
        let taken = inner.feed(piece);
        self.is_done = inner.is_done();
        if !self.is_done && !inner.is_full() && inner.wanted() >= self.window.bytes {
            self.end(self.window.bytes, inner);
        }
        taken
    }

    fn feed_deflated(&mut self, bytes: &[u8], inner: &mut dyn Feed) -> usize {
        let mut at = 0;
        while let Some(inflater) = &mut self.inflater {
            // What is held lies at `reached - held`; the reader may want less, more, or what was before it.
            let start = inflater.reached - (inflater.held.1 - inflater.held.0) as u64;
            let wanted = inner.wanted();
            if wanted < start {
                inflater.restart();
                self.taken = 0;
                return at;
            }
            let skipped = usize::try_from(wanted - start).unwrap_or(usize::MAX);
            inflater.held.0 = inflater.held.1.min(inflater.held.0.saturating_add(skipped));
            if inflater.held.0 < inflater.held.1 {
                let piece = &inflater.out[inflater.held.0..inflater.held.1];
                let taken = inner.feed(piece);
                if inner.is_done() {
                    self.is_done = true;
                    return at;
                }
                let is_stuck = taken == 0 && inner.wanted() == wanted;
                if is_stuck || inner.is_full() {
                    return at;
                }
                continue;
            }
            let left = usize::try_from(self.window.bytes - self.taken).unwrap_or(usize::MAX);
            let piece = &bytes[at..bytes.len().min(at.saturating_add(left))];
            if inflater.has_ended || left == 0 && !inflater.is_filled {
                let end = inflater.reached;
                self.is_broken |= !inflater.has_ended && !inflater.is_between;
                self.end(end, inner);
                return at;
            }
            if piece.is_empty() && !inflater.is_filled {
                return at;
            }
            match inflater.step(piece) {
                // A full output may have been the last; with input there is always something to do.
                Some(0) if piece.is_empty() => {}
                Some(0) if inflater.held.1 == 0 && !inflater.has_ended => return at,
                Some(taken) => {
                    at += taken;
                    self.taken += taken as u64;
                }
                None => {
                    self.is_broken = true;
                    inflater.has_ended = true;
                }
            }
        }
        at
    }

    /// Tells the reader of the member's end; false where it wants to look at something again.
    fn end(&mut self, end: u64, inner: &mut dyn Feed) -> bool {
        if inner.finish(end) {
            self.is_done = true;
        } else if inner.is_full() {
            // What came of the last bytes is taken away first; then it is asked again.
            return false;
        } else if inner.wanted() >= end {
            // Nothing is there that it could be given.
            self.is_done = true;
            self.is_broken = true;
        } else if let Some(inflater) = &mut self.inflater
            && inner.wanted() < inflater.reached
        {
            inflater.restart();
            self.taken = 0;
        }
        self.is_done
    }
}

/// Feeds something through members within members, outermost first.
pub struct Path {
    tunnels: Vec<Tunnel>,
}

impl Path {
    pub fn new(windows: &[Window]) -> Path {
        Path {
            tunnels: windows.iter().copied().map(Tunnel::new).collect(),
        }
    }

    pub fn wanted(&self, inner: &dyn Feed) -> u64 {
        // From the innermost member outwards, each asks for the place where it is in the next one.
        let mut wanted = inner.wanted();
        for tunnel in self.tunnels.iter().rev() {
            wanted = tunnel.wanted(&At(wanted));
        }
        wanted
    }

    pub fn feed(&mut self, bytes: &[u8], inner: &mut dyn Feed) -> usize {
        feed_through(&mut self.tunnels, bytes, inner)
    }

    pub fn finish(&mut self, end: u64, inner: &mut dyn Feed) -> bool {
        finish_through(&mut self.tunnels, end, inner)
    }

    /// Whether no more bytes are wanted.
    pub fn is_done(&self, inner: &dyn Feed) -> bool {
        self.tunnels
            .first()
            .map_or_else(|| inner.is_done(), Tunnel::is_done)
    }
}

/// Only a place.
pub(super) struct At(pub u64);

impl Feed for At {
    fn wanted(&self) -> u64 {
        self.0
    }
    fn feed(&mut self, _bytes: &[u8]) -> usize {
        0
    }
    fn finish(&mut self, _end: u64) -> bool {
        true
    }
}

/// The rest of the way.
struct Through<'a, 'b> {
    tunnels: &'a mut [Tunnel],
    inner: &'b mut dyn Feed,
}

impl Feed for Through<'_, '_> {
    fn wanted(&self) -> u64 {
        let mut wanted = self.inner.wanted();
        for tunnel in self.tunnels.iter().rev() {
            wanted = tunnel.wanted(&At(wanted));
        }
        wanted
    }

    fn feed(&mut self, bytes: &[u8]) -> usize {
        feed_through(self.tunnels, bytes, self.inner)
    }

    fn finish(&mut self, end: u64) -> bool {
        finish_through(self.tunnels, end, self.inner)
    }

    fn is_done(&self) -> bool {
        self.tunnels
            .first()
            .map_or_else(|| self.inner.is_done(), Tunnel::is_done)
    }

    fn is_full(&self) -> bool {
        self.inner.is_full()
    }
}

fn feed_through(tunnels: &mut [Tunnel], bytes: &[u8], inner: &mut dyn Feed) -> usize {
    let Some((first, rest)) = tunnels.split_first_mut() else {
        return inner.feed(bytes);
    };
    let mut through = Through {
        tunnels: rest,
        inner,
    };
    first.feed(bytes, &mut through)
}

fn finish_through(tunnels: &mut [Tunnel], end: u64, inner: &mut dyn Feed) -> bool {
    let Some((first, rest)) = tunnels.split_first_mut() else {
        return inner.finish(end);
    };
    let mut through = Through {
        tunnels: rest,
        inner,
    };
    first.finish(&mut through)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes some bytes at a time, jumps over a gap, and goes back once.
    struct Picky {
        at: u64,
        seen: Vec<u8>,
        has_gone_back: bool,
        gap: (u64, u64),
    }

    impl Feed for Picky {
        fn wanted(&self) -> u64 {
            self.at
        }

        fn feed(&mut self, bytes: &[u8]) -> usize {
            // Up to the gap, however it is fed.
            let before_gap = usize::try_from(self.gap.0.saturating_sub(self.at)).unwrap_or(7);
            let most = if before_gap == 0 {
                7
            } else {
                before_gap.min(7)
            };
            let taken = bytes.len().min(most);
            self.seen.extend_from_slice(&bytes[..taken]);
            self.at += taken as u64;
            if self.at >= self.gap.0 && self.at < self.gap.1 {
                self.at = self.gap.1;
            }
            taken
        }

        fn finish(&mut self, _end: u64) -> bool {
            if !self.has_gone_back {
                self.has_gone_back = true;
                self.seen.clear();
                self.at = 3;
                return false;
            }
            true
        }
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![0; bytes.len() + 64];
        let mut deflate = zlib_rs::Deflate::new(6, false, 15);
        let status = deflate.compress(bytes, &mut out, zlib_rs::DeflateFlush::Finish);
        assert_eq!(status, Ok(Status::StreamEnd));
        out.truncate(usize::try_from(deflate.total_out()).unwrap_or(0));
        out
    }

    fn read(windows: &[Window], file: &[u8], step: usize, inner: &mut Picky) -> bool {
        let mut path = Path::new(windows);
        for _ in 0..100_000 {
            let at = usize::try_from(path.wanted(inner))
                .unwrap_or(usize::MAX)
                .min(file.len());
            let piece = &file[at..file.len().min(at + step)];
            if piece.is_empty() {
                if path.finish(file.len() as u64, inner) {
                    return true;
                }
            } else {
                path.feed(piece, inner);
            }
            if path.is_done(inner) {
                return true;
            }
        }
        false
    }

    #[test]
    fn a_member_of_a_member_is_read_with_jumps_forward_and_back() {
        let content: Vec<u8> = (0..40_000u32).flat_map(|n| (n / 3).to_le_bytes()).collect();
        let expected = {
            let mut picky = picky();
            while picky.at < content.len() as u64 || !picky.has_gone_back {
                let at = usize::try_from(picky.at).unwrap_or(0);
                if at >= content.len() {
                    picky.finish(0);
                } else {
                    picky.feed(&content[at..]);
                }
            }
            picky.seen
        };
        let small = deflated(&content);
        let inner_file = [&b"before"[..], &small, b"after"].concat();
        let stored = Window {
            base: 4,
            bytes: inner_file.len() as u64,
            storage: Storage::Stored,
        };
        let small_in_it = Window {
            base: 6,
            bytes: small.len() as u64,
            storage: Storage::Deflated,
        };
        let whole = deflated(&inner_file);
        let deflated_outer = Window {
            base: 4,
            bytes: whole.len() as u64,
            storage: Storage::Deflated,
        };
        for (outer, kept) in [(stored, &inner_file), (deflated_outer, &whole)] {
            let file = [&b"head"[..], kept, b"tail of the file"].concat();
            for step in [1, 3, 1000, 1 << 20] {
                let mut picky = picky();
                assert!(
                    read(&[outer, small_in_it], &file, step, &mut picky),
                    "ends, step {step}"
                );
                assert!(picky.seen == expected, "content, step {step}");
            }
        }
    }

    fn picky() -> Picky {
        Picky {
            at: 0,
            seen: Vec::new(),
            has_gone_back: false,
            gap: (1000, 90_000),
        }
    }

    #[test]
    fn a_member_that_breaks_off_ends() {
        let content = vec![7u8; 100_000];
        let small = deflated(&content);
        for cut in 0..small.len() {
            let window = Window {
                base: 0,
                bytes: small.len() as u64,
                storage: Storage::Deflated,
            };
            let mut picky = picky();
            assert!(
                read(&[window], &small[..cut], 5, &mut picky),
                "cut at {cut}"
            );
        }
        for at in 0..small.len() {
            let mut damaged = small.clone();
            damaged[at] ^= 0x11;
            let window = Window {
                base: 0,
                bytes: small.len() as u64,
                storage: Storage::Deflated,
            };
            assert!(
                read(&[window], &damaged, 64, &mut picky()),
                "flipped at {at}"
            );
        }
    }
}

//! Content codings: what a body was compressed with.
//!
//! A decoder takes bytes and makes bytes, a bounded piece at a time, so that what expands a thousandfold
//! never has to be held. What is stored decoded under a header that says otherwise (crawlers do that) is
//! seen by its first bytes and passes as it is.

#[cfg(feature = "tools")]
mod brotli;
#[cfg(feature = "engine")]
mod deflate;
mod stage;
#[cfg(feature = "tools")]
mod zstd;

pub use stage::{Fate, Stage};

/// What one step of a decoder came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that were used.
    pub taken: usize,
    /// Bytes of the output that were written.
    pub made: usize,
    pub state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Wants more input, or more room.
    Going,
    /// The data ends here; what follows is not part of it. Only decoders tell, and not every module has one.
    #[cfg_attr(not(any(feature = "engine", feature = "tools")), expect(dead_code))]
    Ended,
    /// The data is not what it should be.
    Broken,
}

/// A decoder of one coding.
pub trait Decode {
    /// Uses some of `input` and fills some of `output`, which is not empty. Where neither moves, more input is needed.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> Step;

    /// No more input comes: what is held back goes out with the next steps. Returns whether the data may end here.
    fn close(&mut self) -> bool;
}

/// A coding by the name under which headers know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// What an item of a `Content-Encoding` header means here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// Nothing was done to the body, whatever the header says.
    Nothing,
    Known(Coding),
    /// Not known, or not in this module.
    Unknown,
}

impl Coding {
    pub fn named(item: &[u8]) -> Named {
        let end = item.iter().position(|&byte| byte == b';');
        let name = item[..end.unwrap_or(item.len())]
            .trim_ascii()
            .to_ascii_lowercase();
        let coding = match name.as_slice() {
            // Character sets and mail encodings turn up here; S3 leaves its upload framing's name behind.
            b"" | b"identity" | b"none" | b"utf-8" | b"utf8" | b"iso-8859-1" | b"7bit"
            | b"8bit" | b"binary" | b"aws-chunked" => return Named::Nothing,
            b"gzip" | b"x-gzip" => Coding::Gzip,
            b"deflate" | b"x-deflate" => Coding::Deflate,
            b"br" | b"brotli" => Coding::Brotli,
            b"zstd" | b"zst" | b"x-zstd" => Coding::Zstd,
            _ => return Named::Unknown,
        };
        if coding.is_here() {
            Named::Known(coding)
        } else {
            Named::Unknown
        }
    }

    /// Whether this module has the decoder: the first load has no `br` and no `zstd`.
    fn is_here(self) -> bool {
        match self {
            Coding::Gzip | Coding::Deflate => cfg!(feature = "engine"),
            Coding::Brotli | Coding::Zstd => cfg!(feature = "tools"),
        }
    }

    /// The forms in which data of this coding occurs, most likely first.
    fn forms(self) -> &'static [Form] {
        match self {
            Coding::Gzip => &[Form::Gzip],
            // Some servers send bare deflate data where zlib was meant.
            Coding::Deflate => &[Form::Zlib, Form::BareDeflate],
            Coding::Brotli => &[Form::Brotli],
            Coding::Zstd => &[Form::Zstd],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Gzip,
    Zlib,
    BareDeflate,
    Brotli,
    Zstd,
}

impl Form {
    /// Whether data in this form can start like this, by the marks that the form has.
    fn may_start(self, start: &[u8]) -> bool {
        let begins = |mark: &[u8]| {
            let known = mark.len().min(start.len());
            start[..known] == mark[..known]
        };
        match self {
            Form::Gzip => begins(&[0x1f, 0x8b, 8]),
            Form::Zlib => match *start {
                [method, flags, ..] => {
                    method & 0x0f == 8
                        && method >> 4 <= 7
                        && (u16::from(method) * 256 + u16::from(flags)) % 31 == 0
                }
                [method] => method & 0x0f == 8 && method >> 4 <= 7,
                [] => true,
            },
            Form::Zstd => {
                begins(&[0x28, 0xb5, 0x2f, 0xfd])
                    || start.first().is_some_and(|byte| byte & 0xf0 == 0x50)
                        && (start.len() < 4 || start[1..4] == [0x2a, 0x4d, 0x18])
            }
            Form::BareDeflate | Form::Brotli => true,
        }
    }

    /// Whether a start that fits is proof enough that the data is in this form.
    fn is_marked(self) -> bool {
        matches!(self, Form::Gzip | Form::Zstd)
    }

    fn decoder(self) -> Option<Box<dyn Decode>> {
        match self {
            #[cfg(feature = "engine")]
            Form::Gzip => Some(Box::new(deflate::Deflate::new(deflate::Wrapper::Gzip))),
            #[cfg(feature = "engine")]
            Form::Zlib => Some(Box::new(deflate::Deflate::new(deflate::Wrapper::Zlib))),
            #[cfg(feature = "engine")]
            Form::BareDeflate => Some(Box::new(deflate::Deflate::new(deflate::Wrapper::Bare))),
            #[cfg(feature = "tools")]
            Form::Brotli => Some(Box::new(brotli::Brotli::new())),
            #[cfg(feature = "tools")]
            Form::Zstd => Some(Box::new(zstd::Zstd::new())),
            #[allow(unreachable_patterns)]
            _ => None,
        }
    }
}

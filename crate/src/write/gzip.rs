//! Gzip members written one after another.
//!
//!   member := 1f 8b 08 00 time:u32=0 00 ff deflate-data crc32:u32 size:u32
//! No name and no time: the same records give the same bytes.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use zlib_rs::crc32::crc32;

const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
const LEVEL: i32 = 6;
/// Negative: deflate data alone, since the frame is gzip's.
const WINDOW_BITS: i32 = -15;

pub struct GzipWriter {
    deflate: Box<CompressorOxide>,
    crc: u32,
    size: u32,
}

impl GzipWriter {
    pub fn new() -> GzipWriter {
        let flags = create_comp_flags_from_zip_params(LEVEL, WINDOW_BITS, 0);
        GzipWriter {
            deflate: Box::new(CompressorOxide::new(flags)),
            crc: 0,
            size: 0,
        }
    }

    pub fn begin(&mut self, out: &mut Vec<u8>) {
        self.deflate.reset();
        self.crc = 0;
        self.size = 0;
        out.extend_from_slice(&HEADER);
    }

    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        self.crc = crc32(self.crc, bytes);
        // The trailer states the size modulo 2^32.
        let low = bytes.len() as u64 & u64::from(u32::MAX);
        self.size = self.size.wrapping_add(u32::try_from(low).unwrap_or(0));
        self.deflate(bytes, TDEFLFlush::None, out);
    }

    pub fn end(&mut self, out: &mut Vec<u8>) {
        self.deflate(&[], TDEFLFlush::Finish, out);
        out.extend_from_slice(&self.crc.to_le_bytes());
        out.extend_from_slice(&self.size.to_le_bytes());
    }

    fn deflate(&mut self, bytes: &[u8], flush: TDEFLFlush, out: &mut Vec<u8>) {
        let (status, taken) = compress_to_output(&mut self.deflate, bytes, flush, |data| {
            out.extend_from_slice(data);
            true
        });
        // The output never refuses, so there is nothing that could stop it.
        debug_assert!(matches!(status, TDEFLStatus::Okay | TDEFLStatus::Done));
        debug_assert!(flush == TDEFLFlush::Finish || taken == bytes.len());
    }
}

//! Bodies in every coding: at every split, cut at every byte, with every bit flipped, and as bombs.

use proptest::prelude::*;

use super::*;

/// Keeps content, and is full after so many bytes until it is asked to go on.
#[derive(Default)]
struct Kept {
    content: Vec<u8>,
    dechunked: Vec<u8>,
    largest: usize,
    pause: Option<usize>,
    since: usize,
}

impl Content for Kept {
    fn dechunked(&mut self, bytes: &[u8]) {
        self.dechunked.extend_from_slice(bytes);
    }

    fn content(&mut self, bytes: &[u8]) {
        self.content.extend_from_slice(bytes);
        self.largest = self.largest.max(bytes.len());
        self.since += bytes.len();
    }

    fn is_full(&self) -> bool {
        self.pause.is_some_and(|pause| self.since >= pause)
    }
}

fn head(headers: &str) -> HttpHead {
    HttpHead::of(format!("HTTP/1.1 200 OK\r\n{headers}\r\n\r\n").into_bytes())
}

fn decode_pieces(headers: &str, pieces: &[&[u8]], pause: Option<usize>) -> (Kept, BodyOutcome) {
    let mut kept = Kept {
        pause,
        ..Kept::default()
    };
    let mut decoder = BodyDecoder::new(Some(&head(headers)));
    let catch_up = |decoder: &mut BodyDecoder, kept: &mut Kept| {
        while decoder.is_behind() {
            kept.since = 0;
            decoder.go_on(kept);
        }
        kept.since = 0;
    };
    for piece in pieces {
        decoder.push(piece, &mut kept);
        catch_up(&mut decoder, &mut kept);
    }
    decoder.finish(&mut kept);
    catch_up(&mut decoder, &mut kept);
    (kept, decoder.outcome())
}

fn decoded(headers: &str, body: &[u8], cut: usize) -> (Vec<u8>, BodyOutcome) {
    let (kept, outcome) = decode_pieces(headers, &[&body[..cut], &body[cut..]], None);
    (kept.content, outcome)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    out.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    out.extend_from_slice(&zlib_rs::crc32::crc32(0, bytes).to_le_bytes());
    out.extend_from_slice(&u32::try_from(bytes.len()).expect("length").to_le_bytes());
    out
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6)
}

fn bare(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(bytes, 6)
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: 5,
        ..Default::default()
    };
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &params).expect("br");
    out
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd_with(bytes, 3, true)
}

fn zstd_with(bytes: &[u8], level: i32, has_checksum: bool) -> Vec<u8> {
    let mut encoder = ::zstd::Encoder::new(Vec::new(), level).expect("encoder");
    encoder.include_checksum(has_checksum).expect("option");
    std::io::Write::write_all(&mut encoder, bytes).expect("zstd");
    encoder.finish().expect("zstd")
}

type Encode = fn(&[u8]) -> Vec<u8>;

const CODINGS: [(&str, Encode); 9] = [
    ("gzip", gzip),
    ("deflate", zlib),
    ("deflate", bare),
    ("br", brotli),
    ("zstd", zstd),
    ("zstd", |bytes| zstd_with(bytes, 19, false)),
    ("gzip, br", |bytes| brotli(&gzip(bytes))),
    ("br, zstd", |bytes| zstd(&brotli(bytes))),
    ("zstd,gzip , deflate", |bytes| zlib(&gzip(&zstd(bytes)))),
];

/// Text that compresses, and some that does not.
fn sample(bytes: usize) -> Vec<u8> {
    let mut seed = 1u32;
    let mut out = Vec::new();
    while out.len() < bytes {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        out.extend_from_slice(format!("<p>line {} of the page</p>\n", seed >> 20).as_bytes());
        if seed & 0x700 == 0 {
            out.extend_from_slice(&seed.to_le_bytes());
        }
    }
    out.truncate(bytes);
    out
}

#[test]
fn every_coding_is_taken_off_at_every_split() {
    let content = sample(700);
    for (name, encode) in CODINGS {
        let body = encode(&content);
        for cut in 0..=body.len() {
            let got = decoded(&format!("Content-Encoding: {name}"), &body, cut);
            assert!(
                got == (content.clone(), BodyOutcome::Sound),
                "{name} cut at {cut}: {:?}",
                got.1
            );
        }
    }
}

#[test]
fn long_bodies_come_in_small_pieces_however_they_are_given() {
    let content = sample(900_000);
    for (name, encode) in CODINGS {
        let body = encode(&content);
        let header = format!("Content-Encoding: {name}");
        for (size, pause) in [
            (1 << 20, None),
            (5000, Some(1)),
            (333, None),
            (70_000, Some(100_000)),
        ] {
            let pieces: Vec<&[u8]> = body.chunks(size).collect();
            let (kept, outcome) = decode_pieces(&header, &pieces, pause);
            assert_eq!(outcome, BodyOutcome::Sound, "{name} in pieces of {size}");
            assert!(kept.content == content, "{name} in pieces of {size}");
            assert!(
                kept.largest <= CODING_STEP_BYTES,
                "{name}: {}",
                kept.largest
            );
        }
    }
}

#[test]
fn a_body_that_breaks_off_gives_what_came_before_and_says_so() {
    let content = sample(3000);
    for (name, encode) in CODINGS {
        let body = encode(&content);
        for cut in 1..body.len() {
            let (got, outcome) = decoded(&format!("Content-Encoding: {name}"), &body[..cut], 0);
            let is_start = content.starts_with(&got);
            // So little that no decoder can tell, passes as it is.
            let is_passed = got == body[..cut];
            assert!(is_start || is_passed, "{name} cut at {cut}");
            // The ends of deflate and gzip data are checksums, which are not missed once all is there.
            assert!(
                outcome == BodyOutcome::BadEncoding || is_passed && cut < 24 || got == content,
                "{name} cut at {cut} of {}: {outcome:?}",
                body.len()
            );
        }
    }
}

#[test]
fn what_a_zstd_frame_had_in_its_window_is_not_lost_with_its_end() {
    let content = sample(400_000);
    for has_checksum in [true, false] {
        let body = zstd_with(&content, 3, has_checksum);
        let (got, outcome) = decoded("Content-Encoding: zstd", &body[..body.len() * 9 / 10], 0);
        assert_eq!(outcome, BodyOutcome::BadEncoding);
        assert!(content.starts_with(&got));
        assert!(got.len() > 200_000, "{} bytes", got.len());
    }
}

#[test]
fn every_flipped_bit_ends_well() {
    let content = sample(400);
    for (name, encode) in CODINGS {
        let body = encode(&content);
        for at in 0..body.len() * 8 {
            let mut damaged = body.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            let header = format!("Content-Encoding: {name}");
            let (got, _) = decoded(&header, &damaged, 0);
            assert!(got.len() < 20 << 20, "{name} bit {at}: {} bytes", got.len());
            assert_eq!(decoded(&header, &damaged, damaged.len() / 2).0, got);
        }
    }
}

#[test]
fn checksums_of_zstd_frames_are_compared() {
    let content = sample(5000);
    let mut body = zstd_with(&content, 3, true);
    let last = body.len() - 1;
    body[last] ^= 1;
    let got = decoded("Content-Encoding: zstd", &body, 0);
    assert!(got == (content, BodyOutcome::BadEncoding));
}

#[test]
fn frames_and_members_follow_one_another() {
    let (one, two) = (sample(5000), b"and more".to_vec());
    let both = [one.clone(), two.clone()].concat();
    let skippable = [
        &[0x5e, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..],
        b"notes",
        &zstd(&one),
        &[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0],
        &zstd(&two),
    ];
    let gzips = [gzip(&one), gzip(&two)].concat();
    for (name, body) in [("zstd", skippable.concat()), ("gzip", gzips.clone())] {
        let header = format!("Content-Encoding: {name}");
        for cut in (0..body.len()).step_by(37) {
            let got = decoded(&header, &body, cut);
            assert!(
                got == (both.clone(), BodyOutcome::Sound),
                "{name} at {cut}: {:?}",
                got.1
            );
        }
    }
    // What is no further member is not part of the body.
    let trailing = [&gzips[..], b"\x1fgarbage"].concat();
    let got = decoded("Content-Encoding: gzip", &trailing, 0);
    assert!(got == (both, BodyOutcome::Sound));
}

#[test]
fn windows_and_dictionaries_that_nobody_has_are_refused() {
    // A window of 2 GiB, and a dictionary by its number.
    let large = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 1, 0, 0];
    let dictionary = [0x28, 0xb5, 0x2f, 0xfd, 0x21, 0x07, 0x00, 1, 0, 0];
    for body in [&large[..], &dictionary[..]] {
        let (_, outcome) = decoded("Content-Encoding: zstd", body, 0);
        assert_eq!(outcome, BodyOutcome::BadEncoding, "{body:?}");
    }
    // A window of a draft of brotli, with 30 bits.
    let (_, outcome) = decoded("Content-Encoding: br", &[0x11, 0x1e, 0x00, 0xff, 0xff], 0);
    assert_eq!(outcome, BodyOutcome::BadEncoding);
}

#[test]
fn chunks_go_first_and_transfer_codings_next() {
    let content = sample(2000);
    let inner = brotli(&content);
    let stored = gzip(&inner);
    let (a, b) = stored.split_at(100);
    let body = [
        format!("{:x}\r\n", a.len()).as_bytes(),
        a,
        b"\r\n",
        format!("{:X};x=y\r\n", b.len()).as_bytes(),
        b,
        b"\r\n0\r\nTrailer: z\r\n\r\n",
    ]
    .concat();
    for headers in [
        "Transfer-Encoding: gzip, chunked\r\nContent-Encoding: br",
        "Transfer-Encoding: Chunked\r\nContent-Encoding: br\r\nContent-Encoding: GZIP",
        "Transfer-Encoding: chunked\r\nContent-Encoding: identity, br, utf-8, x-gzip",
    ] {
        let (kept, outcome) = decode_pieces(headers, &[&body], None);
        assert_eq!(outcome, BodyOutcome::Sound, "{headers}");
        assert!(kept.content == content, "{headers}");
        assert!(kept.dechunked == stored, "{headers}");
    }
}

#[test]
fn what_is_stored_decoded_passes_as_it_is() {
    let json = br#"{"a": [1, 2, 3], "b": "text that goes on for a while"}"#;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    for name in ["gzip", "deflate", "br", "zstd", "gzip, br"] {
        for content in [
            &b"hello"[..],
            b"a",
            b"{}",
            json,
            b"<!doctype html><p>one",
            png,
            "\u{feff}ping\u{e9}".as_bytes(),
            b"Ceci n'est pas \xe9crit en UTF-8",
            &sample(300)[..250],
        ] {
            for cut in 0..=content.len() {
                let got = decoded(&format!("Content-Encoding: {name}"), content, cut);
                assert_eq!(
                    got,
                    (content.to_vec(), BodyOutcome::Sound),
                    "{name} cut at {cut}"
                );
            }
        }
        let long = sample(100_000).to_ascii_lowercase();
        let text: Vec<u8> = long.into_iter().filter(u8::is_ascii_graphic).collect();
        let got = decoded(&format!("Content-Encoding: {name}"), &text, 50_000);
        assert!(got == (text, BodyOutcome::Sound), "{name}");
    }
}

#[test]
fn empty_bodies_are_empty() {
    for (name, encode) in CODINGS {
        let header = format!("Content-Encoding: {name}");
        assert_eq!(decoded(&header, b"", 0), (Vec::new(), BodyOutcome::Sound));
        assert_eq!(
            decoded(&header, &encode(b""), 0),
            (Vec::new(), BodyOutcome::Sound),
            "{name}"
        );
    }
}

#[test]
fn unknown_codings_are_said_to_be_so_and_stay() {
    let body = b"xyz".to_vec();
    for (header, remaining) in [
        ("Content-Encoding: compress", "compress"),
        ("Content-Encoding: dcb, identity, foo", "dcb, foo"),
        ("Content-Encoding: gzip, foo", "gzip, foo"),
        (
            "Content-Encoding: gzip,gzip,gzip,gzip,gzip",
            "gzip, gzip, gzip, gzip, gzip",
        ),
    ] {
        assert_eq!(
            decoded(header, &body, 1),
            (body.clone(), BodyOutcome::StillEncoded)
        );
        let decoder = BodyDecoder::new(Some(&head(header)));
        assert_eq!(decoder.remaining(), remaining.as_bytes());
    }
    // What is around the unknown one comes off.
    let got = decoded("Content-Encoding: foo, br", &brotli(b"foo'd"), 0);
    assert_eq!(got, (b"foo'd".to_vec(), BodyOutcome::StillEncoded));
}

#[test]
fn bombs_are_taken_in_small_bites() {
    let zeros = vec![0u8; 64 << 20];
    for (name, body) in [
        ("br", brotli(&zeros)),
        ("zstd", zstd(&zeros)),
        ("br, zstd", zstd(&brotli(&zeros))),
        ("gzip, gzip", gzip(&gzip(&zeros))),
    ] {
        let mut decoder = BodyDecoder::of_codings(name.as_bytes());
        let mut kept = Kept {
            pause: Some(1 << 20),
            ..Kept::default()
        };
        decoder.push(&body, &mut kept);
        let mut total = 0;
        loop {
            let held: usize = decoder
                .stages
                .iter()
                .map(|(_, rest)| rest.bytes.len())
                .sum();
            assert!(held <= body.len() + 4 * CODING_STEP_BYTES, "{name}: {held}");
            assert!(kept.content.len() <= (1 << 20) + CODING_STEP_BYTES);
            total += kept.content.len();
            kept = Kept {
                pause: Some(1 << 20),
                ..Kept::default()
            };
            if decoder.is_behind() {
                decoder.go_on(&mut kept);
            } else if decoder.has_ended {
                break;
            } else {
                decoder.finish(&mut kept);
            }
        }
        assert_eq!(total, zeros.len(), "{name}");
        assert_eq!(decoder.outcome(), BodyOutcome::Sound);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn whatever_was_encoded_comes_out(
        parts in proptest::collection::vec((any::<u8>(), 0..3000usize, any::<u64>()), 0..8),
        coding in 0..CODINGS.len(),
        window in 1..4000usize,
    ) {
        let mut content = Vec::new();
        for (byte, count, noise) in parts {
            content.extend(std::iter::repeat_n(byte, count));
            content.extend_from_slice(&noise.to_le_bytes());
        }
        let (name, encode) = CODINGS[coding];
        let body = encode(&content);
        let pieces: Vec<&[u8]> = body.chunks(window).collect();
        let (kept, outcome) = decode_pieces(&format!("Content-Encoding: {name}"), &pieces, Some(5000));
        prop_assert_eq!(outcome, BodyOutcome::Sound);
        prop_assert!(kept.content == content);
    }

    /// No bytes under any coding stop the decoder, and how they are cut changes nothing.
    #[test]
    fn any_bytes_under_any_coding_end_well(
        start in 0..6usize,
        noise in proptest::collection::vec(any::<u8>(), 0..6000),
        coding in 0..CODINGS.len(),
        window in 1..4000usize,
    ) {
        let starts: [&[u8]; 6] = [&[], &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], &[0x78, 0x9c], &[0x28, 0xb5, 0x2f, 0xfd], &[0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58], &[0x1b]];
        let body = [starts[start], &noise].concat();
        let header = format!("Content-Encoding: {}", CODINGS[coding].0);
        let whole = decode_pieces(&header, &[&body], None);
        let pieces: Vec<&[u8]> = body.chunks(window).collect();
        let cut = decode_pieces(&header, &pieces, Some(1));
        prop_assert!(whole.0.content == cut.0.content);
        prop_assert_eq!(whole.1, cut.1);
    }
}

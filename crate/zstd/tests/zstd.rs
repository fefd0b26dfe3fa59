//! What the reference encoder writes is decoded to what it was given, and what is broken is told and harms nothing.

use proptest::prelude::*;
use stackroom_zstd::{BLOCK_BYTES_MAX, Broken, Decoder, Dictionary, Header, block_bytes, is_last};

const WINDOW_MAX: u64 = 128 << 20;

/// What the blocks of a frame make.
fn decoded(frame: &[u8], decoder: &mut Decoder) -> Result<Vec<u8>, Broken> {
    let bytes = Header::bytes(frame[4]);
    let header = Header::read(frame.get(4..4 + bytes).ok_or(Broken)?).ok_or(Broken)?;
    let mut rest = &frame[4 + bytes..];
    decoder.begin(usize::try_from(header.window_bytes.min(WINDOW_MAX)).expect("a size"));
    let mut out = Vec::new();
    loop {
        let bytes = block_bytes(rest)?.ok_or(Broken)?;
        let block = rest.get(..bytes).ok_or(Broken)?;
        let made = decoder.decode(block)?;
        assert!(made <= BLOCK_BYTES_MAX);
        out.extend_from_slice(decoder.made(made));
        rest = &rest[bytes..];
        if is_last(block) {
            return Ok(out);
        }
    }
}

/// Text that repeats itself at all distances, and noise.
fn sample(seed: u32, bytes: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as usize
    };
    let words: Vec<Vec<u8>> = (0..200)
        .map(|_| {
            (0..1 + next() % 12)
                .map(|_| b"etaoin shrdlu.<>/"[next() % 17])
                .collect()
        })
        .collect();
    let mut out: Vec<u8> = Vec::new();
    while out.len() < bytes {
        match next() % 40 {
            0 => out.extend((0..next() % 300).map(|n| n.wrapping_mul(next()).to_le_bytes()[1])),
            1 => out.extend(std::iter::repeat_n(next().to_le_bytes()[0], next() % 2000)),
            2 if out.len() > 10 => {
                let from = next() % out.len();
                let to = (from + next() % 5000).min(out.len());
                out.extend_from_within(from..to);
            }
            _ => out.extend_from_slice(&words[next() % words.len()]),
        }
    }
    out.truncate(bytes);
    out
}

#[test]
fn what_the_reference_encoder_writes_is_decoded() {
    let mut decoder = Decoder::new();
    let sizes = [
        0, 1, 2, 15, 16, 17, 100, 255, 256, 1000, 1024, 5000, 70_000, 131_072, 131_073, 1_000_000,
    ];
    for (seed, bytes) in (1..).zip(sizes) {
        let data = sample(seed, bytes);
        for level in [-20, -5, -1, 1, 2, 3, 5, 7, 9, 12, 16, 19, 22] {
            let frame = zstd::bulk::compress(&data, level).expect("compressed");
            assert!(
                decoded(&frame, &mut decoder) == Ok(data.clone()),
                "{bytes} bytes at level {level}"
            );
        }
    }
}

#[test]
fn long_frames_keep_no_more_than_their_window() {
    let data = sample(7, 40 << 20);
    let frame = zstd::bulk::compress(&data, 1).expect("compressed");
    assert!(decoded(&frame, &mut Decoder::new()) == Ok(data));
}

#[test]
fn frames_refer_to_a_dictionary() {
    let samples: Vec<Vec<u8>> = (0..400)
        .map(|_| sample(99, 700))
        .enumerate()
        .map(|(n, mut text)| {
            text.extend_from_slice(format!("record {n} of many {}", n * 7919).as_bytes());
            text.rotate_left(n % 600);
            text
        })
        .collect();
    let raw = zstd::dict::from_samples(&samples, 16 << 10).expect("a dictionary");
    let mut decoder = Decoder::new();
    decoder.set_dictionary(Dictionary::read(&raw).expect("read"));
    for level in [1, 3, 19] {
        let mut encoder = zstd::bulk::Compressor::with_dictionary(level, &raw).expect("an encoder");
        for data in samples.iter().chain([&sample(3, 300_000)]) {
            let frame = encoder.compress(data).expect("compressed");
            assert!(
                decoded(&frame, &mut decoder).as_ref() == Ok(data),
                "level {level}"
            );
        }
    }
    for end in 0..raw.len().min(2000) {
        let _ = Dictionary::read(&raw[..end]);
    }
    for at in 0..1000 {
        let mut broken = raw.clone();
        broken[at] ^= 1 << (at % 8);
        let _ = Dictionary::read(&broken);
    }
}

#[test]
fn every_flipped_bit_of_small_frames_is_survived() {
    let mut decoder = Decoder::new();
    for seed in 1..12 {
        let data = sample(seed, 3000);
        let frame = zstd::bulk::compress(&data, 19).expect("compressed");
        for bit in 8 * 5..frame.len() * 8 {
            let mut broken = frame.clone();
            broken[bit / 8] ^= 1 << (bit % 8);
            let _ = decoded(&broken, &mut decoder);
        }
        assert!(decoded(&frame, &mut decoder) == Ok(data));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_comes_back(seed in 1u32.., bytes in 0usize..200_000, level in -7i32..20) {
        let data = sample(seed, bytes);
        let frame = zstd::bulk::compress(&data, level).expect("compressed");
        prop_assert!(decoded(&frame, &mut Decoder::new()) == Ok(data));
    }

    #[test]
    fn any_block_is_survived(content in proptest::collection::vec(any::<u8>(), 0..3000), kind in 0u8..3) {
        let size = u32::try_from(content.len()).expect("small") << 3 | u32::from(kind) << 1 | 1;
        let block = [&size.to_le_bytes()[..3], &content[..]].concat();
        let mut decoder = Decoder::new();
        decoder.begin(1 << 20);
        if let Ok(made) = decoder.decode(&block) {
            prop_assert!(made <= BLOCK_BYTES_MAX);
        }
    }
}

//! The header of a frame.
//!
//!   header := descriptor:u8 [window:u8] [dictionary-id] [content-size]      behind the magic number

/// Every frame begins so.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A block, and with it a window, is never shorter than this.
const WINDOW_BYTES_MIN: u64 = 1 << 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// No block refers further back.
    pub window_bytes: u64,
    pub content_bytes: Option<u64>,
    /// Id of the dictionary that the frame asks for; 0 for none, or for one that goes without saying.
    pub dictionary: u32,
    /// Whether a checksum follows the last block.
    pub has_checksum: bool,
}

impl Header {
    /// Length of the header of which this is the first byte.
    pub fn bytes(descriptor: u8) -> usize {
        let [window, dictionary, content] = field_bytes(descriptor);
        1 + window + dictionary + content
    }

    /// Reads a whole header. `None` where it says what nobody knows.
    pub fn read(bytes: &[u8]) -> Option<Header> {
        let (&descriptor, mut rest) = bytes.split_first()?;
        let mut number = |bytes: usize| {
            let (field, after) = rest.split_at_checked(bytes)?;
            rest = after;
            let mut whole = [0; 8];
            whole[..bytes].copy_from_slice(field);
            Some(u64::from_le_bytes(whole))
        };
        let sizes = field_bytes(descriptor);
        let [window, dictionary, content] =
            [number(sizes[0])?, number(sizes[1])?, number(sizes[2])?];
        if descriptor >> 3 & 1 == 1 {
            return None;
        }
        let content_bytes = match sizes[2] {
            0 => None,
            // Short ones are stored otherwise.
            2 => Some(content + 256),
            _ => Some(content),
        };
        let base = 1u64 << (10 + (window >> 3));
        let window_bytes = base + (base >> 3) * (window & 7);
        let is_single = sizes[0] == 0;
        let due = match content_bytes {
            Some(content) if is_single => content,
            Some(content) => content.min(window_bytes),
            None => window_bytes,
        };
        Some(Header {
            window_bytes: due.max(WINDOW_BYTES_MIN),
            content_bytes,
            dictionary: u32::try_from(dictionary).ok()?,
            has_checksum: descriptor >> 2 & 1 == 1,
        })
    }
}

/// Lengths of window, dictionary id and content size.
fn field_bytes(descriptor: u8) -> [usize; 3] {
    let is_single = usize::from(descriptor >> 5 & 1);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = [is_single, 2, 4, 8][usize::from(descriptor >> 6)];
    [1 - is_single, dictionary, content]
}

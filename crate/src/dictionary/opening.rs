//! A dictionary that is opened from its footer, and looked up in.

use super::array::Array;
use super::binary::Binary;
use super::brute::Brute;
use super::bucket::Bucket;
use super::filter::Filter;
use super::footer::{FOOTER_BYTES, Footer, Kind};
use super::heap::{Heap, Strings};
use super::layout::{Layout, Progress};
use super::pages::{CHECKSUM_BYTES, Pages, Place, Source, Span, Stop, Told};
use super::table::{SLOT_BYTES, Table};
use super::tagged::Tagged;
use super::tree::Tree;
use crate::limits::DICTIONARY_RESIDENT_BYTES_MAX;

/// Bytes of a number that says where a string begins.
pub const START_BYTES: u32 = 5;
/// Of one that says in which bucket it is, and in which page and where there.
pub const BUCKET_BYTES: u32 = 4;
pub const PAGE_PLACE_BYTES: u32 = 6;

/// A dictionary on its way: its footer is read, and what it keeps in memory.
pub struct Opening {
    file: u32,
    bytes: u64,
    footer: Option<Footer>,
}

impl Opening {
    /// The dictionary that is all of a file of so many bytes.
    pub fn new(file: u32, bytes: u64) -> Opening {
        Opening {
            file,
            bytes,
            footer: None,
        }
    }

    /// What is to be read next.
    pub fn wanted(&self) -> Span {
        let place = match &self.footer {
            Some(footer) => footer.resident,
            None => Place {
                offset: self.bytes.saturating_sub(FOOTER_BYTES as u64),
                length: u32::try_from(FOOTER_BYTES).unwrap_or(u32::MAX),
            },
        };
        Span {
            file: self.file,
            offset: place.offset,
            length: place.length,
        }
    }

    /// Takes in what is wanted; gives the dictionary where nothing more is.
    pub fn provide(&mut self, bytes: &[u8], pages: &mut Pages) -> Result<Option<Dictionary>, Stop> {
        let span = self.wanted();
        let damaged = Stop::Damaged(span);
        if bytes.len() != span.length as usize {
            return Err(damaged);
        }
        let Some(footer) = self.footer.take() else {
            if !pages.is_sealed(bytes, 0) {
                return Err(damaged);
            }
            let footer = Footer::read(&bytes[CHECKSUM_BYTES..]).ok_or(damaged)?;
            let Place { offset, length } = footer.resident;
            if length == 0 {
                return Ok(Some(self.opened(footer, Vec::new(), pages)));
            }
            let end = offset.checked_add(u64::from(length));
            if length > DICTIONARY_RESIDENT_BYTES_MAX || end.is_none_or(|end| end > self.bytes) {
                return Err(damaged);
            }
            self.footer = Some(footer);
            return Ok(None);
        };
        if !pages.is_sealed(bytes, footer.id.wrapping_add(span.offset)) {
            return Err(damaged);
        }
        Ok(Some(self.opened(footer, bytes.to_vec(), pages)))
    }

    fn opened(&self, footer: Footer, resident: Vec<u8>, pages: &mut Pages) -> Dictionary {
        let dictionary = Dictionary {
            file: self.file,
            bytes: self.bytes,
            count: footer.count,
            kind: footer.kind,
            laid: laid(&footer, resident),
        };
        let told = Told {
            id: footer.id,
            bytes: dictionary.resident(),
            filter_bytes: dictionary.laid.layout().filter_bytes(),
        };
        pages.tell(self.file, told);
        dictionary
    }
}

/// All layouts take as much room, so that none is better for what it is called.
enum Laid {
    Brute(Brute),
    Binary(Binary),
    Tree(Tree),
    Table(Table),
    Bucket(Bucket),
    Tagged(Tagged),
}

impl Laid {
    fn layout(&self) -> &dyn Layout {
        match self {
            Laid::Brute(layout) => layout,
            Laid::Binary(layout) => layout,
            Laid::Tree(layout) => layout,
            Laid::Table(layout) => layout,
            Laid::Bucket(layout) => layout,
            Laid::Tagged(layout) => layout,
        }
    }
}

fn laid(footer: &Footer, resident: Vec<u8>) -> Laid {
    let Footer {
        hashing,
        page_bytes,
        count,
        parts,
        regions,
        ..
    } = *footer;
    let array = |offset, bytes| Array {
        offset,
        page_bytes,
        bytes,
    };
    let heap = Heap {
        offset: regions.heap,
        page_bytes,
    };
    let strings = Strings {
        starts: array(regions.places, START_BYTES),
        heap,
    };
    match footer.kind {
        Kind::Brute => Laid::Brute(Brute { strings, count }),
        Kind::Binary => Laid::Binary(Binary {
            strings,
            count,
            sorted: array(regions.index, 4),
        }),
        Kind::Tree => Laid::Tree(Tree {
            strings,
            count,
            root: footer.resident,
            root_bytes: resident,
        }),
        Kind::Hash => Laid::Table(Table {
            strings,
            count,
            slots: array(regions.index, SLOT_BYTES),
            parts,
            hashing,
        }),
        Kind::Bucket(_) => Laid::Bucket(Bucket {
            hashing,
            buckets: parts,
            places: array(regions.places, BUCKET_BYTES),
            heap,
            offset: regions.index,
            ends: resident,
        }),
        Kind::Tagged => Laid::Tagged(Tagged {
            hashing,
            page_bytes,
            parts,
            offset: regions.index,
            filter: Filter {
                offset: regions.filter,
                count,
            },
            places: array(regions.places, PAGE_PLACE_BYTES),
            heap,
        }),
    }
}

pub struct Dictionary {
    file: u32,
    bytes: u64,
    count: u32,
    kind: Kind,
    laid: Laid,
}

impl Dictionary {
    /// How many strings there are: ids are below it.
    pub fn count(&self) -> u32 {
        self.count
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Bytes of memory that it takes besides its pages.
    pub fn resident(&self) -> usize {
        size_of::<Dictionary>() + self.laid.layout().held()
    }

    /// The id of a string, where it is there.
    pub fn lookup_id(
        &self,
        string: &[u8],
        progress: &mut Progress,
        pages: &mut Pages,
    ) -> Result<Option<u32>, Stop> {
        let mut source = self.source(pages);
        match self.count {
            0 => Ok(None),
            count => match self
                .laid
                .layout()
                .lookup_id(string, progress, &mut source)?
            {
                Some(id) if id >= count => Err(source.damaged(Place::default())),
                found => Ok(found),
            },
        }
    }

    /// Puts the string of an id into `into`; false where there is none.
    pub fn lookup_string(
        &self,
        id: u32,
        into: &mut Vec<u8>,
        progress: &mut Progress,
        pages: &mut Pages,
    ) -> Result<bool, Stop> {
        if id >= self.count {
            return Ok(false);
        }
        if !progress.is_begun {
            into.clear();
            progress.begin(0, 0);
        }
        let mut source = self.source(pages);
        self.laid
            .layout()
            .lookup_string(id, into, progress, &mut source)?;
        Ok(true)
    }

    /// Whether strings can be asked for in their order.
    pub fn is_ordered(&self) -> bool {
        self.laid.layout().ordered().is_some()
    }

    /// How many strings are below one; nothing where there is no order.
    pub fn rank(
        &self,
        string: &[u8],
        progress: &mut Progress,
        pages: &mut Pages,
    ) -> Result<Option<u32>, Stop> {
        let Some(ordered) = self.laid.layout().ordered() else {
            return Ok(None);
        };
        let (rank, _) = ordered.rank(string, progress, &mut self.source(pages))?;
        Ok(Some(rank))
    }

    /// The id of the string that so many are below.
    pub(super) fn id_at(&self, rank: u32, pages: &mut Pages) -> Result<u32, Stop> {
        let mut source = self.source(pages);
        match self.laid.layout().ordered() {
            Some(ordered) => ordered.id_at(rank, &mut source),
            None => Err(source.damaged(Place::default())),
        }
    }

    fn source<'a>(&self, pages: &'a mut Pages) -> Source<'a> {
        Source {
            file: self.file,
            bytes: self.bytes,
            pages,
        }
    }
}

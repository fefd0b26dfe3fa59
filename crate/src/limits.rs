//! Every limit and size of the engine, with the reason for its value.

/// A WARC header block longer than this is not one. Real ones are under 4 KiB; long URLs are repeated in them.
pub const WARC_HEAD_BYTES_MAX: usize = 4 << 20;

/// A line of an ARC file longer than this begins no record. URLs are cut at 2 KiB by most crawlers.
pub const ARC_LINE_BYTES_MAX: usize = 64 << 10;

/// A Zstandard frame is decoded with a window of this size at most: `zstd -19` and the draft for WARC files
/// take 8 MiB. Frames that refer further back than this are damage.
pub const ZSTD_WINDOW_BYTES_MAX: u64 = 64 << 20;

/// A dictionary, and the frame that holds it, are at most as long as the draft for WARC files asks for.
pub const ZSTD_DICTIONARY_BYTES_MAX: usize = 8 << 20;

/// An HTTP header block longer than this is treated as body. Browsers and servers stop at 8 to 256 KiB.
pub const HTTP_HEAD_BYTES_MAX: usize = 1 << 20;

/// A URL in the record table is cut here; the record itself still tells it whole.
pub const TABLE_URL_BYTES_MAX: usize = 16 << 10;

/// Distinct media types in the record table; what comes after is filed as `other`.
pub const TABLE_MIMES_MAX: usize = 4096;

/// A media type in the record table is cut here.
pub const TABLE_MIME_BYTES_MAX: usize = 100;

/// Output of one inflate call while indexing: most members fit, so that the window is not copied aside.
pub const INFLATE_STEP_BYTES: usize = 128 << 10;

/// Output of one inflate call while a body is decoded a second time: a 1,000-fold second expansion of it stays near 4 MiB.
pub const INFLATE_STEP_BYTES_EXTRACT: usize = 4 << 10;

/// A block that has at least this much left is passed over without reading it, where the source can seek.
pub const SKIP_BYTES_MIN: u64 = 8 << 20;

/// The rest of a gzip member that states its lengths is passed over where the block is as long as this: for
/// less, inflating is no dearer than finding the place.
pub const SKIP_MEMBER_BYTES_MIN: u64 = 1 << 20;

/// Such a member is at least this long in the file, so that its end is not reached before it is passed over.
pub const SKIP_MEMBER_PACKED_BYTES_MIN: u64 = 256 << 10;

/// Bytes that may be read again after damage, beyond twice the file: keeps hostile files linear.
pub const REWIND_BYTES_MIN: u64 = 64 << 20;

/// A decoded body is given up at this length when digests are made of it.
pub const INSPECT_BODY_BYTES_MAX: u64 = 8 << 30;

/// Entries of page lists kept for a list of pages: crawls of a million pages are not read by scrolling.
pub const PAGES_KEPT_MAX: usize = 200_000;

/// A page's title is cut here.
pub const PAGE_TITLE_BYTES_MAX: usize = 500;

/// What packages say of themselves and their members; real ones name some thousand members at most.
pub const FACTS_KEPT_MAX: usize = 10_000;

/// Decoded bytes beyond the usual that a file may cost in all, whatever it holds: some seconds of work.
pub const EXPANSION_BYTES_FREE: u64 = 1 << 30;

/// And this many more for each of its own bytes. Zeros in gzip in gzip come to a million.
pub const EXPANSION_PER_BYTE: u64 = 256;

/// A body may decode to this many times its length without costing anything: text comes to 3 to 20.
pub const EXPANSION_RATIO_USUAL: u64 = 32;

/// A document is read so far; what follows shows in no list and changes no title. Pages are shorter.
pub const DOCUMENT_BYTES_MAX: usize = 4 << 20;

/// First bytes of a body that show whether it is a document where nothing states it.
pub const DOCUMENT_LOOK_BYTES: usize = 4 << 10;

/// Text of a document beyond this is left out: books are shorter.
pub const DOCUMENT_TEXT_BYTES_MAX: usize = 2 << 20;

/// Links of a document, and all their URLs together: link farms are no lists that anybody reads.
pub const DOCUMENT_LINKS_MAX: usize = 10_000;
pub const DOCUMENT_LINKS_BYTES_MAX: usize = 1 << 20;

/// A description of a document is cut here.
pub const DOCUMENT_DESCRIPTION_BYTES_MAX: usize = 2_000;

/// Of a text, so much is looked at to tell its language.
pub const DOCUMENT_LANGUAGE_BYTES: usize = 16 << 10;

/// Elements within each other in a drawing or a formula in a document; deeper ones are not told apart.
pub const DOCUMENT_LEVELS_MAX: usize = 64;

/// A PDF is read so far: its end says where its pages are, without which they are searched for.
pub const PDF_BYTES_MAX: usize = 16 << 20;

/// What is drawn of one PDF, and bytes of what is drawn within that: a book of a thousand pages takes a tenth.
pub const PDF_STEPS_MAX: u64 = 64 << 20;

/// Drawings of a PDF within each other, and parts of its content.
pub const PDF_LEVELS_MAX: usize = 16;

/// States of drawing that are kept to be taken up again: 28 by the standard, which many pass.
pub const PDF_STATES_MAX: usize = 512;

/// Codes of a font: more than there are.
pub const PDF_CODES_MAX: usize = 1 << 16;

/// Bodies of documents that wait to be taken while an archive is read; those that follow are read later, once more. With
/// the one under way and those on their way it stays a small part of what an engine takes.
pub const HARVEST_HELD_BYTES_MAX: usize = 8 << 20;

/// Record ids that `check` compares, 16 bytes each.
pub const CHECK_IDS_MAX: usize = 2 << 20;

/// Payloads in several segments that `check` puts together at a time; writers finish one before the next.
pub const CHECK_SEGMENTED_MAX: usize = 256;

/// Rows between two places from which the reading of a file can go on: what is read again is less than that.
pub const MARK_ROWS: usize = 256;

/// Damage reports kept for an archive; later ones are counted only.
pub const DAMAGE_KEPT_MAX: usize = 10_000;

/// A range of a split archive is read to its end by one worker: this many bytes of the file at most. Short
/// enough that what workers have ready ahead of the first one stays small, long enough to be worth a message.
pub const RANGE_BYTES_MAX: u64 = 8 << 20;

/// A shorter range is not worth a search for its first member.
pub const RANGE_BYTES_MIN: u64 = 16 << 10;

/// A search goes this far beyond its range, for a member that began in it to show what it is.
pub const RANGE_SEARCH_SLACK_BYTES: u64 = 32 << 10;

/// A worker reads this far beyond its range for a place to stop at; then it gives back what it cannot prove.
pub const RANGE_OVERRUN_BYTES: u64 = 16 << 20;

/// What a worker tells of a range ahead of its turn, in bytes; then it stops where it can.
pub const RANGE_TOLD_BYTES_MAX: usize = 4 << 20;

/// Where a worker is sent on, it tells what it has once there is this much of it.
pub const REPORT_BYTES_MIN: usize = 128 << 10;

/// The extractor stops taking input while it holds this much output.
pub const EXTRACT_HELD_BYTES_MAX: usize = 1 << 20;

/// A line of a capture index longer than this is no row. Those with a posted body in the key stay under 32 KiB.
pub const CDX_LINE_BYTES_MAX: usize = 1 << 20;

/// Columns of a CDX line: the widest layout in use has 16.
pub const CDX_COLUMNS_MAX: usize = 32;

/// A block of a ZipNum cluster, compressed. Clusters in use have blocks of 6 to 200 kB.
#[cfg(feature = "tools")]
pub const CDX_BLOCK_BYTES_MAX: u64 = 64 << 20;

/// What a look-up reads at once, and the range in which it reads on instead of searching.
#[cfg(feature = "tools")]
pub const LOOKUP_READ_BYTES: usize = 64 << 10;

/// A compressed index of at most this length is read whole, so that it need not be sorted.
#[cfg(feature = "tools")]
pub const LOOKUP_WHOLE_BYTES_MAX: u64 = 8 << 20;

/// Rows that a look-up holds to put them in order, in bytes.
#[cfg(feature = "tools")]
pub const LOOKUP_KEPT_BYTES_MAX: usize = 256 << 20;

/// Originals that a look-up remembers to resolve revisits: 200 MB of them.
#[cfg(feature = "tools")]
pub const LOOKUP_ORIGINALS_MAX: usize = 1_000_000;

/// A look-up stops reading while it holds this much output, or this much of rows that wait their turn.
#[cfg(feature = "tools")]
pub const LOOKUP_HELD_BYTES_MAX: usize = 1 << 20;

/// Of a posted body, so much of its query goes into a key: as other indexers have it, so that keys are the same.
#[cfg(feature = "tools")]
pub const CDX_POST_QUERY_CHARS_MAX: usize = 4096;

/// Of a posted body, so much is looked at: forms that differ later get one key.
#[cfg(feature = "tools")]
pub const CDX_POST_BODY_BYTES_MAX: usize = 1 << 20;

/// Levels of a posted JSON text: each costs another pass over what is in it.
#[cfg(feature = "tools")]
pub const CDX_POST_LEVELS_MAX: usize = 32;

/// Lines that are sorted in memory; more are sorted in runs, which the host keeps and which are then merged.
#[cfg(feature = "tools")]
pub const CDX_RUN_BYTES_MAX: usize = 32 << 20;

/// Rows in a block of a ZipNum cluster that is written, as pywb writes them.
#[cfg(feature = "tools")]
pub const CDX_BLOCK_LINES: usize = 3000;

/// Lines that are looked at to tell whether a file is a capture index.
pub const CDX_LOOK_LINES_MAX: usize = 20;
/// JSON that is nested deeper is not read: what HAR files need is 8, and a level costs a byte.
pub const JSON_DEPTH_MAX: usize = 1024;

/// A URL, header value or other field of a HAR file is cut here, as headers of HTTP are.
pub const HAR_TEXT_BYTES_MAX: usize = HTTP_HEAD_BYTES_MAX;

/// A body in a HAR file is held up to this length until its entry ends; a longer one is read twice.
pub const HAR_HELD_BYTES_MAX: usize = 4 << 20;

/// The head of a web bundle, or of a response in one, is not longer; nor is an entry of its index. The draft
/// stops at half of it.
pub const WBN_HEAD_BYTES_MAX: u64 = 1 << 20;

/// The index of a web bundle is read in steps of so many bytes: the responses of one are told, then comes the next.
pub const WBN_INDEX_STEP_BYTES: usize = 2 << 20;

/// Where a source only goes forward, all of the index must be held; this much of it is.
pub const WBN_INDEX_HELD_BYTES_MAX: usize = 32 << 20;

/// A ZIP directory is read in pieces of this size: a million entries never lie in memory together, and the
/// longest entry that there can be (three fields of 64 KiB) fits.
pub const ZIP_DIRECTORY_STEP_BYTES: usize = 256 << 10;

/// A ZIP file ends with a structure of 22 bytes and a comment of at most 64 KiB.
pub const ZIP_TAIL_BYTES: u64 = 22 + 0xffff;

/// What is told of a member of a TAR file ahead of it: a name, and some facts. Longer ones are passed over.
pub const TAR_META_BYTES_MAX: u64 = 1 << 20;

/// A place beyond every file; the greatest number that JavaScript counts to.
pub const OFFSET_MAX: u64 = (1 << 53) - 1;

/// Bytes of a member by which it is known what it is: as many as for a whole file.
pub const MEMBER_LOOK_BYTES: usize = 64 << 10;

/// Files within files are opened down to here: a collection of packages in a plain ZIP file needs three.
pub const MEMBER_DEPTH_MAX: usize = 4;

/// What is compressed already does not become much smaller by deflating it; where it does, it is made to blow up.
pub const MEMBER_PACKED_RATIO_MAX: u64 = 64;

/// Members that inflate to less than this are no bombs, whatever their ratio.
pub const MEMBER_PACKED_BYTES_MIN: u64 = 1 << 20;

/// The manifest, the digest or the outline of a package longer than this is not read. A manifest has some
/// 200 bytes a member, and packages have tens of members.
pub const PACKAGE_TEXT_BYTES_MAX: usize = 16 << 20;

/// What is signed, with all certificates, is kept up to this length to be verified; real ones take 20 kB.
pub const SIGNED_BYTES_MAX: usize = 64 << 10;

/// Signatures of one file that are kept to be verified: a file of packages has as many as it has packages.
pub const SIGNED_KEPT_MAX: usize = 1_000;

/// Members that a manifest names beyond this are not compared.
pub const PACKAGE_RESOURCES_MAX: usize = 100_000;

/// Members that are remembered until the manifest comes, where it comes last.
pub const PACKAGE_EARLY_MAX: usize = 100_000;

/// A line of a list of pages, with the text of the page in it. Crawlers cut texts at 1 MiB or less.
pub const PAGE_LINE_BYTES_MAX: usize = 16 << 20;

/// Bad lines of a list of pages that are told one by one.
pub const PACKAGE_FLAWS_MAX: usize = 20;

/// Names are cut here in what is said to people.
pub const SHOWN_NAME_LETTERS_MAX: usize = 120;

const _: () = assert!(ZIP_DIRECTORY_STEP_BYTES >= 46 + 3 * 0xffff);
/// A query longer than this is not one that a person wrote.
pub const QUERY_BYTES_MAX: usize = 64 << 10;

/// Brackets and negations within each other in a query: reading and asking it recur that deep.
pub const QUERY_DEPTH_MAX: usize = 64;

/// A regular expression that is larger than this when compiled is refused: it would be slow on every record.
pub const REGEX_BYTES_MAX: usize = 1 << 20;

/// So much of a body is looked at together by a regular expression. A shorter body is looked at whole.
pub const RAW_WINDOW_BYTES: usize = 1 << 20;

/// What one window has of the one before it: a longer match in a longer body may be missed.
pub const RAW_OVERLAP_BYTES: usize = 64 << 10;

/// So much of bodies is looked at before whoever waits for it has a turn.
pub const EXAMINE_STEP_BYTES: usize = 512 << 10;

/// Of a body that is encoded no more is looked at: a file of a few kilobytes can expand without bounds.
pub const RAW_DECODED_BYTES_MAX: u64 = 256 << 20;

/// A record is kept up to this length while it is decided what is written of it; longer ones are read again.
/// Reading stops while this much waits to be written.
pub const WRITE_HELD_BYTES_MAX: usize = 4 << 20;

/// A line that states the size of a chunk is not longer; what is longer is no such line.
pub const CHUNK_LINE_BYTES_MAX: usize = 4 << 10;

/// Codings of one body. Two occur; each may expand what the one around it gave.
pub const CODINGS_MAX: usize = 4;

/// What a coding makes in one step, and what it then waits with: stacked bombs stay this small.
pub const CODING_STEP_BYTES: usize = 64 << 10;

/// First bytes of a body that show whether it is in the coding that its header names.
pub const CODING_PROBE_BYTES: usize = 4 << 10;

/// Window of a zstd body. HTTP allows 8 MiB (RFC 9659); archives keep what servers did all the same.
pub const CODING_WINDOW_BYTES_MAX: u64 = 32 << 20;

/// A text says in its first bytes which character set it is in: browsers look at 1 KiB, pages need more.
pub const CHARSET_META_BYTES: usize = 4 << 10;

/// Bytes of a text by which its character set is guessed; more changes little.
pub const CHARSET_GUESS_BYTES: usize = 16 << 10;

const _: () = assert!(TABLE_URL_BYTES_MAX <= WARC_HEAD_BYTES_MAX);
const _: () = assert!(INFLATE_STEP_BYTES_EXTRACT * 1032 <= 8 << 20);

/// An extent of the store is at most this long, so that compaction needs little room and any file system takes it.
pub const EXTENT_BYTES_MAX: u32 = 256 << 20;

/// A key of the store is at most this long: it is in memory in one piece.
pub const STORE_KEY_BYTES_MAX: usize = 16 << 20;

/// A key of the store and its value are at most this long together: where their parts stand must be read at once.
pub const STORE_VALUE_BYTES_MAX: u64 = 16 << 30;

/// A key in a segment is at most this long.
pub const SEGMENT_KEY_BYTES_MAX: usize = 64 << 10;

/// Key and value of an entry in a segment are at most this long together.
pub const SEGMENT_ENTRY_BYTES_MAX: usize = 1 << 20;

/// No block of a segment states that it holds more: it is in memory in one piece.
pub const SEGMENT_CONTENT_BYTES_MAX: usize = 2 << 20;

const _: () = assert!(SEGMENT_ENTRY_BYTES_MAX + SEGMENT_KEY_BYTES_MAX < SEGMENT_CONTENT_BYTES_MAX);

/// Text that is kept of an archive, before it is packed, which makes half of it; documents beyond have the rest.
pub const STORED_TEXT_BYTES_MAX: u64 = 2 << 30;

/// Texts and links are kept in pieces of this length: one is a block, and no entry is too long for a segment.
pub const STORED_PIECE_BYTES: usize = 16 << 10;

/// A title or a description that is kept of a document is cut here; a URL among its facts that is longer is left out.
pub const FACT_BYTES_MAX: usize = 16 << 10;

/// Titles that begin with this much in common are in the order of their records.
pub const TITLE_KEY_BYTES_MAX: usize = 256;

/// Words of a field that can be found: more than there are in a text of `DOCUMENT_TEXT_BYTES_MAX`.
pub const SEARCH_WORDS_MAX: u32 = 2 << 20;

/// Words of a query that are looked for. A person writes a few; each costs memory and reading.
pub const SEARCH_TEXTS_MAX: usize = 512;

/// Words of a query that follow each other.
pub const SEARCH_PHRASE_WORDS_MAX: usize = 64;

/// Forms of a word that are looked for besides it. Finnish nouns and Russian verbs have more than other words.
pub const SEARCH_FORMS_MAX: usize = 256;

/// Words that begin like one of several that follow each other.
pub const SEARCH_PHRASE_FORMS_MAX: usize = 256;

/// Words with a fragment in them; where there are more, it says too little to be looked for.
pub const SEARCH_HOLDING_WORDS_MAX: usize = 2048;

/// Documents in attributes of documents are rewritten to this depth. Real ones are one deep.
pub const NESTED_DOCUMENTS_MAX: usize = 4;

/// Brackets, functions (which count four times) and statements within each other in a script; deeper ones are not edited.
/// Reading recurs that deep, in less than the half megabyte of stack that workers have in every browser.
pub const SCRIPT_DEPTH_MAX: usize = 500;

/// Names and properties in a script that edits are about; one with more of them stays as it is. Large programs have
/// some hundreds, and each takes a hundred bytes.
pub const SCRIPT_EDITS_MAX: usize = 200_000;

/// A value of a facet is not longer; one that is has no entry. Titles are cut before.
pub const FACET_VALUE_BYTES_MAX: usize = FACT_BYTES_MAX;

// In a key each of its bytes may take two.
const _: () = assert!(2 * FACET_VALUE_BYTES_MAX + 512 < SEGMENT_KEY_BYTES_MAX);

/// A string of a dictionary.
pub const DICTIONARY_STRING_BYTES_MAX: usize = 16 << 20;

/// What a look-up in a dictionary reads at once: a bucket of more cannot be written.
pub const DICTIONARY_SPAN_BYTES_MAX: u32 = 16 << 20;

/// What a dictionary keeps in memory: buckets of one string, for ten million of them.
pub const DICTIONARY_RESIDENT_BYTES_MAX: u32 = 64 << 20;

//! The three kinds of trouble, kept apart: *damage* in the input (reported, reading goes on),
//! *failure* (an [`Error`]), and bugs (assertions). Codes are public API: added freely, never renamed.

use std::fmt;

/// A stable name for what went wrong.
pub type Code = &'static str;

/// What went wrong, by name.
pub mod code {
    use super::Code;

    pub const NOT_AN_ARCHIVE: Code = "open/not-an-archive";
    pub const NOT_YET: Code = "open/format-not-supported";
    /// What the first module that a browser loads leaves to the larger one (feature `tools`).
    pub const NEEDS_TOOLS: Code = "open/needs-tools";
    pub const EMPTY: Code = "open/empty";
    pub const NOT_A_STATE: Code = "open/not-a-state";
    pub const NO_RECORD: Code = "read/no-record";

    pub const GZIP_BAD_DATA: Code = "gzip/bad-data";
    pub const GZIP_BAD_CHECKSUM: Code = "gzip/bad-checksum";
    pub const GZIP_GARBAGE: Code = "gzip/garbage";
    pub const GZIP_TRUNCATED: Code = "gzip/truncated";
    pub const GZIP_SHARED_MEMBER: Code = "gzip/shared-member";
    pub const GZIP_SPLIT_RECORD: Code = "gzip/split-record";

    pub const WARC_BAD_LENGTH: Code = "warc/bad-length";
    pub const WARC_NO_LENGTH: Code = "warc/no-length";
    pub const WARC_BAD_HEADER: Code = "warc/bad-header";
    pub const WARC_HEADER_TOO_LONG: Code = "warc/header-too-long";
    pub const WARC_GARBAGE: Code = "warc/garbage";
    pub const WARC_TRUNCATED: Code = "warc/truncated";
    pub const WARC_NO_TYPE: Code = "warc/no-type";
    pub const WARC_BAD_DATE: Code = "warc/bad-date";

    pub const BAD_QUERY: Code = "lookup/bad-query";
    pub const TOO_MANY_ROWS: Code = "lookup/too-many-rows";
    pub const NOT_AN_INDEX: Code = "lookup/not-an-index";

    pub const CDX_BAD_LINE: Code = "cdx/bad-line";
    pub const CDX_BAD_DATE: Code = "cdx/bad-date";
    pub const CDX_UNSORTED: Code = "cdx/unsorted";
    pub const CDX_BAD_BLOCK: Code = "cdx/bad-block";

    pub const ARC_BAD_LENGTH: Code = "arc/bad-length";
    pub const ARC_NO_LENGTH: Code = "arc/no-length";
    pub const ARC_GARBAGE: Code = "arc/garbage";
    pub const ARC_TRUNCATED: Code = "arc/truncated";
    pub const ARC_BAD_DATE: Code = "arc/bad-date";

    pub const ZSTD_BAD_DATA: Code = "zstd/bad-data";
    pub const ZSTD_BAD_CHECKSUM: Code = "zstd/bad-checksum";
    pub const ZSTD_BAD_DICTIONARY: Code = "zstd/bad-dictionary";
    pub const ZSTD_GARBAGE: Code = "zstd/garbage";
    pub const ZSTD_TRUNCATED: Code = "zstd/truncated";
    pub const ZSTD_SHARED_FRAME: Code = "zstd/shared-frame";

    pub const DICTIONARY_DUPLICATE: Code = "dictionary/duplicate";
    pub const DICTIONARY_TOO_LONG: Code = "dictionary/too-long";
    pub const DICTIONARY_TOO_MANY: Code = "dictionary/too-many";
    pub const DICTIONARY_TOO_LARGE: Code = "dictionary/too-large";

    pub const HTTP_BAD_HEAD: Code = "http/bad-head";
    pub const HTTP_BAD_CHUNK: Code = "http/bad-chunk";
    pub const HTTP_BAD_ENCODING: Code = "http/bad-encoding";
    pub const HTTP_TOO_LARGE: Code = "http/too-large";

    pub const ZIP_NO_DIRECTORY: Code = "zip/no-directory";
    pub const ZIP_BAD_DIRECTORY: Code = "zip/bad-directory";
    pub const ZIP_BAD_ENTRY: Code = "zip/bad-entry";
    pub const ZIP_BAD_DATA: Code = "zip/bad-data";
    pub const ZIP_BAD_CHECKSUM: Code = "zip/bad-checksum";
    pub const ZIP_BAD_LENGTH: Code = "zip/bad-length";
    pub const ZIP_ENCRYPTED: Code = "zip/encrypted";
    pub const ZIP_METHOD: Code = "zip/method-not-supported";
    pub const ZIP_OVERLAP: Code = "zip/overlap";
    pub const ZIP_GARBAGE: Code = "zip/garbage";
    pub const ZIP_SPLIT: Code = "zip/split";
    pub const ZIP_TRUNCATED: Code = "zip/truncated";

    pub const TAR_BAD_HEADER: Code = "tar/bad-header";
    pub const TAR_BAD_LENGTH: Code = "tar/bad-length";
    pub const TAR_SPARSE: Code = "tar/sparse";
    pub const TAR_GARBAGE: Code = "tar/garbage";
    pub const TAR_TRUNCATED: Code = "tar/truncated";

    pub const WACZ_BAD_MANIFEST: Code = "wacz/bad-manifest";
    pub const WACZ_BAD_HASH: Code = "wacz/bad-hash";
    pub const WACZ_MISSING: Code = "wacz/missing-member";
    pub const WACZ_BAD_PAGE: Code = "wacz/bad-page";
    pub const WACZ_BAD_DIGEST: Code = "wacz/bad-digest";
    pub const WACZ_BAD_SIGNATURE: Code = "wacz/bad-signature";

    pub const MEMBER_BOMB: Code = "member/bomb";
    pub const MEMBER_TOO_DEEP: Code = "member/too-deep";
    pub const MEMBER_NOT_READ: Code = "member/not-supported";
    pub const MEMBER_NO_ARCHIVE: Code = "member/not-an-archive";

    pub const HAR_BAD_JSON: Code = "har/bad-json";
    pub const HAR_BAD_TEXT: Code = "har/bad-text";
    pub const HAR_BAD_DATE: Code = "har/bad-date";
    pub const HAR_BAD_BASE64: Code = "har/bad-base64";
    pub const HAR_NO_URL: Code = "har/no-url";
    pub const HAR_NO_ENTRIES: Code = "har/no-entries";
    pub const HAR_TOO_LARGE: Code = "har/too-large";
    pub const HAR_LATE: Code = "har/late";
    pub const HAR_TRUNCATED: Code = "har/truncated";
    pub const WBN_BAD_HEAD: Code = "wbn/bad-head";
    pub const WBN_BAD_INDEX: Code = "wbn/bad-index";
    pub const WBN_BAD_RESPONSE: Code = "wbn/bad-response";
    pub const WBN_BAD_LENGTH: Code = "wbn/bad-length";
    pub const WBN_CRITICAL: Code = "wbn/critical";
    pub const WBN_TOO_MANY: Code = "wbn/too-many";
    pub const WBN_BEHIND: Code = "wbn/behind";
    pub const WBN_GARBAGE: Code = "wbn/garbage";
    pub const WBN_TRUNCATED: Code = "wbn/truncated";
    pub const QUERY_SYNTAX: Code = "query/syntax";
    pub const QUERY_COLUMN: Code = "query/column";
    pub const QUERY_VALUE: Code = "query/value";

    pub const WRITE_NO_HEADER: Code = "write/no-header";
    pub const WRITE_ONLY_INDEX: Code = "write/only-an-index";
    pub const WRITE_CHANGED: Code = "write/source-changed";

    /// What `check` finds beyond damage.
    pub const WARC_MISSING_FIELD: Code = "warc/missing-field";
    pub const WARC_REPEATED_FIELD: Code = "warc/repeated-field";
    pub const WARC_REPEATED_ID: Code = "warc/repeated-id";
    pub const WARC_BAD_ID: Code = "warc/bad-id";
    pub const WARC_BAD_URI: Code = "warc/bad-uri";
    pub const WARC_UNKNOWN_VERSION: Code = "warc/unknown-version";
    pub const HTTP_LENGTH_DIFFERS: Code = "http/length-differs";
    pub const DIGEST_DIFFERS: Code = "digest/differs";
    pub const DIGEST_UNREADABLE: Code = "digest/unreadable";
    pub const CHECK_IDS_LEFT_OUT: Code = "check/ids-left-out";

    /// The codes of damage.
    const DAMAGE: &[Code] = &[
        NEEDS_TOOLS,
        GZIP_BAD_DATA,
        GZIP_BAD_CHECKSUM,
        GZIP_GARBAGE,
        GZIP_TRUNCATED,
        GZIP_SHARED_MEMBER,
        GZIP_SPLIT_RECORD,
        WARC_BAD_LENGTH,
        WARC_NO_LENGTH,
        WARC_BAD_HEADER,
        WARC_HEADER_TOO_LONG,
        WARC_GARBAGE,
        WARC_TRUNCATED,
        WARC_NO_TYPE,
        WARC_BAD_DATE,
        HTTP_BAD_HEAD,
        HTTP_BAD_CHUNK,
        HTTP_BAD_ENCODING,
        HTTP_TOO_LARGE,
        CDX_BAD_LINE,
        CDX_BAD_DATE,
        CDX_UNSORTED,
        CDX_BAD_BLOCK,
        ARC_BAD_LENGTH,
        ARC_NO_LENGTH,
        ARC_GARBAGE,
        ARC_TRUNCATED,
        ARC_BAD_DATE,
        ZSTD_BAD_DATA,
        ZSTD_BAD_CHECKSUM,
        ZSTD_BAD_DICTIONARY,
        ZSTD_GARBAGE,
        ZSTD_TRUNCATED,
        ZSTD_SHARED_FRAME,
        ZIP_NO_DIRECTORY,
        ZIP_BAD_DIRECTORY,
        ZIP_BAD_ENTRY,
        ZIP_BAD_DATA,
        ZIP_BAD_CHECKSUM,
        ZIP_BAD_LENGTH,
        ZIP_ENCRYPTED,
        ZIP_METHOD,
        ZIP_OVERLAP,
        ZIP_GARBAGE,
        ZIP_SPLIT,
        ZIP_TRUNCATED,
        TAR_BAD_HEADER,
        TAR_BAD_LENGTH,
        TAR_SPARSE,
        TAR_GARBAGE,
        TAR_TRUNCATED,
        WACZ_BAD_MANIFEST,
        WACZ_BAD_HASH,
        WACZ_MISSING,
        WACZ_BAD_PAGE,
        WACZ_BAD_DIGEST,
        WACZ_BAD_SIGNATURE,
        MEMBER_BOMB,
        MEMBER_TOO_DEEP,
        MEMBER_NOT_READ,
        MEMBER_NO_ARCHIVE,
        HAR_BAD_JSON,
        HAR_BAD_TEXT,
        HAR_BAD_DATE,
        HAR_BAD_BASE64,
        HAR_NO_URL,
        HAR_NO_ENTRIES,
        HAR_TOO_LARGE,
        HAR_LATE,
        HAR_TRUNCATED,
        WBN_BAD_HEAD,
        WBN_BAD_INDEX,
        WBN_BAD_RESPONSE,
        WBN_BAD_LENGTH,
        WBN_CRITICAL,
        WBN_TOO_MANY,
        WBN_BEHIND,
        WBN_GARBAGE,
        WBN_TRUNCATED,
    ];

    /// The code by its name, as it comes over a port.
    pub fn of_damage(name: &[u8]) -> Option<Code> {
        DAMAGE.iter().copied().find(|code| code.as_bytes() == name)
    }
}

/// Input that could not be read as it should be; reading went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    pub code: Code,
    /// Where in the file.
    pub offset: u64,
    /// Bytes of the file that belong to no record because of it.
    pub skipped: u64,
    /// One sentence for a person.
    pub message: String,
}

impl Damage {
    /// The same, not beyond the end of the file, where that is known: what states lengths may lie.
    #[must_use]
    pub fn within(mut self, end: Option<u64>) -> Damage {
        let end = end.unwrap_or(u64::MAX);
        self.offset = self.offset.min(end);
        self.skipped = self.skipped.min(end);
        self
    }
}

/// An operation that could not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub code: Code,
    pub offset: Option<u64>,
    pub message: String,
}

impl Error {
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error {
            code,
            offset: None,
            message: message.into(),
        }
    }

    #[must_use]
    pub fn at(mut self, offset: u64) -> Error {
        self.offset = Some(offset);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "{}: {} (at byte {offset})", self.code, self.message),
            None => write!(f, "{}: {}", self.code, self.message),
        }
    }
}

impl std::error::Error for Error {}

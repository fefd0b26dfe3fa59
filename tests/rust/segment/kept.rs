//! The kept index against a plain list of rows, while it is flushed, merged and opened anew.
//!
//! `STACKROOM_DEEP=1`: 10,000 records in place of 3,000.

use stackroom::archive::surt;
use stackroom::index::{
    Column, Group, Grouping, Index, IndexCheck, Manifest, Part, RowGroups, Window, key_of,
};
use stackroom::row::Row;
use stackroom::segment::{Grams, GramsWanted, Kind, Order, Rank, Segment, SegmentWriter, Stop};

use super::host::{Host, Random};

const HOSTS: [&str; 7] = [
    "example.org",
    "www.example.org",
    "a.example.org",
    "b.a.example.org",
    "example-two.org",
    "other.test",
    "other.test:8080",
];
const MIMES: [&str; 4] = ["text/html", "image/png", "", "application/json"];

pub fn rows(count: u64, seed: u64) -> Vec<Row> {
    let mut random = Random(seed);
    let mut offset = 0;
    (0..count)
        .map(|_| {
            let mut pick = |bound: u64| usize::try_from(random.below(bound)).expect("a number");
            let url = match pick(30) {
                0 => "dns:example.org".into(),
                1 => String::new(),
                2 => format!("urn:page:{}", pick(9)),
                _ => format!("http://{}/p/{}?q={}", HOSTS[pick(7)], pick(60), pick(2)),
            };
            let length = 100 + random.below(5000);
            offset += length;
            Row {
                offset,
                length,
                skip: if random.below(10) == 0 {
                    random.below(1 << 40)
                } else {
                    0
                },
                kind: u8::try_from(random.below(8)).expect("a kind"),
                status: (random.below(5) > 0)
                    .then(|| [200, 301, 404][usize::try_from(random.below(3)).expect("a number")]),
                size: random.below(1 << 33),
                date: (random.below(20) > 0)
                    .then(|| 1_500_000_000 + u32::try_from(random.below(3000)).expect("a date")),
                digest: random.below(u64::from(u32::MAX)),
                origin: random.below(3),
                segment: 0,
                mime: MIMES[usize::try_from(random.below(4)).expect("a number")].into(),
                url: url.into_bytes(),
            }
        })
        .collect()
}

pub fn url_key(url: &[u8]) -> Vec<u8> {
    surt(&String::from_utf8_lossy(url)).into_bytes()
}

/// An index whose files are in memory.
pub struct Keeper {
    pub host: Host,
    pub index: Index,
    next_file: u32,
}

impl Keeper {
    pub fn new() -> Keeper {
        Keeper {
            host: Host::new(),
            index: Index::new(),
            next_file: 0,
        }
    }

    fn keep(&mut self, bytes: Vec<u8>) -> (u32, u64) {
        self.next_file += 1;
        let length = bytes.len() as u64;
        self.host.files.insert(self.next_file, bytes);
        (self.next_file, length)
    }

    pub fn flush(&mut self) {
        let rows = self.index.rows() - self.index.kept_rows();
        let bytes = self.index.flush(u64::from(self.next_file));
        if bytes.is_empty() {
            return;
        }
        let (file, bytes) = self.keep(bytes);
        let part = Part { file, bytes, rows };
        let Keeper { host, index, .. } = self;
        host.run(|blocks| index.adopt(part, blocks))
            .expect("a segment");
    }

    pub fn merge(&mut self, is_all: bool) -> bool {
        let id = 1_000_000 + u64::from(self.next_file);
        if !self.index.begin_merge(id, is_all) {
            return false;
        }
        let mut bytes = Vec::new();
        while !self
            .host
            .run(|blocks| self.index.merge(blocks))
            .expect("a step")
        {
            bytes.extend(self.index.take_merged());
        }
        bytes.extend(self.index.take_merged());
        let (file, length) = self.keep(bytes);
        let Keeper { host, index, .. } = self;
        let gone = host
            .run(|blocks| index.end_merge(file, length, blocks))
            .expect("a segment");
        assert!(gone.len() > 1);
        for file in gone {
            self.host.files.remove(&file).expect("it was there");
        }
        true
    }

    pub fn reopen(&mut self) {
        self.reopen_within(32 << 20);
    }

    /// With so much memory for blocks.
    pub fn reopen_within(&mut self, bytes: usize) {
        let manifest = Manifest::read(&self.index.manifest().to_bytes()).expect("a manifest");
        self.host.blocks = stackroom::segment::Blocks::new(bytes);
        self.index = self
            .host
            .run(|blocks| Index::open(&manifest, blocks))
            .expect("an index");
    }

    fn window(&mut self, column: Column, from: u64, count: usize, is_descending: bool) -> Vec<u64> {
        let window = Window {
            from,
            count,
            is_descending,
        };
        let Keeper { host, index, .. } = self;
        host.run(|blocks| index.window(column, window, blocks))
            .expect("a window")
    }

    fn rank(&mut self, column: Column, key: &[u8]) -> Rank {
        let Keeper { host, index, .. } = self;
        host.run(|blocks| index.rank(column, key, blocks))
            .expect("a rank")
    }

    fn groups(&mut self, column: Column, grouping: Grouping<'_>) -> Vec<Group> {
        let mut all: Vec<Group> = Vec::new();
        let mut from = Vec::new();
        loop {
            let Keeper { host, index, .. } = self;
            // A few at a time, as a list that is scrolled asks for them.
            let some = host.run(|blocks| index.groups(column, grouping, &from, 3, blocks));
            let some = some.expect("groups");
            let Some(last) = some.last() else {
                return all;
            };
            from.clone_from(&last.behind);
            all.extend(some);
        }
    }

    fn rows(&mut self, from: u64) -> Vec<(u64, u64, Row)> {
        let Keeper { host, index, .. } = self;
        host.run(|blocks| {
            let mut rows = Vec::new();
            index.visit_rows(from, blocks, |number, part, row| {
                rows.push((number, part, row));
                true
            })?;
            Ok(rows)
        })
        .expect("rows")
    }

    /// Rows whose URLs may hold one text of each group. Before each step something else may happen.
    fn may_hold(&mut self, groups: &[&[&str]], mut meanwhile: impl FnMut(&mut Keeper)) -> Vec<u64> {
        let texts = groups
            .iter()
            .map(|group| group.iter().map(|text| text.as_bytes()).collect());
        let wanted = GramsWanted::new(texts);
        let mut next = RowGroups::default();
        let mut found: Vec<u64> = Vec::new();
        loop {
            meanwhile(self);
            let Keeper { host, index, .. } = self;
            let is_over = host.run(|blocks| {
                index.visit_may_hold(&wanted, &mut next, blocks, &mut |rows| {
                    assert!(found.last().is_none_or(|last| *last < rows.start) || rows.is_empty());
                    found.extend(rows);
                })
            });
            if is_over.expect("rows") {
                return found;
            }
        }
    }
}

/// The numbers of the rows in the order of a column.
fn sorted(rows: &[Row], column: Column) -> Vec<u64> {
    let keys: Vec<Vec<u8>> = rows
        .iter()
        .map(|row| key_of(column, row, &url_key(&row.url)))
        .collect();
    let mut numbers: Vec<usize> = (0..rows.len()).collect();
    numbers.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
    numbers.into_iter().map(|number| number as u64).collect()
}

fn compare(keeper: &mut Keeper, rows: &[Row]) {
    let numbered = rows
        .iter()
        .enumerate()
        .map(|(n, row)| (n as u64, n as u64 / 1000, row.clone()));
    let numbered: Vec<(u64, u64, Row)> = numbered.collect();
    assert_eq!(keeper.rows(0), numbered);
    let from = rows.len() * 2 / 3;
    assert_eq!(keeper.rows(from as u64), numbered[from..]);
    assert_eq!(keeper.index.rows(), rows.len() as u64);
    let kept = usize::try_from(keeper.index.kept_rows()).expect("a number");
    for groups in [
        &[&["/p/7"][..]][..],
        &[&["EXAMPLE.org", "other"], &["q=1"]],
        &[&["nowhere"]],
        &[&["dns:", "x"], &["page"]],
        &[&["8080/p/5"]],
    ] {
        let found = keeper.may_hold(groups, |_| {});
        let holds = |row: &Row| {
            let url = String::from_utf8_lossy(&row.url).to_lowercase();
            let holds = |text: &&str| url.contains(&text.to_lowercase());
            groups.iter().all(|group| group.iter().any(holds))
        };
        let lost = (0..)
            .zip(rows)
            .find(|(number, row)| holds(row) && !found.contains(number));
        assert_eq!(lost, None, "{groups:?}");
        let is_nowhere = groups == [&["nowhere"]];
        assert!(
            !is_nowhere || found.len() <= rows.len() - kept,
            "{} rows",
            found.len()
        );
    }
    let rows = &rows[..kept];
    for column in Column::ALL {
        let order = sorted(rows, column);
        assert_eq!(keeper.window(column, 0, usize::MAX, false), order);
        let backwards: Vec<u64> = order.iter().rev().copied().collect();
        assert_eq!(keeper.window(column, 0, usize::MAX, true), backwards);
        for from in [1, kept / 7, kept / 2, kept.saturating_sub(3), kept] {
            let some = |order: &[u64]| {
                order
                    .iter()
                    .skip(from)
                    .take(10)
                    .copied()
                    .collect::<Vec<u64>>()
            };
            assert_eq!(
                keeper.window(column, from as u64, 10, false),
                some(&order),
                "{column:?} {from}"
            );
            assert_eq!(
                keeper.window(column, from as u64, 10, true),
                some(&backwards),
                "{column:?} {from}"
            );
        }
    }
    let weight = |rows: &mut dyn Iterator<Item = &Row>| {
        rows.fold(Rank::default(), |sum, row| Rank {
            entries: sum.entries + 1,
            weight: sum.weight + row.length,
        })
    };
    // The captures of a time, as a histogram asks.
    for time in [0, 1_500_000_000, 1_500_001_000u32, 1_500_002_999, u32::MAX] {
        let before = weight(
            &mut rows
                .iter()
                .filter(|row| row.date.unwrap_or(u32::MAX) < time),
        );
        assert_eq!(keeper.rank(Column::Time, &time.to_be_bytes()), before);
    }
    // Those of a URL, in the order of time.
    let url = b"http://www.example.org/p/7?q=1";
    let key = [&url_key(url)[..], b" "].concat();
    let from = keeper.rank(Column::Url, &key).entries;
    let mut behind = key.clone();
    behind.extend([0xff; 5]);
    let count = keeper.rank(Column::Url, &behind).entries - from;
    let mut found = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| [&url_key(&row.url)[..], b" "].concat() == key);
    let mut expected: Vec<(Option<u32>, u64)> = Vec::new();
    for (n, row) in found.by_ref() {
        expected.push((Some(row.date.unwrap_or(u32::MAX)), n as u64));
    }
    expected.sort_unstable();
    let expected: Vec<u64> = expected.into_iter().map(|(_, n)| n).collect();
    let count = usize::try_from(count).expect("a number");
    assert_eq!(keeper.window(Column::Url, from, count, false), expected[..]);
    // How many there are of each type, status and host.
    let groups = keeper.groups(Column::Mime, Grouping::Key);
    let mut mimes: Vec<Group> = Vec::new();
    for mime in ["", "application/json", "image/png", "text/html"] {
        let whole = weight(&mut rows.iter().filter(|row| row.mime == mime.as_bytes()));
        let (entries, weight) = (whole.entries, whole.weight);
        let behind = [mime.as_bytes(), &[0]].concat();
        mimes.push(Group {
            name: mime.into(),
            behind,
            entries,
            weight,
            is_leaf: true,
        });
    }
    mimes.retain(|group| group.entries > 0);
    assert_eq!(groups, mimes);
    assert_eq!(
        keeper
            .groups(Column::Status, Grouping::Key)
            .iter()
            .map(|group| group.entries)
            .sum::<u64>(),
        kept as u64
    );
    let of_host = |host: &str| {
        let key = url_key(format!("http://{host}/").as_bytes());
        let key = &key[..key.len() - 2];
        weight(&mut rows.iter().filter(|row| {
            let found = url_key(&row.url);
            found.starts_with(key) && matches!(found.get(key.len()), Some(b')' | b','))
        }))
    };
    let check = |groups: Vec<Group>, expected: &[(&str, &str, bool)]| {
        let names: Vec<&[u8]> = groups.iter().map(|group| group.name.as_slice()).collect();
        let expected_names: Vec<&[u8]> =
            expected.iter().map(|(name, ..)| name.as_bytes()).collect();
        assert_eq!(names, expected_names);
        for (group, (_, host, is_leaf)) in groups.iter().zip(expected) {
            if host.is_empty() {
                continue;
            }
            let whole = of_host(host);
            let found = (group.entries, group.weight, group.is_leaf);
            assert_eq!(found, (whole.entries, whole.weight, *is_leaf), "{host}");
        }
    };
    if kept < 2000 {
        return;
    }
    check(
        keeper.groups(Column::Url, Grouping::Host { under: b"" }),
        &[
            ("-", "", true),
            ("dns:", "", true),
            ("org", "org", false),
            ("test", "test", false),
            ("urn:", "", true),
        ],
    );
    check(
        keeper.groups(Column::Url, Grouping::Host { under: b"org" }),
        &[
            ("org,example", "example.org", false),
            ("org,example-two", "example-two.org", true),
        ],
    );
    check(
        keeper.groups(
            Column::Url,
            Grouping::Host {
                under: b"org,example",
            },
        ),
        &[("org,example,a", "a.example.org", false)],
    );
    check(
        keeper.groups(
            Column::Url,
            Grouping::Host {
                under: b"org,example,a",
            },
        ),
        &[("org,example,a,b", "b.a.example.org", true)],
    );
    let hosts = keeper.groups(Column::Url, Grouping::WholeHost);
    let names: Vec<&[u8]> = hosts.iter().map(|group| &group.name[..]).collect();
    let expected: [&[u8]; 9] = [
        b"-",
        b"dns:",
        b"org,example",
        b"org,example,a",
        b"org,example,a,b",
        b"org,example-two",
        b"test,other",
        b"test,other:8080",
        b"urn:",
    ];
    assert_eq!(names, expected);
    let entries: u64 = hosts.iter().map(|group| group.entries).sum();
    assert_eq!(entries, kept as u64);
    check(
        keeper.groups(Column::Url, Grouping::Host { under: b"test" }),
        &[
            ("test,other", "other.test", true),
            ("test,other:8080", "", true),
        ],
    );
}

#[test]
fn it_answers_as_a_list_of_rows_would_whatever_was_flushed_and_merged() {
    let count = if std::env::var_os("STACKROOM_DEEP").is_some() {
        10_000
    } else {
        3000
    };
    let all = rows(count, 11);
    let mut keeper = Keeper::new();
    let mut random = Random(5);
    compare(&mut keeper, &[]);
    let mut merges = 0;
    for (n, row) in all.iter().enumerate() {
        assert!(keeper.index.push(row, &url_key(&row.url), n as u64 / 1000));
        if random.below(60) == 0 {
            keeper.flush();
            while keeper.merge(false) {
                merges += 1;
            }
        }
        if random.below(count / 4) == 0 {
            compare(&mut keeper, &all[..=n]);
        }
    }
    assert!(merges > 3 && keeper.index.manifest().parts.len() > 1);
    keeper.flush();
    compare(&mut keeper, &all);
    keeper.reopen();
    compare(&mut keeper, &all);
    assert!(keeper.merge(true) && !keeper.merge(true));
    assert_eq!(keeper.index.manifest().parts.len(), 1);
    compare(&mut keeper, &all);
    keeper.reopen();
    compare(&mut keeper, &all);
    assert_eq!(
        keeper.index.bytes(),
        keeper
            .host
            .files
            .values()
            .map(|file| file.len() as u64)
            .sum::<u64>()
    );
}

#[test]
fn what_is_damaged_is_told_and_the_rest_still_read() {
    let all = rows(2000, 3);
    let mut keeper = Keeper::new();
    for row in &all {
        keeper.index.push(row, &url_key(&row.url), 0);
    }
    keeper.flush();
    // In the blocks of the rows, which come first.
    let file = keeper.host.files.get_mut(&1).expect("a file");
    file[20_000] ^= 1;
    keeper.reopen();
    let Keeper { host, index, .. } = &mut keeper;
    let mut seen = 0;
    let result = host.run(|blocks| {
        index.visit_rows(0, blocks, |number, _, _| {
            seen = number + 1;
            true
        })
    });
    let Err(Stop::Damaged(span)) = result else {
        panic!("a flipped bit was read: {result:?}");
    };
    assert!((span.offset..span.offset + u64::from(span.length)).contains(&20_000));
    assert!(seen > 50 && seen < 2000);
    let mut check = IndexCheck::default();
    let mut findings = Vec::new();
    loop {
        match host.run(|blocks| index.check(&mut check, blocks)) {
            Ok(true) => break,
            Ok(false) => {}
            Err(stop) => findings.push(stop),
        }
    }
    assert_eq!(findings, [Stop::Damaged(span)]);
    assert_eq!(
        keeper.window(Column::Url, 0, usize::MAX, false),
        sorted(&all, Column::Url)
    );
    assert_eq!(keeper.rows(1900).len(), 100);
}

/// Segments that were written before it was known what is in their URLs, or of which something else says it.
#[test]
fn what_does_not_tell_of_its_urls_may_hold_anything() {
    let all = rows(500, 3);
    let mut keeper = Keeper::new();
    for row in &all {
        keeper.index.push(row, &url_key(&row.url), 0);
    }
    keeper.flush();
    let file = keeper.next_file;
    let bytes = keeper.host.files[&file].len() as u64;
    let segment = keeper.host.run(|blocks| Segment::open(file, bytes, blocks));
    let segment = segment.expect("a segment");
    for grams in [Grams::Unknown, Grams::These] {
        let mut writer = SegmentWriter::new(9);
        for section in segment.sections() {
            if section.kind.grams == Grams::These {
                let order = Order::ByKey;
                writer.begin(
                    &section.name,
                    Kind {
                        order,
                        ..section.kind
                    },
                );
                writer.push(b"", b"no set");
                continue;
            }
            let grams = if section.kind.grams == Grams::Known {
                grams
            } else {
                Grams::Unknown
            };
            writer.begin(
                &section.name,
                Kind {
                    grams,
                    ..section.kind
                },
            );
            let entries = keeper.host.read(&segment, section, 0).expect("entries");
            entries
                .iter()
                .for_each(|(key, value)| assert!(writer.push(key, value)));
        }
        let mut earlier = Keeper::new();
        let (file, bytes) = earlier.keep(writer.finish());
        let part = Part {
            file,
            bytes,
            rows: 500,
        };
        let Keeper { host, index, .. } = &mut earlier;
        host.run(|blocks| index.adopt(part, blocks))
            .expect("a segment");
        let found = earlier.may_hold(&[&["nowhere"]], |_| {});
        assert_eq!(found, (0..500).collect::<Vec<u64>>());
        compare_rows(&mut earlier, &all);
    }
}

fn compare_rows(keeper: &mut Keeper, rows: &[Row]) {
    let found = keeper.rows(0).into_iter().map(|(_, _, row)| row);
    assert_eq!(found.collect::<Vec<Row>>(), rows);
}

#[test]
fn segments_that_become_one_meanwhile_hide_no_row() {
    let all = rows(2000, 8);
    for merged_at in 0..5 {
        let mut keeper = Keeper::new();
        for (n, row) in all.iter().enumerate() {
            keeper.index.push(row, &url_key(&row.url), 0);
            if n % 450 == 449 {
                keeper.flush();
            }
        }
        let mut step = 0;
        let found = keeper.may_hold(&[&["example"]], |keeper| {
            if step == merged_at {
                assert!(keeper.merge(true));
            }
            step += 1;
        });
        let holds = |row: &Row| String::from_utf8_lossy(&row.url).contains("example");
        let expected = (0..).zip(&all).filter(|(_, row)| holds(row));
        let mut found = found.into_iter();
        assert!(
            expected
                .into_iter()
                .all(|(number, _)| found.any(|row| row == number)),
            "{merged_at}"
        );
    }
}

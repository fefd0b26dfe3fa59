//! Captures of a URL, those nearest to a time first: against a plain list, and how many blocks are read for one.

use stackroom::index::{Asked, Capture, Locator};
use stackroom::row::Row;

use super::host::Random;
use super::kept::{Keeper, rows, url_key};

fn nearest(keeper: &mut Keeper, key: &[u8], asked: Asked) -> Vec<Capture> {
    let Keeper { host, index, .. } = keeper;
    host.run(|blocks| index.nearest(key, asked, blocks))
        .expect("captures")
}

fn located(row: &Row, number: u64) -> Capture {
    Capture {
        time: row.date,
        locator: Locator {
            row: number,
            length: row.length,
            part: number / 1000,
            offset: row.offset,
            skip: row.skip,
            kind: row.kind,
            status: row.status,
        },
    }
}

fn compare(keeper: &mut Keeper, rows: &[Row], random: &mut Random) {
    let kept = usize::try_from(keeper.index.kept_rows()).expect("a number");
    let rows = &rows[..kept];
    for _ in 0..200 {
        let some = random.below(rows.len() as u64 + 20);
        let row = usize::try_from(some).ok().and_then(|n| rows.get(n));
        let url: &[u8] = row.map_or(b"http://example.org/nowhere", |row| &row.url);
        let key = url_key(url);
        let time = (random.below(4) > 0)
            .then(|| 1_499_999_900 + u32::try_from(random.below(3200)).expect("a time"));
        let count = usize::try_from(random.below(6)).expect("a number");
        let same = rows.iter().enumerate();
        let same = same.filter(|(_, row)| url_key(&row.url) == key);
        let mut expected: Vec<Capture> = same.map(|(n, row)| located(row, n as u64)).collect();
        let wanted = i64::from(time.unwrap_or(0));
        let distance = |capture: &Capture| {
            let time = capture.time.map(|time| (i64::from(time) - wanted).abs());
            time.unwrap_or(i64::MAX)
        };
        expected.sort_by_key(|capture| (distance(capture), capture.time));
        expected.truncate(count);
        let found = nearest(keeper, &key, Asked { time, count });
        // Of the same second any may be told; which ones is the same each time.
        let times = |captures: &[Capture]| captures.iter().map(|one| one.time).collect::<Vec<_>>();
        assert_eq!(times(&found), times(&expected), "{time:?} {count}");
        for capture in &found {
            let number = usize::try_from(capture.locator.row).expect("a row");
            assert_eq!(*capture, located(&rows[number], capture.locator.row));
            assert_eq!(url_key(&rows[number].url), key);
        }
    }
}

#[test]
fn the_nearest_captures_are_those_of_a_list_in_any_number_of_segments() {
    let all = rows(3000, 23);
    let mut keeper = Keeper::new();
    let mut random = Random(7);
    for (n, row) in all.iter().enumerate() {
        assert!(keeper.index.push(row, &url_key(&row.url), n as u64 / 1000));
        if n % 500 == 499 {
            keeper.flush();
            compare(&mut keeper, &all[..=n], &mut random);
        }
    }
    assert!(keeper.merge(true));
    keeper.reopen();
    compare(&mut keeper, &all, &mut random);
}

/// A URL of its own for each record but few, as crawls have them.
fn crawled(count: u64) -> Vec<Row> {
    let mut random = Random(3);
    let mut offset = 0;
    (0..count)
        .map(|n| {
            let length = 600 + random.below(9000);
            offset += length;
            let path = random.below(count);
            Row {
                offset,
                length,
                kind: 2,
                status: Some(200),
                size: length * 3,
                date: u32::try_from(1_500_000_000 + n / 20).ok(),
                digest: random.below(1 << 40),
                mime: b"text/html".to_vec(),
                url: format!("http://host{}.example.org/a/{path}", n / 700).into_bytes(),
                ..Row::default()
            }
        })
        .collect()
}

/// The place of one capture of a URL: 1.2 blocks at most where its block is not in memory, none when it is asked for
/// again. The upper levels, some hundredths of the index, are read by the first look-ups and stay.
#[test]
fn a_look_up_reads_one_block() {
    let all = crawled(120_000);
    let mut keeper = Keeper::new();
    for row in &all {
        assert!(keeper.index.push(row, &url_key(&row.url), 0));
        if keeper.index.is_full() {
            keeper.flush();
        }
    }
    keeper.flush();
    keeper.merge(true);
    keeper.reopen_within(1 << 20);
    let mut random = Random(17);
    let (mut cold, mut reads) = (0u32, 0usize);
    for n in 0..4000 {
        let number = usize::try_from(random.below(all.len() as u64)).expect("a row");
        let key = url_key(&all[number].url);
        let asked = Asked {
            time: all[number].date,
            count: 1,
        };
        let before = keeper.host.reads;
        let found = nearest(&mut keeper, &key, asked);
        let read = keeper.host.reads;
        assert_eq!(found[0].time, asked.time);
        assert_eq!(nearest(&mut keeper, &key, asked), found);
        assert_eq!(keeper.host.reads, read, "asked again, it reads nothing");
        if n >= 500 && read > before {
            cold += 1;
            reads += read - before;
        }
    }
    assert!(cold > 1000, "{cold} look-ups found nothing in memory");
    let each = f64::from(u32::try_from(reads).expect("reads")) / f64::from(cold);
    println!("{each} blocks a look-up, of {cold} that read any");
    assert!(each <= 1.2, "{each} blocks a look-up");
}

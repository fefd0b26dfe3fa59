//! Files that are written here, since what is read elsewhere is not ours to keep.

use super::*;

/// A file of one page with this content; `more` are objects from 6 on, `fonts` what the page has of them.
fn pdf(content: &str, fonts: &str, more: &[&str]) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (de_AT) >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << {fonts} >> /XObject << /X 6 0 R >> >> /Annots [<< /Subtype /Link /A << /S /URI /URI (http://a.test/?b) >> >> << /Subtype /Text >>] >>"
        ),
        format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ),
        "<< /Title (\u{fe}\u{ff}) >>".to_owned(),
    ];
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects
        .iter()
        .map(String::as_str)
        .chain(more.iter().copied())
        .enumerate()
    {
        places.push(file.len());
        let number = at + 1;
        file.extend_from_slice(format!("{number} 0 obj\n{object}\nendobj\n").as_bytes());
    }
    let start = file.len();
    file.extend_from_slice(
        format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).as_bytes(),
    );
    for place in &places {
        file.extend_from_slice(format!("{place:010} 00000 n \n").as_bytes());
    }
    file.extend_from_slice(
        format!(
            "trailer << /Size {} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{start}\n%%EOF\n",
            places.len() + 1
        )
        .as_bytes(),
    );
    file
}

const HELVETICA: &str =
    "/F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

fn text_of(content: &str, fonts: &str, more: &[&str]) -> String {
    read(pdf(content, fonts, more)).expect("a PDF").text
}

#[test]
fn words_lines_and_blocks_are_told_with_links_and_language() {
    let content = "BT /F 12 Tf 72 700 Td (One line of) Tj 0 -14 Td [(a) -400 (block) 20 (s)] TJ 0 -60 Td (Another block) Tj ET";
    let document = read(pdf(content, HELVETICA, &[])).expect("a PDF");
    assert_eq!(document.text, "One line of a blocks\nAnother block");
    assert_eq!(document.language, "de-at");
    assert_eq!(
        document.links,
        [Link {
            kind: LinkKind::Anchor,
            url: "http://a.test/?b".into()
        }]
    );
    assert!(!document.is_cut);
}

#[test]
fn letters_come_from_differences_and_from_tables_of_the_file() {
    let named = "/F << /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+Own /Encoding << /Differences [1 /fi /Euro 65 /odieresis /g99] >> >>";
    assert_eq!(
        text_of("BT /F 10 Tf (\\001\\002AB!) Tj ET", named, &[]),
        "fi\u{20ac}\u{f6}!"
    );
    let table = "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <0003> <00DC> endbfchar 1 beginbfrange <0004> <0005> <006E> endbfrange";
    let stream = format!("<< /Length {} >>\nstream\n{table}\nendstream", table.len());
    let composite = "/F << /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /W [3 [700] 4 5 500] >>] >>";
    assert_eq!(
        text_of("BT /F 10 Tf <000300040005> Tj ET", composite, &[&stream]),
        "\u{dc}no"
    );
    let letters = "/F << /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /UniJIS-UTF16-H /DescendantFonts [<< /Subtype /CIDFontType0 >>] >>";
    assert_eq!(
        text_of("BT /F 10 Tf <65E5672C> Tj ET", letters, &[]),
        "\u{65e5}\u{672c}"
    );
}

#[test]
fn what_is_drawn_within_is_read_and_what_says_itself_what_it_is_is_believed() {
    let form = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Matrix [1 0 0 1 0 -100] /Length 38 >>\nstream\nBT /F 12 Tf 72 700 Td (in a form) Tj ET\nendstream";
    let content = "BT /F 12 Tf 72 700 Td (first) Tj ET q /X Do Q BT /F 12 Tf 72 400 Td /Span << /ActualText (told) >> BDC (dra) Tj (wn) Tj EMC ( last) Tj ET";
    assert_eq!(
        text_of(content, HELVETICA, &[form]),
        "first\nin a form\ntold last"
    );
    // One that draws itself ends.
    let own = "<< /Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> >> /Length 11 >>\nstream\n/X Do /X Do\nendstream";
    assert_eq!(text_of("/X Do", HELVETICA, &[own]), "");
}

#[test]
fn lines_that_are_turned_are_lines() {
    let content = "BT /F 12 Tf 0 1 -1 0 100 100 Tm (up the) Tj 0 -14 Td (page) Tj ET";
    assert_eq!(text_of(content, HELVETICA, &[]), "up the page");
}

#[test]
fn files_that_end_early_or_have_wrong_bytes_tell_what_they_can() {
    let content = "BT /F 12 Tf 72 700 Td (One line of) Tj 0 -14 Td [(a) -400 (block)] TJ ET";
    let whole = pdf(content, HELVETICA, &[]);
    for end in 0..whole.len() {
        read(whole[..end].to_vec());
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x21;
        read(bytes);
    }
    // Its tables are found again where they are not where they should be.
    let moved = [b"\n\n\n".as_slice(), &whole].concat();
    assert_eq!(
        read(moved).map(|document| document.text).as_deref(),
        Some("One line of a block")
    );
    assert_eq!(read(b"%PDF-1.4\nnothing".to_vec()), None);
    assert_eq!(read(Vec::new()), None);
}

#[test]
fn hostile_files_take_no_longer_than_others() {
    let long = |piece: &str| piece.repeat((1 << 20) / piece.len());
    let seconds = |file: Vec<u8>| {
        let start = std::time::Instant::now();
        read(file);
        start.elapsed().as_secs_f64()
    };
    let drawn = |content: &str| seconds(pdf(content, HELVETICA, &[]));
    // What takes the square of its length takes minutes; a machine that is busy takes a second now and then.
    let limit = 30.0 * drawn(&long("BT /F 9 Tf (a word) Tj 0 -9 Td ET ")).max(0.1);
    for piece in [
        "BI /W 1 ID ",
        "BI /W 1 ID x EI\u{7f}",
        "BI ID x EI BI ",
        "(",
        "[",
        "<",
        "<<",
        "/X Do ",
        "q ",
        "1 ",
        "/F 9 Tf ",
        "/S << /ActualText (a) >> BDC ",
        "EMC Q ",
    ] {
        assert!(drawn(&long(piece)) < limit, "{piece}");
    }
    for piece in [
        "1 0 obj<<>>endobj ",
        "1 0 obj[",
        "<</A",
        "startxref\n0\n%%EOF\n",
        "xref\n0 1\n0000000000 65535 f \ntrailer<</Prev 9>>\n",
        "1 0 obj<</Length 9>>stream\n",
        "%a\n",
    ] {
        let file = format!("%PDF-1.4\n{}", long(piece)).into_bytes();
        assert!(seconds(file) < limit, "{piece}");
    }
    // A font that is made for each of many forms, from a table that is long.
    let form = "<< /Subtype /Form /Resources << /Font << /G << /Type /Font /Subtype /Type1 /ToUnicode 7 0 R >> >> >> /Length 8 >>\nstream\n/G 9 Tf \nendstream";
    let table = long("beginbfchar <41> <0041> endbfchar ");
    let table = format!("<< /Length {} >>\nstream\n{table}\nendstream", table.len());
    assert!(seconds(pdf(&long("/X Do "), HELVETICA, &[form, &table])) < limit);
}

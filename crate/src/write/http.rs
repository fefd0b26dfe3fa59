//! HTTP heads of records that are made. Where a source keeps bodies decoded, the head must not say that they are
//! encoded: such fields are kept under another name, as other tools do.

use crate::archive::HttpHead;

const KEPT_AS: &[u8] = b"X-Archive-Orig-";

/// The head of a decoded body that is `length` bytes long; without a length it ends where its record does.
pub fn rewritten(head: &HttpHead, length: Option<usize>) -> Vec<u8> {
    let mut out = first_line(head);
    let mut has_length = false;
    for (name, value) in head.fields() {
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        let is_true = is("Content-Length")
            && length.is_some_and(|length| value.trim_ascii() == length.to_string().as_bytes());
        if is_true && has_length {
            continue;
        }
        has_length |= is_true;
        if !is_true && (is("Content-Length") || is("Content-Encoding") || is("Transfer-Encoding")) {
            out.extend_from_slice(KEPT_AS);
        }
        out.extend(name.iter().filter(|byte| !byte.is_ascii_control()));
        out.extend_from_slice(b": ");
        out.extend(value.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')));
        out.extend_from_slice(b"\r\n");
    }
    if let Some(length) = length
        && !has_length
        && (length > 0 || head.is_response())
    {
        out.extend_from_slice(format!("Content-Length: {length}\r\n").as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// The first line as HTTP/1 has it: later versions have no text form.
fn first_line(head: &HttpHead) -> Vec<u8> {
    let line = head.start_line();
    let known = |version: &[u8]| matches!(version, b"HTTP/1.0" | b"HTTP/1.1");
    let mut words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    if head.is_response() {
        if !known(words[0]) {
            words[0] = b"HTTP/1.1";
        }
    } else if words.len() > 2 && words.last().is_some_and(|last| !known(last)) {
        words.pop();
        words.push(b"HTTP/1.1");
    } else if words.len() == 2 {
        words.push(b"HTTP/1.1");
    }
    let mut line = words.join(&b' ');
    line.extend_from_slice(b"\r\n");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(head: &str, length: Option<usize>) -> String {
        let head = HttpHead::made(head.replace('\n', "\r\n").into_bytes());
        String::from_utf8(rewritten(&head, length))
            .expect("text")
            .replace("\r\n", "\n")
    }

    #[test]
    fn a_head_says_how_its_body_is_kept() {
        assert_eq!(
            of(
                "HTTP/2 200\nContent-Encoding: br\nContent-Length: 9\nA: b\n\n",
                Some(20)
            ),
            "HTTP/1.1 200\nX-Archive-Orig-Content-Encoding: br\nX-Archive-Orig-Content-Length: 9\nA: b\nContent-Length: 20\n\n"
        );
        assert_eq!(
            of(
                "HTTP/1.0 200 OK\nContent-Length: 20\ncontent-length: 20\n\n",
                Some(20)
            ),
            "HTTP/1.0 200 OK\nContent-Length: 20\n\n"
        );
        assert_eq!(
            of("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n", None),
            "HTTP/1.1 200 OK\nX-Archive-Orig-Transfer-Encoding: chunked\n\n"
        );
        assert_eq!(
            of("GET / HTTP/2\nA: b\n\n", Some(0)),
            "GET / HTTP/1.1\nA: b\n\n"
        );
        assert_eq!(
            of("POST /\n\n", Some(1)),
            "POST / HTTP/1.1\nContent-Length: 1\n\n"
        );
    }
}

//! Scripts edited: what is a free `location` or `top`, what is asked of windows, and that no text whatever breaks it.

use stackroom::limits::{SCRIPT_DEPTH_MAX, SCRIPT_EDITS_MAX};
use stackroom::rewrite::needs_editing;
use stackroom::script::{Edited, Goal, edit};

fn replay(url: &str) -> Option<String> {
    let rest = url.strip_prefix("http").map_or(url, |rest| {
        rest.strip_prefix("s:")
            .or(rest.strip_prefix(":"))
            .unwrap_or(rest)
    });
    rest.strip_prefix("//")
        .map(|rest| format!("http://r.test/{rest}"))
}

fn read(source: &str, goal: Goal) -> Edited {
    edit(source.as_bytes(), goal, &replay)
}

/// What becomes of a source; itself where nothing is changed. It must be readable.
fn as_goal(source: &str, goal: Goal) -> String {
    let edited = read(source, goal);
    assert!(edited.is_read, "not read: {source}");
    match edited.text {
        Some(text) => {
            assert!(needs_editing(source.as_bytes()), "passed over: {source}");
            String::from_utf8(text).expect("UTF-8")
        }
        None => source.into(),
    }
}

fn check(goal: Goal, cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(&as_goal(source, goal), expected, "of {source}");
    }
}

fn untouched(goal: Goal, cases: &[&str]) {
    for source in cases {
        assert_eq!(&as_goal(source, goal), source);
    }
}

#[test]
fn free_names_are_replaced() {
    check(
        Goal::Script,
        &[
            ("location", "__wa$loc"),
            ("location = 'x'", "__wa$loc = 'x'"),
            (
                "location += 1; location++; --location",
                "__wa$loc += 1; __wa$loc++; --__wa$loc",
            ),
            (
                "delete location; typeof location",
                "delete __wa$loc; typeof __wa$loc",
            ),
            ("f({location})", "f({location:__wa$loc})"),
            (
                "f({a: location, location: top, top})",
                "f({a: __wa$loc, location: __wa$top, top:__wa$top})",
            ),
            ("({a: location} = x)", "({a: __wa$loc} = x)"),
            (
                "({location = 1} = x)",
                "({location:__wa$loc = 1} = __wa$L(x))",
            ),
            ("[location, ...top] = x", "[__wa$loc, ...__wa$top] = x"),
            ("for (location in x);", "for (__wa$loc in x);"),
            ("for (location of x);", "for (__wa$loc of x);"),
            (
                "if (top !== self) top.location = self.location",
                "if (__wa$top !== self) __wa$L(__wa$top).location = __wa$L(self).location",
            ),
            (
                "`a ${location} b ${`${top}`}`",
                "`a ${__wa$loc} b ${`${__wa$top}`}`",
            ),
            ("a\nlocation\n++b", "a\n__wa$loc\n++b"),
            ("x = a ? location : top", "x = a ? __wa$loc : __wa$top"),
            (
                "case_: switch (location) { case top: location; default: }",
                "case_: switch (__wa$loc) { case __wa$top: __wa$loc; default: }",
            ),
            (
                "class A extends location { [top] = location; static { top } }",
                "class A extends __wa$loc { [__wa$top] = __wa$loc; static { __wa$top } }",
            ),
            (
                "function f(a = location) { var location }",
                "function f(a = __wa$loc) { var location }",
            ),
            (
                "(a = location) => { var location; location }",
                "(a = __wa$loc) => { var location; location }",
            ),
            (
                "{ let location; location } location",
                "{ let location; location } __wa$loc",
            ),
            (
                "(function location() { location }); location",
                "(function location() { location }); __wa$loc",
            ),
            (
                "try {} catch (location) { location } location",
                "try {} catch (location) { location } __wa$loc",
            ),
            (
                "for (let top of top.a) top; top",
                "for (let top of top.a) top; __wa$top",
            ),
            ("async(location)", "async(__wa$loc)"),
            (
                "async (location) => location; async location => location; location",
                "async (location) => location; async location => location; __wa$loc",
            ),
            ("yield\n/location/g", "yield\n/__wa$loc/g"),
            (
                "x = () => {}\n/location/.test(location)",
                "x = () => {}\n/location/.test(__wa$loc)",
            ),
        ],
    );
}

#[test]
fn names_are_known_however_they_are_spelled() {
    for (source, expected, is_needed) in [
        (
            "loc\\u0061tion; l\\u{6f}cation",
            "__wa$loc; __wa$loc",
            false,
        ),
        ("a['\\x6cocation']", "__wa$L(a)['\\x6cocation']", false),
        (
            "a['loc\\u0061t\\u{69}on']",
            "__wa$L(a)['loc\\u0061t\\u{69}on']",
            false,
        ),
        (
            "self['\\x74\\x6f\\x70']",
            "__wa$L(self)['\\x74\\x6f\\x70']",
            true,
        ),
        (
            "a['\\x6c\\x6f\\x63\\x61\\x74\\x69\\x6f\\x6e']",
            "__wa$L(a)['\\x6c\\x6f\\x63\\x61\\x74\\x69\\x6f\\x6e']",
            true,
        ),
    ] {
        let text = read(source, Goal::Script).text.expect("edits");
        assert_eq!(String::from_utf8(text).expect("UTF-8"), expected);
        assert_eq!(needs_editing(source.as_bytes()), is_needed, "{source}");
    }
}

#[test]
fn what_is_no_reference_stays() {
    untouched(
        Goal::Script,
        &[
            "'location'; \"top\"; `location`; /location/; /[/]location/; // location\n/* top */",
            "<!-- location\n--> top\na = { location: 1, top: 2, 'location': 3, location() {}, get top() {}, set top(a) {} }",
            "location: for (;;) { break location }",
            "function f(location, top) { return location + top }",
            "function f() { if (location) { var location } function top() {} top }",
            "function f() { { function location() {} } location }",
            "(location => location)((top, [a, {b: location}]) => location)",
            "(({location}, {top = 1}) => location + top)()",
            "class location { location = 1; static top = 2; get location() {} static #top; a() { location } }",
            "const f = class top { a() { top } }",
            "a = { get location() { return 1 }, async location() {}, *location() {} }",
            "let {a: location, ...top} = b; location + top",
            "with (a) { location; top }",
            "super_.top; style.top; a.b.top; a().top; this_.top; a?.top; a['top']",
            "import_.x; ({ import: 1, postMessage() {} }).import",
            "\"location\".location; [].location; ({}).x",
            "postMessage(a); a.postMessage; new a.postMessage(b)",
            "var f = function () { 'use strict' }; a",
            "x = a\n++b; x = a / b / c; x = a++ / 2; if (a) /b/.c",
        ],
    );
    untouched(
        Goal::Module,
        &[
            "var location, top; location + top",
            "import location, {a as top} from 'b'; export {location as default}",
        ],
    );
    untouched(Goal::Function, &["var location; return location"]);
}

#[test]
fn what_is_asked_of_windows_is_asked_of_what_stands_for_them() {
    check(
        Goal::Script,
        &[
            ("window.location.href", "__wa$L(window).location.href"),
            ("a.b().c[0].location", "__wa$L(a.b().c[0]).location"),
            ("document.location = b", "__wa$L(document).location = b"),
            (
                "window['location']; self[\"top\"]; a[`location`]",
                "__wa$L(window)['location']; __wa$L(self)[\"top\"]; __wa$L(a)[`location`]",
            ),
            (
                "a?.location; a?.['location']",
                "__wa$L(a)?.location; __wa$L(a)?.['location']",
            ),
            ("a?.b.location.c", "__wa$L(a?.b)?.location.c"),
            ("a?.b['location']", "__wa$L(a?.b)?.['location']"),
            ("a?.b\n.location", "__wa$L(a?.b)\n?.location"),
            ("(a?.b).location", "__wa$L((a?.b)).location"),
            (
                "delete a.location; a.location++",
                "delete __wa$L(a).location; __wa$L(a).location++",
            ),
            ("return(a).location", "return __wa$L((a)).location"),
            ("typeof(a).location", "typeof __wa$L((a)).location"),
            (
                "a.location.b.location",
                "__wa$L(__wa$L(a).location.b).location",
            ),
            (
                "new a.location.b(c).location",
                "__wa$L(new (__wa$L(a).location.b)(c)).location",
            ),
            ("new new a.location()()", "new new (__wa$L(a).location)()()"),
            ("new (a.location)", "new (__wa$L(a).location)"),
            (
                "a /* . */ . /* b */ location",
                "__wa$L(a) /* . */ . /* b */ location",
            ),
            (
                "!function(){}().location",
                "!__wa$L(function(){}()).location",
            ),
            (
                "[a.location] = b; ({c: d.location} = e)",
                "[__wa$L(a).location] = b; ({c: __wa$L(d).location} = e)",
            ),
            (
                "window.top; parent.parent.top; this.top; top.top; a.defaultView.top",
                "__wa$L(window).top; __wa$L(parent.parent).top; __wa$L(this).top; __wa$L(__wa$top).top; __wa$L(a.defaultView).top",
            ),
            (
                "class A { a() { this.top; this.location } }",
                "class A { a() { this.top; __wa$L(this).location } }",
            ),
            (
                "class A extends B { a() { super.location; super.a.location } }",
                "class A extends B { a() { super.location; __wa$L(super.a).location } }",
            ),
            ("a.postMessage(b, '*')", "__wa$P(a).postMessage(b, '*')"),
            (
                "top.postMessage(b); a?.b.postMessage?.(c)",
                "__wa$P(__wa$top).postMessage(b); __wa$P(a?.b)?.postMessage?.(c)",
            ),
            (
                "a.location.postMessage(b)",
                "__wa$P(__wa$L(a).location).postMessage(b)",
            ),
            ("a['postMessage'](b)", "__wa$P(a)['postMessage'](b)"),
        ],
    );
}

#[test]
fn windows_that_are_taken_apart_are_held() {
    check(
        Goal::Script,
        &[
            (
                "const {location, top} = window",
                "const {location, top} = __wa$L(window)",
            ),
            (
                "const {location: {href}} = a",
                "const {location: {href}} = __wa$L(a)",
            ),
            (
                "let {top} = b, {top: c} = self",
                "let {top} = b, {top: c} = __wa$L(self)",
            ),
            (
                "var a, {b,top: c} = self",
                "var a, {b,top: c} = __wa$L(self)",
            ),
            ("({top:a}= parent)", "({top:a}= __wa$L(parent))"),
            (
                "const {'top': a} /* b */ = a.parent",
                "const {'top': a} /* b */ = __wa$L(a.parent)",
            ),
            (
                "const {'location': a} = b",
                "const {'location': a} = __wa$L(b)",
            ),
            (
                "function f({location: a} = window) {}",
                "function f({location: a} = __wa$L(window)) {}",
            ),
            (
                "f = ({location} = window) => location",
                "f = ({location} = __wa$L(window)) => location",
            ),
            (
                "({location: a} = window)",
                "({location: a} = __wa$L(window))",
            ),
            (
                "const {location} = {location: 1}",
                "const {location} = {location: 1}",
            ),
        ],
    );
}

#[test]
fn variables_of_the_window_are_none_of_the_script() {
    check(
        Goal::Script,
        &[
            (
                "var location = 'a'; location",
                "var __wa$loc = 'a'; __wa$loc",
            ),
            (
                "var {location, a: top} = b",
                "var {location:__wa$loc, a: __wa$top} = __wa$L(b)",
            ),
            ("for (var top in a) top", "for (var __wa$top in a) __wa$top"),
            (
                "if (a) { var top } function f() { return top }",
                "if (a) { var __wa$top } function f() { return __wa$top }",
            ),
        ],
    );
    // What turns out to be a module has variables of its own.
    untouched(
        Goal::Script,
        &[
            "var location = 1; export {location}",
            "await 1; var top; top",
        ],
    );
}

#[test]
fn modules_are_asked_for_at_their_replay_origins() {
    check(
        Goal::Module,
        &[
            (
                "import 'https://a.test/b.js'",
                "import 'http://r.test/a.test/b.js'",
            ),
            (
                "import a, {b} from \"//a.test/b.js\" with {type: 'json'}",
                "import a, {b} from \"http://r.test/a.test/b.js\" with {type: 'json'}",
            ),
            (
                "import * as a from './b.js'; export * from 'http://c.test/'",
                "import * as a from './b.js'; export * from 'http://r.test/c.test/'",
            ),
            (
                "export {a as default, b as 'c d'} from '//a.test/'",
                "export {a as default, b as 'c d'} from 'http://r.test/a.test/'",
            ),
            (
                "import(a); import('b', {with: {}}); import.meta.url",
                "import(__wa$import(a)); import(__wa$import('b'), {with: {}}); import.meta.url",
            ),
            (
                "await import(location)",
                "await import(__wa$import(__wa$loc))",
            ),
            (
                "export default location; export const a = top",
                "export default __wa$loc; export const a = __wa$top",
            ),
            (
                "export default function top() { top } top",
                "export default function top() { top } top",
            ),
        ],
    );
    // A script that only a module can be.
    check(
        Goal::Script,
        &[(
            "import '//a.test/'; location",
            "import 'http://r.test/a.test/'; __wa$loc",
        )],
    );
}

#[test]
fn handlers_and_expressions_are_read_as_such() {
    check(
        Goal::Function,
        &[
            ("if (a) return location", "if (a) return __wa$loc"),
            ("this.top", "__wa$L(this).top"),
        ],
    );
    check(
        Goal::Expression,
        &[
            ("{location}", "{location:__wa$loc}"),
            (
                "function () { return top }",
                "function () { return __wa$top }",
            ),
        ],
    );
}

#[test]
fn all_of_the_language_is_read() {
    untouched(
        Goal::Script,
        &[
            "var let_ = 1; let\nx = 1; let [a] = b; let {c} = d; var async; async\nfunction f() {}",
            "for (using of = null;;) break; for (using of a); for (using in a); for (let in {}); for (let = 0; let < 1; let++); for (var i = 0 in {}); for (async of => 1;;) break;",
            "for (const a of b) c: for (;;) continue c; do a\nwhile (b) c; do ; while (0) x",
            "a = b ? c => d : e => f; a = b ? (c) : d => e; a = (b, c) => ({}).d; (a, [b], {c}, ...d) => {}",
            "class A { static = 1; get = 2; set; async\nb() {} static async *c() {} get d() {} set d(a) {} static get\ne() {} 'f'() {} 1() {} [g] = 1; #h; static #i() {} async; static static; get\n*j() {} #k = #h in this }",
            "a = { get, set, async, static: 1, of, let: 1, get get() {}, set set(a) {}, async async() {}, *gen() { yield* a }, async *b() { for await (c of d); }, [e]: 1, 1: 2, if: 3, 'x': 4, ...f }",
            "function* g() { yield; yield a; yield* b; const c = yield; (yield); [yield, yield]; yield /re/; x = y ? yield : yield }",
            "async function f() { await a; for await (const b of c); await /re/; async () => await d }",
            "await / 2 /1; yield / 2 / 1; var await, yield; await\n(1); yield: 1",
            "0x1F; 0b1; 0o7; 017; 089.5; 1_000; 1n; 0xfn; .5; 5.; 5..a; 1e3; 1e-3; 0.0.a",
            "a ??= b; a ||= c; a &&= d; a **= 2; a >>>= 1; a ** b; a?.5:1; a?.[0]?.(b)?.c; a?.b.c",
            "/[/\\]]/g; /(?<a>b)\\k<a>/u; /[[a]&&[b]]/v; a = b\n/c/d; +/a/; !/b/; (/c/); [/d/]; {}/e/; if (a) {} /f/g",
            "`a${b}c${{d: `e${f}`}}g`; a`b${c}`; a.b`c`; `\\``; `$`; `$${a}$`; `}`",
            "'\\\n'; '\\\r\n'; \"\\u{1F600}\"; 'a\u{2028}b'",
            "a\u{a0}=\u{feff}b\u{2028}c; \u{e9}t\u{e9} = 1; $ = _; \u{1d49c} = 1",
            "if (a) function f() {} else function g() {} l: function h() {}",
            "new.target_; new A; new A.B(c).d; new (a())(); new A`b`; new new A(1)(2); new async(a)",
            "switch (a) { case b: { break } default: case c: let d }",
            "try { } catch { } finally { } try {} catch ({a, b: [c]}) {}",
            "throw a; debugger; ; {} [] ; {}\n(a)",
            "label: { break label } a: b: c",
            "#!/usr/bin/env node\na",
            "a = function* () {}; b = async function () {}; c = async function* d() {}; e = async x => x; f = async (x, {y}) => z; g = async ({a: [b]} = c, ...d) => {}",
            "(function () { return /* \n */ 1 })\nvar a = 1, b\nvar c",
            "x = { __proto__: null, 'a b'() {}, async *[b]() {}, get [c]() {}, async get() {}, async set() {}, get async() {} }",
            "a = b, c; void 0, typeof a, delete a.b, !a, ~b, +c, -d; a in b; a instanceof b",
            "for (var a = b ? c in d : e; ;) break; for (var a = (b in c); ;) break; for (a = [b in c]; ;) break",
            "for (var f = function () { return a in b }; ;) break; for (x of [y => { z in w }]);",
        ],
    );
    untouched(
        Goal::Module,
        &[
            "import a, * as b from 'c'; import {default as d, 'e f' as g} from 'h'; import {} from 'i'; import 'j'",
            "export {}; export * from 'a'; export * as b from 'c'; export * as 'd' from 'e'; export default class {}",
            "export default async function () {} export const {a, b: [c]} = d, e = 1; export async function f() {}",
            "await a; for await (const b of c); await using d = e; using f = g; a<!--b\n--c",
            "import a from 'b' with { type: 'json' }; export { c } from 'd' with { type: 'css' }; import from from 'from'",
            "import { as as as } from 'a'; export default (a, b) => c; const x = import.meta.url",
        ],
    );
}

#[test]
fn what_is_no_script_is_left_as_it_is() {
    for source in [
        "location = ",
        "if (location",
        "{ location",
        "location }",
        "'location",
        "`${location",
        "/location",
        "a b location",
        "/* location",
        "@location class A {}",
        "location\\",
        "\u{0}location",
        "x = {location",
        "class { location",
    ] {
        let edited = read(source, Goal::Script);
        assert!(!edited.is_read && edited.text.is_none(), "read: {source}");
    }
}

#[test]
fn modules_are_told_from_scripts() {
    for (source, is_module) in [
        ("import 'a'", true),
        ("a(); export { a }", true),
        ("await a", true),
        ("import('a')", false),
        ("'import'; await\n/1/g", false),
    ] {
        let edited = read(source, Goal::Script);
        assert!(edited.is_read, "not read: {source}");
        assert_eq!(edited.is_module, is_module, "{source}");
    }
}

#[test]
fn text_that_is_run_is_looked_at_before() {
    check(
        Goal::Script,
        &[
            ("eval(a)", "eval(__wa$E(a))"),
            ("eval( location , b )", "eval(__wa$E( __wa$loc , b ))"),
            (
                "eval(eval(a.location))",
                "eval(__wa$E(eval(__wa$E(__wa$L(a).location))))",
            ),
            ("eval(...a)", "eval(__wa$E(...a))"),
            (
                "var a = eval; (0, eval)(b)",
                "var a = __wa$eval; (0, __wa$eval)(b)",
            ),
            (
                "a = {eval}; a = {eval: 1}",
                "a = {eval:__wa$eval}; a = {eval: 1}",
            ),
            (
                "typeof eval, eval?.(a), eval`a`, new eval(b)",
                "typeof __wa$eval, __wa$eval?.(a), __wa$eval`a`, new __wa$eval(b)",
            ),
            (
                "window.eval(a); self['eval'].call(a, b)",
                "__wa$L(window).eval(a); __wa$L(self)['eval'].call(a, b)",
            ),
            (
                "a?.contentWindow.eval(b)",
                "__wa$L(a?.contentWindow)?.eval(b)",
            ),
            // What it finds around it counts, as long as it is there.
            (
                "{ let top; eval(a) } eval(b)",
                "{ let top; eval(a) } eval(__wa$E(b))",
            ),
            (
                "function f(location) { return () => eval(a) }",
                "function f(location) { return () => eval(a) }",
            ),
            (
                "function f(eval) { eval(a); return eval }",
                "function f(eval) { eval(a); return eval }",
            ),
            ("with (a) { eval(b); eval }", "with (a) { eval(b); eval }"),
        ],
    );
    // No scope may be put around strict code.
    untouched(
        Goal::Script,
        &[
            "'use strict'; eval(a)",
            "function f() { 'use strict'; eval(a) }",
            "class A { b() { eval(c) } }",
            "eval()",
            "a.eval(b)",
        ],
    );
    untouched(Goal::Module, &["export default eval(a)"]);
}

#[test]
fn other_character_sets_pass_as_they_are() {
    let source = b"var caf\xe9 = '\xff\xfe'; location = caf\xe9 // \xa0";
    let edited = edit(source, Goal::Script, &replay).text.expect("edits");
    assert_eq!(
        edited,
        b"var caf\xe9 = '\xff\xfe'; __wa$loc = caf\xe9 // \xa0"
    );
}

/// All kinds of syntax in few bytes.
const SMALL: [&str; 4] = [
    "class A extends B { static #a = 1; async *b({c = location}, [d]) { yield* `${top}`; for await (const e of f?.g.location); } get [h]() {} }",
    "import a, {b as c} from '//d.test/'; export default async (e, ...f) => { const {location} = self; import('g') }; label: for (let i = 0; i < 1; i++) continue label;",
    "var location = 0x1f, r = /[/\\]]+/g; function f(a = 1, ...b) { 'use strict'; try { new a.location.b() } catch ({c}) { with (d) top } finally { return a ? b : c } }",
    "x = async function* () { switch (await y) { case 1: do ; while (0) default: (a, b) => a ?? b } }\n<!-- c\n'\\u{61}'\n.top\n`a${{b: `c`}}` // \u{2028} 1..e\u{e9}",
];

#[test]
fn any_bytes_are_borne() {
    for source in SMALL {
        let bytes = source.as_bytes();
        for end in 0..=bytes.len() {
            for goal in [Goal::Script, Goal::Module, Goal::Function, Goal::Expression] {
                edit(&bytes[..end], goal, &replay);
            }
        }
        for at in 0..bytes.len() {
            for byte in (0..=255).filter(|byte| *byte != bytes[at]) {
                let mut bytes = bytes.to_vec();
                bytes[at] = byte;
                edit(&bytes, Goal::Script, &replay);
                needs_editing(&bytes);
            }
        }
    }
}

#[test]
fn depth_ends_in_no_edit() {
    for (open, inside, close) in [
        ("(", "location", ")"),
        ("[", "location", "]"),
        ("{", "location", "}"),
        ("({a:", "location", "})"),
        ("`${", "location", "}`"),
        ("(function(){", "location", "})"),
        ("a=>", "location", ""),
        ("(a=", "location", ")=>1"),
        ("new ", "location", ""),
        ("if(a)", "location", ""),
        ("class{[", "location", "]}"),
        ("({location}=", "location", ")"),
        ("a:", "location", ""),
        ("class a extends ", "location", "{}"),
        ("f(", "location", ")"),
        ("x[", "location", "]"),
        ("a?b:", "location", ""),
        ("!", "location", ""),
        ("a=", "location", ""),
        ("function f(a=", "location", "){}"),
    ] {
        let deep = 200 * SCRIPT_DEPTH_MAX;
        for prefix in ["", "x="] {
            let source = format!(
                "{prefix}{}{inside}{}",
                open.repeat(deep),
                close.repeat(deep)
            );
            edit(source.as_bytes(), Goal::Script, &replay);
            edit(
                format!("{prefix}{}", open.repeat(deep)).as_bytes(),
                Goal::Module,
                &replay,
            );
        }
    }
    // Chains that are no deeper for being long.
    for (open, close) in [
        ("a?b:", ""),
        ("!", ""),
        ("a=", ""),
        ("a+", ""),
        ("", ".b"),
        ("if(a);else ", ""),
        ("", "(b)"),
    ] {
        let source = format!("{}location{}", open.repeat(100_000), close.repeat(100_000));
        assert!(
            as_goal(&source, Goal::Script).contains("__wa$loc"),
            "{open}{close}"
        );
    }
}

#[test]
fn long_lines_take_their_length_and_no_more() {
    // What looked back or ahead far for each of its parts would take hours for these.
    for part in [
        "location;",
        "a.location;",
        "a.b.",
        "a,",
        "a=>b,",
        "async(a),",
        "async ",
        "let ",
        "/*a*/",
        "<!--\n",
        "-->\n",
        "'a',",
        "`${a}`,",
        "/a/,",
        "{let top}",
        "var location;",
        "function f(top){}",
        "({location,top})=>a;",
        "with(a)top;",
        "\\u{61}",
        "\u{e9} ",
        "\u{a0}",
        "new a.location;",
        "a?.b.location;",
        "top=location,",
        "{location:top}",
        "/*",
        "`",
        "'",
        "/[",
    ] {
        let source = part.repeat((2 << 20) / part.len());
        edit(source.as_bytes(), Goal::Script, &replay);
        needs_editing(source.as_bytes());
    }
}

#[test]
fn more_edits_than_any_program_needs_are_none() {
    for part in [
        "top;",
        "a.location,1,",
        "a=[{location}],",
        "a=()=>{({location}=b)},",
    ] {
        let source = format!("{}1", part.repeat(SCRIPT_EDITS_MAX + 1));
        assert!(!read(&source, Goal::Script).is_read, "{part}");
    }
    let most = read(&"top;".repeat(SCRIPT_EDITS_MAX), Goal::Script);
    assert!(most.is_read && most.text.is_some());
}

#[test]
fn most_scripts_are_passed_over() {
    for (source, is_needed) in [
        (
            "a.style.top = '1px'; b = {left: 0,top:1}; c['a'] == 'top'; d(e).top + f[0].top",
            false,
        ),
        (
            "stop(); topmost; $top; top_; allocation; locations; imported; exports.from = 1",
            false,
        ),
        ("export {a}; export default b", false),
        ("export {a} from 'b'", true),
        ("window.top; a", true),
        ("a = top", true),
        ("a .top", true),
        ("...top", true),
        ("a[ 'top' ]", true),
        ("a[/**/'top'/**/]", true),
        ("self\u{a0}.top", true),
    ] {
        assert_eq!(needs_editing(source.as_bytes()), is_needed, "{source}");
    }
}

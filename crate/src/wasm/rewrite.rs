//! Archived documents on their way to a replay origin.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::rewrite::{EditScript, Hosts, HtmlRewriter, Plain, Script, rewrite_plain};

#[wasm_bindgen(typescript_custom_section)]
const SCRIPT_EDITOR: &'static str = r#"
/** Edits scripts that stand in documents; undefined where one stays as it is. */
export interface DocumentScripts {
    edit(source: string, kind: "script" | "module" | "handler"): string | null | undefined;
}
"#;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(typescript_type = "DocumentScripts")]
    pub type DocumentScripts;
    #[wasm_bindgen(method, structural, catch)]
    fn edit(this: &DocumentScripts, source: &str, kind: &str) -> Result<Option<String>, JsValue>;
}

/// Names of the replay addresses of one collection.
#[wasm_bindgen]
pub struct ReplayHosts {
    hosts: Rc<Hosts>,
}

#[wasm_bindgen]
impl ReplayHosts {
    #[wasm_bindgen(constructor)]
    pub fn new(before: &str, after: &str, salt: &str, is_hidden: bool) -> ReplayHosts {
        ReplayHosts {
            hosts: Rc::new(Hosts::new(before, after, salt, is_hidden)),
        }
    }

    /// The same, as a document of that host sees them.
    pub fn at(&self, host: &str) -> ReplayHosts {
        ReplayHosts {
            hosts: Rc::new(self.hosts.at(host)),
        }
    }

    pub fn label(&self, host: &str) -> String {
        self.hosts.label(host)
    }

    pub fn host(&self, label: &str) -> Option<String> {
        self.hosts.host(label)
    }

    pub fn replay_url(&self, url: &str) -> Option<String> {
        self.hosts.replay_url(url)
    }

    pub fn archived(&self, replay_url: &str) -> Option<String> {
        self.hosts.archived(replay_url)
    }

    /// A document of the collection on its way through; without an editor its scripts are off.
    pub fn html(
        &self,
        charset: Option<String>,
        first: &str,
        scripts: Option<DocumentScripts>,
    ) -> ReplayHtml {
        let edit = scripts.map(|scripts| -> EditScript {
            Rc::new(move |source, script| {
                let kind = match script {
                    Script::Classic => "script",
                    Script::Module => "module",
                    Script::Handler => "handler",
                };
                scripts.edit(source, kind).ok().flatten()
            })
        });
        ReplayHtml {
            html: HtmlRewriter::new(Rc::clone(&self.hosts), charset.as_deref(), first, edit),
        }
    }

    /// A style sheet ("css"), playlist ("hls") or manifest ("dash"); nothing where it stays as it is.
    pub fn text(&self, kind: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let kind = match kind {
            "css" => Plain::Style,
            "hls" => Plain::Playlist,
            "dash" => Plain::Manifest,
            _ => return None,
        };
        rewrite_plain(bytes, kind, &self.hosts)
    }
}

#[wasm_bindgen]
pub struct ReplayHtml {
    html: HtmlRewriter,
}

#[wasm_bindgen]
impl ReplayHtml {
    pub fn write(&mut self, bytes: &[u8]) {
        self.html.write(bytes);
    }

    pub fn end(&mut self) {
        self.html.end();
    }

    pub fn take(&mut self) -> Vec<u8> {
        self.html.take()
    }
}

/// Whether a script may have something in it that `ScriptEditor` of the module `scripts` edits.
#[wasm_bindgen]
pub fn needs_editing(source: &[u8]) -> bool {
    crate::rewrite::needs_editing(source)
}

//! Archived scripts, edited; see `script/` for what is done to them.

use std::cell::Cell;

use wasm_bindgen::prelude::*;

use crate::script::{Edited, Goal, edit};

#[wasm_bindgen]
extern "C" {
    /// What knows the replay origins: `ReplayHosts` of the module `rewrite`.
    #[wasm_bindgen(typescript_type = "{ replay_url(url: string): string | undefined }")]
    pub type Origins;

    #[wasm_bindgen(method, structural)]
    fn replay_url(this: &Origins, url: &str) -> Option<String>;
}

/// Edits scripts of one collection.
#[wasm_bindgen]
pub struct ScriptEditor {
    origins: Origins,
    is_module: Cell<bool>,
}

#[wasm_bindgen]
impl ScriptEditor {
    #[wasm_bindgen(constructor)]
    pub fn new(origins: Origins) -> ScriptEditor {
        ScriptEditor {
            origins,
            is_module: Cell::new(false),
        }
    }

    /// A script with its edits; `undefined` where there is nothing to change. `kind` is "script", "module", "handler",
    /// "function" or "expression". An external script whose element is not known is a "script".
    pub fn edit(&self, source: &str, kind: &str) -> Option<String> {
        let text = self.edited(source.as_bytes(), kind);
        text.and_then(|text| String::from_utf8(text).ok())
    }

    /// The same of bytes in UTF-8, or in any character set that has ASCII in it.
    pub fn edit_bytes(&self, source: &[u8], kind: &str) -> Option<Vec<u8>> {
        self.edited(source, kind)
    }

    /// The script that was edited last is a module, which runs after what it imports.
    pub fn is_module(&self) -> bool {
        self.is_module.get()
    }

    fn edited(&self, source: &[u8], kind: &str) -> Option<Vec<u8>> {
        let goal = match kind {
            "module" => Goal::Module,
            "handler" | "function" => Goal::Function,
            "expression" => Goal::Expression,
            _ => Goal::Script,
        };
        let Edited {
            text, is_module, ..
        } = edit(source, goal, &|url| self.origins.replay_url(url));
        self.is_module.set(is_module);
        text
    }
}

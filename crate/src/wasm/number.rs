//! Numbers, as the host reads and writes them.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    type Number;

    #[wasm_bindgen(js_name = Number)]
    fn number(text: &str) -> Number;

    #[wasm_bindgen(method, js_name = toExponential)]
    fn to_exponential(this: &Number) -> String;
}

/// A number in as few figures as read back as the same: `1.5e-7`, or `Infinity`.
pub fn shortest(text: &str) -> String {
    number(text).to_exponential()
}

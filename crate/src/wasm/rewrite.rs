//! Archived documents on their way to a replay origin.

use std::rc::Rc;

use wasm_bindgen::prelude::*;

use crate::rewrite::{Hosts, HtmlRewriter};

/// Names of the replay origins of one collection.
#[wasm_bindgen]
pub struct ReplayHosts {
    hosts: Rc<Hosts>,
}

#[wasm_bindgen]
impl ReplayHosts {
    #[wasm_bindgen(constructor)]
    pub fn new(scheme: &str, domain: &str, salt: &str) -> ReplayHosts {
        ReplayHosts {
            hosts: Rc::new(Hosts::new(scheme, domain, salt)),
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

    /// A document of the collection on its way through.
    pub fn html(&self, charset: Option<String>, first: &str) -> ReplayHtml {
        ReplayHtml {
            html: HtmlRewriter::new(Rc::clone(&self.hosts), charset.as_deref(), first),
        }
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

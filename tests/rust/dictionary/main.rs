//! Dictionaries of every layout, against plain maps and lists.

mod damage;
mod host;
mod model;
mod spec;

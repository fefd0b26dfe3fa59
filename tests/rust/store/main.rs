//! The store over a disk that forgets: absent pages, spills, commits, snapshots, and a crash at every write.
//!
//! `STACKROOM_DEEP=1` runs the full counts, which its modules name.

mod counted;
mod crash;
mod disk;
mod fixture;
mod host;
mod index;
mod log;
mod model;
mod sizes;
mod snapshots;
mod upkeep;
mod values;

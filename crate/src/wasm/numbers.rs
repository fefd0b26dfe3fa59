//! Offsets as doubles, exact up to 2^53.

#[allow(dead_code, clippy::cast_precision_loss)]
pub fn offset_out(offset: u64) -> f64 {
    offset as f64
}

#[allow(dead_code, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn offset_in(offset: f64) -> u64 {
    offset as u64
}

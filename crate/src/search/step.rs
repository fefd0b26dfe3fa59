//! What was done for a query, as it is told to whoever asks for the plan.

use super::finding::Finding;

/// One thing that was done for a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryStep {
    /// Where in the query it is asked for, and what.
    pub at: usize,
    pub what: String,
    /// Rows that were found.
    pub rows: u64,
    /// Entries, pieces and rows that were looked at.
    pub work: u64,
}

impl QueryStep {
    /// The words of a text, which were looked up.
    pub fn of(finding: &Finding) -> QueryStep {
        let mut what = String::new();
        for slot in &finding.asked().slots {
            if !what.is_empty() {
                what.push(' ');
            }
            what.push_str(&String::from_utf8_lossy(&slot.term));
            if slot.is_prefix {
                what.push('*');
            }
        }
        let others = finding.meanings.iter().flat_map(|meaning| &meaning.forms);
        let others = others.filter(|form| !form.is_itself).count();
        if others > 0 {
            let forms = if others == 1 { "form" } else { "forms" };
            what.push_str(&format!(" and {others} other {forms}"));
        }
        QueryStep {
            at: finding.asked().at,
            what,
            rows: finding.rows().len(),
            work: finding.work(),
        }
    }
}

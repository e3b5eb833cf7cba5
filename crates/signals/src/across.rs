//! What is found only where several sources are there: words that nobody sees, that contradict each other, or that
//! stand in one of them.
//!
//! Invariant: these findings change no answer.

use crate::finding::FindingKind;
use crate::record::Record;
use crate::statement::{Said, Source, Statement};
use crate::uses::Use;

/// Adds the findings. `is_open`: whether robots.txt lets the page be fetched. `has_both`: whether both it and the page
/// are known. Cost: the statements once for each use.
pub(crate) fn find(record: &mut Record, is_open: bool, has_both: bool, at: i64) {
    let statements = std::mem::take(&mut record.statements);
    let is_page = |one: &&Statement| matches!(one.at.source, Source::Header | Source::Html);
    let is_said = |said: Said| move |one: &&Statement| one.said == said && one.from.is_none_or(|from| from <= at);
    if let Some(first) = statements.iter().find(is_page).filter(|_| !is_open) {
        record.find_of(FindingKind::Unseen, first);
    }
    for what in Use::ALL {
        let no = statements.iter().find(is_said(Said::No(what)));
        let yes = statements.iter().find(is_said(Said::Yes(what)));
        if let (Some(no), Some(_)) = (no, yes) {
            record.find_of(FindingKind::Contradiction, no);
        }
        if !has_both || !is_open || !matches!(what, Use::Of(_)) {
            continue;
        }
        let is_of_use = |one: &&Statement| one.said == Said::No(what) || one.said == Said::Yes(what);
        let mut all = statements.iter().filter(|one| one.is_preference).filter(is_of_use);
        let of_page = all.clone().find(is_page);
        let of_file = all.find(|one| one.at.source == Source::RobotsTxt);
        if let (Some(one), None) | (None, Some(one)) = (of_page, of_file) {
            record.find_of(FindingKind::OneSource, one);
        }
    }
    record.statements = statements;
}

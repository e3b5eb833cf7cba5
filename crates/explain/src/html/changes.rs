//! The page of changes: between two files, or between the files of two directories.
//!
//! Invariant: each changed file is on the page, in full or by its name; or its number is.

use robosieve::agent::Interest;
use robosieve::diff::{ChangedLine, ChangedRule, Comparison, Diff};
use robosieve::policy::{RecordSet, Selection};

use super::{add_paths, begin, end, left_out};
use crate::compare::{AgentsChange, AgentsDiff, changed_at};
use crate::counted::{counted_len, listed};
use crate::markup::Markup;
use crate::names::Groups;
use crate::printable::harmless_short;
use crate::tree::Tree;

/// The lines of a list that a page shows. Our choice.
const MAX_ITEMS: usize = 50;
/// The bytes of a line that are shown. Our choice.
const LINE: usize = 160;
/// The changes whose paths a page shows as a tree. Our choice.
const MAX_TREES: usize = 10;
/// The size of the page after which agents and files are only named, and the number of those. Our choices.
const FULL: usize = 2_000_000;
const MAX_NAMES: usize = 1_000;

/// A changed file.
#[derive(Clone, Copy, Debug)]
pub struct ChangedFile<'f> {
    /// Its name.
    pub name: &'f str,
    /// What happened to it, for example `file added`; or nothing.
    pub state: &'f str,
    /// Its older form, as it was read for the comparison.
    pub old: &'f RecordSet<'f>,
    /// Its newer form.
    pub new: &'f RecordSet<'f>,
    /// What changed.
    pub diff: &'f AgentsDiff,
    /// The groups of the only agent that was compared. None if it was all.
    pub groups: Option<&'f Groups>,
    /// What is doubtful about the files.
    pub doubts: &'f [String],
}

/// A web page of changes, to be filled file by file. It is one file without scripts, and loads nothing.
///
/// It has at most 4 MB: after 2 MB other agents and files are only named, and 1,000 names later only counted. Of each
/// list it has 50 lines, and the paths of the first ten changes as trees. It says what it leaves out.
///
/// ```
/// use robosieve::policy::Parser;
/// use robosieve_explain::{AgentsDiff, ChangedFile, ChangesPage};
///
/// let old = Parser::default().parse(b"User-agent: *\nDisallow: /tmp\n");
/// let new = Parser::default().parse(b"User-agent: *\nDisallow: /tmp\n\nUser-agent: GPTBot\nDisallow: /\n");
/// let diff = AgentsDiff::of(&old, &new)?;
/// let mut page = ChangesPage::new("robots.txt");
/// let (name, state, groups, doubts) = ("robots.txt", "", None, &[][..]);
/// page.add(&ChangedFile { name, state, old: &old, new: &new, diff: &diff, groups, doubts });
/// let page = page.finish();
/// assert!(page.contains("<h3>GPTBot: before the group for <code>*</code>, now its own group</h3>"));
/// assert!(page.contains("was allowed, now disallowed by line 5"));
/// # Ok::<(), robosieve::settings::Refused>(())
/// ```
#[derive(Clone, Debug)]
pub struct ChangesPage {
    page: Markup,
    /// Files that are only named.
    named: Vec<String>,
    /// The number of files that are not even named.
    unnamed: usize,
    files: usize,
    trees: usize,
}

impl ChangesPage {
    /// A page with this heading.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self { page: begin(&harmless_short(title, 200)), named: Vec::new(), unnamed: 0, files: 0, trees: 0 }
    }

    /// Adds a file.
    pub fn add(&mut self, file: &ChangedFile<'_>) {
        self.files = self.files.saturating_add(1);
        let state = if file.state.is_empty() { String::new() } else { format!(" ({})", file.state) };
        let heading = format!("{}{state}", harmless_short(file.name, 200));
        if self.page.len() > FULL {
            if self.named.len() < MAX_NAMES {
                self.named.push(heading);
            } else {
                self.unnamed = self.unnamed.saturating_add(1);
            }
            return;
        }
        let page = &mut self.page;
        page.element("<section>\n<h2>", &heading, "</h2>\n");
        for doubt in file.doubts {
            page.element("<p class=\"lint warning\"><strong>Warning</strong>: ", doubt, "</p>\n");
        }
        let diff = file.diff;
        if diff.is_empty() && diff.changes.is_empty() {
            page.raw("<p>No answer and no other line changed.</p>\n");
        }
        add_names(page, "Added: ", &diff.agents_added);
        add_names(page, "Gone: ", &diff.agents_removed);
        add_names(page, "Not compared, because there are too many: ", &diff.not_compared);
        for change in &diff.changes {
            add_change(page, change);
            if self.trees < MAX_TREES {
                self.trees = self.trees.saturating_add(1);
                add_tree(page, change, file);
            }
        }
        if !diff.lines_added.is_empty() || !diff.lines_removed.is_empty() {
            page.raw("<h3>For all</h3>\n<ul class=\"diff\">\n");
            add_lines(page, &diff.lines_removed, &diff.lines_added);
            page.raw("</ul>\n");
        }
        page.raw("</section>\n");
    }

    /// The number of files that were added.
    #[must_use]
    pub const fn files(&self) -> usize {
        self.files
    }

    /// The page.
    #[must_use]
    pub fn finish(mut self) -> String {
        if self.files == 0 {
            self.page.raw("<p>Nothing changed.</p>\n");
        }
        if !self.named.is_empty() {
            self.page.raw("<section>\n<h2>Also changed</h2>\n<ul>\n");
            for name in &self.named {
                self.page.element("<li>", name, "</li>\n");
            }
            self.page.raw("</ul>\n</section>\n");
        }
        if self.unnamed > 0 {
            let more = counted_len(self.unnamed, "more changed file", "more changed files");
            left_out(&mut self.page, &format!("And {more}."));
        }
        end(self.page)
    }
}

fn add_names(page: &mut Markup, words: &'static str, names: &[String]) {
    if !names.is_empty() {
        page.raw("<p>").raw(words).element("<strong>", &list(names), "</strong></p>\n");
    }
}

fn list(names: &[String]) -> String {
    listed(&names.iter().map(|name| harmless_short(name, 60)).collect::<Vec<_>>(), MAX_ITEMS)
}

fn add_change(page: &mut Markup, change: &AgentsChange) {
    let Diff { rules_added, rules_removed, rules_moved, flips, .. } = &change.diff;
    page.raw("<h3>").rich(&format!("{}{}", list(&change.agents), change.groups())).raw("</h3>\n");
    if page.len() > FULL {
        return left_out(page, "Not described: the page is full.");
    }
    page.raw("<ul class=\"diff\">\n");
    for (sign, rules) in [("-", rules_removed), ("+", rules_added), ("~", rules_moved)] {
        let told: Vec<&ChangedRule> = rules.iter().filter(|rule| change.tells(rule)).collect();
        limited(page, &told, |page, rule| add_rule(page, sign, rule));
    }
    for untold in change.untold() {
        page.element("<li class=\"more\">", &untold, "</li>\n");
    }
    add_lines(page, &change.diff.lines_removed, &change.diff.lines_added);
    limited(page, flips, |page, flip| {
        page.raw(if flip.allowed { "<li class=\"yes\">" } else { "<li class=\"no\">" });
        page.raw(if flip.allowed { "<b>&#10003;</b> " } else { "<b>&#10007;</b> " });
        page.element("<code>", &harmless_short(&flip.path, LINE), "</code> now ");
        page.raw(if flip.allowed { "allowed" } else { "disallowed" }).raw("</li>\n");
    });
    page.raw("</ul>\n");
    if flips.is_empty() && change.diff.answers != Comparison::Changed {
        page.raw("<p>No URL was found whose answer changed.</p>\n");
    }
}

fn add_tree(page: &mut Markup, change: &AgentsChange, file: &ChangedFile<'_>) {
    let agent = change.agents.first().map_or("*", String::as_str);
    let of_agent = if agent == "*" { Interest::everyone().into() } else { file.diff.names.groups([agent]) };
    let groups = file.groups.unwrap_or(&of_agent);
    let [old, new] = [file.old, file.new].map(|set| Selection::of(set, &groups.within(set)));
    let tree = Tree::between(&old, &new);
    if tree.nodes.len() > 1 {
        page.raw("<details><summary>The paths of changed rules, as a tree</summary>\n");
        add_paths(page, &tree);
        page.raw("</details>\n");
    }
}

/// Adds the first items, and how many there are besides.
fn limited<T>(page: &mut Markup, items: &[T], add: impl Fn(&mut Markup, &T)) {
    page.some(items, MAX_ITEMS, ["<li class=\"more\">", "</li>\n"], add);
}

fn add_rule(page: &mut Markup, sign: &'static str, rule: &ChangedRule) {
    let pattern = harmless_short(&rule.pattern, LINE);
    page.raw(item(sign)).raw(sign).element("</b> <code>", &format!("{}: {pattern}", rule.kind.as_str()), "</code> ");
    page.element("<span class=\"why\">", &changed_at(rule), "</span></li>\n");
}

/// The beginning of a changed line: green or red, as differences are.
const fn item(sign: &str) -> &'static str {
    match sign.as_bytes() {
        b"+" => "<li class=\"added\"><b>",
        b"-" => "<li class=\"gone\"><b>",
        _ => "<li><b>",
    }
}

fn add_lines(page: &mut Markup, removed: &[ChangedLine], added: &[ChangedLine]) {
    for (sign, lines) in [("-", removed), ("+", added)] {
        limited(page, lines, |page, line| {
            let words = format!("{}: {}", line.name, line.value);
            page.raw(item(sign)).raw(sign).element("</b> <code>", &harmless_short(&words, LINE), "</code></li>\n");
        });
    }
}

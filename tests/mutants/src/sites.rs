//! Where in a file the mutants are, and the edits for them.

use std::collections::HashMap;
use std::ops::Range;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::edit::{Edit, Kind, Piece};
use crate::{Mutant, Position};

/// The edits for a file's mutants, and the mutants that cannot be put in, with the reason.
pub fn edits(text: &str, mutants: Vec<Mutant>) -> (Vec<Edit>, Vec<(usize, String)>) {
    let file = syn::parse_file(text).expect("the file is Rust");
    let mut finder = Finder::default();
    for mutant in mutants {
        finder.at.entry(mutant.span.start).or_default().push(mutant);
    }
    finder.visit_file(&file);
    for mutant in finder.at.into_values().flatten() {
        finder.left.push((mutant.place, format!("no place found: {}", mutant.genre)));
    }
    (finder.edits, finder.left)
}

fn range(spanned: &impl Spanned) -> Range<usize> {
    spanned.span().byte_range()
}

#[derive(Default)]
struct Finder {
    at: HashMap<Position, Vec<Mutant>>,
    edits: Vec<Edit>,
    left: Vec<(usize, String)>,
}

impl Finder {
    /// Takes the mutants of this genre that begin here.
    fn take(&mut self, spanned: &impl Spanned, genre: &str) -> Vec<Mutant> {
        let LineColumn { line, column } = spanned.span().start();
        let key = Position { line, column: column + 1 };
        let Some(found) = self.at.get_mut(&key) else { return Vec::new() };
        let (taken, other) = std::mem::take(found).into_iter().partition(|mutant| mutant.genre == genre);
        *found = other;
        taken
    }

    /// The expression in this range has these variants, unless it has a `let`.
    fn choose(&mut self, range: Range<usize>, has_let: bool, variants: Vec<(usize, Vec<Piece>)>) {
        if has_let {
            self.left.extend(variants.iter().map(|(place, _)| (*place, "has a let".to_owned())));
        } else if !variants.is_empty() {
            self.edits.push(Edit { range, kind: Kind::Choose(variants) });
        }
    }

    fn insert(&mut self, at: usize, text: String) {
        self.edits.push(Edit { range: at..at, kind: Kind::Insert(text) });
    }
}

/// Whether a part of the expression is a `let` that binds names for the code that follows.
fn has_let(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_block(&mut self, item: &'ast syn::Block) {
        let Some(first) = item.stmts.first() else { return };
        for Mutant { place, replacement, .. } in self.take(first, "FnValue") {
            let text = format!("\nif crate::mutant({place}) {{ return {replacement}; }} // mutant {place}\n");
            self.insert(range(first).start, text);
        }
        visit::visit_block(self, item);
    }

    fn visit_expr_binary(&mut self, item: &'ast syn::ExprBinary) {
        let (left, right) = (range(&*item.left), range(&*item.right));
        let variant = |mutant: Mutant| {
            let operator = Piece::Text(format!(" {} ", mutant.replacement));
            (mutant.place, vec![Piece::Part(left.clone()), operator, Piece::Part(right.clone())])
        };
        let variants = self.take(&item.op, "BinaryOperator").into_iter().map(variant).collect();
        self.choose(left.start..right.end, has_let(&item.left) || has_let(&item.right), variants);
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'ast syn::ExprUnary) {
        let variant = |mutant: Mutant| (mutant.place, vec![Piece::Part(range(&*item.expr))]);
        let variants = self.take(&item.op, "UnaryOperator").into_iter().map(variant).collect();
        self.choose(range(item), false, variants);
        visit::visit_expr_unary(self, item);
    }

    fn visit_arm(&mut self, item: &'ast syn::Arm) {
        let deleted = self.take(item, "MatchArm");
        if let Some((_, guard)) = &item.guard {
            let never = deleted.into_iter().map(|mutant| Mutant { replacement: "false".to_owned(), ..mutant });
            let mutants = never.chain(self.take(&**guard, "MatchArmGuard"));
            let variants = mutants.map(|mutant| (mutant.place, vec![Piece::Text(mutant.replacement)])).collect();
            self.choose(range(&**guard), has_let(guard), variants);
        } else {
            let end = range(&item.pat).end;
            for Mutant { place, .. } in deleted {
                self.insert(end, format!("\nif !crate::mutant({place}) // mutant {place}\n"));
            }
        }
        visit::visit_arm(self, item);
    }
}

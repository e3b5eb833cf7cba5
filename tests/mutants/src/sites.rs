//! Where in a file the mutants are, and the edits for them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::edit::{Edit, Kind, Variant};
use crate::{Mutant, Position};

/// The edits for a file's mutants, and the mutants that cannot be put in, with the reason.
///
/// A constant function cannot ask for the environment. So all functions but those of `constants` lose their `const`.
pub fn edits(text: &str, mutants: Vec<Mutant>, constants: &HashSet<String>) -> (Vec<Edit>, Vec<(usize, String)>) {
    let file = syn::parse_file(text).expect("the file is Rust");
    let mut at: HashMap<Position, Vec<Mutant>> = HashMap::new();
    for mutant in mutants {
        at.entry(mutant.span.start).or_default().push(mutant);
    }
    let mut finder = Finder { at, edits: Vec::new(), left: Vec::new(), constants, constant: 0 };
    finder.visit_file(&file);
    for mutant in finder.at.into_values().flatten() {
        finder.left.push((mutant.place, format!("no place found: {}", mutant.genre)));
    }
    (finder.edits, finder.left)
}

fn range(spanned: &impl Spanned) -> Range<usize> {
    spanned.span().byte_range()
}

struct Finder<'c> {
    constants: &'c HashSet<String>,
    at: HashMap<Position, Vec<Mutant>>,
    edits: Vec<Edit>,
    left: Vec<(usize, String)>,
    /// How many constants or constant functions are around.
    constant: usize,
}

impl Finder<'_> {
    /// Takes the mutants of this genre that begin here. In a constant they are left.
    fn take(&mut self, spanned: &impl Spanned, genre: &str) -> Vec<Mutant> {
        let LineColumn { line, column } = spanned.span().start();
        let key = Position { line, column: column + 1 };
        let Some(found) = self.at.get_mut(&key) else { return Vec::new() };
        let (taken, other) = std::mem::take(found).into_iter().partition(|mutant| mutant.genre == genre);
        *found = other;
        if self.constant == 0 { taken } else { self.leave(taken, "in a constant") }
    }

    fn leave(&mut self, mutants: Vec<Mutant>, why: &str) -> Vec<Mutant> {
        self.left.extend(mutants.iter().map(|mutant| (mutant.place, why.to_owned())));
        Vec::new()
    }

    fn choose(&mut self, range: Range<usize>, variants: Vec<(usize, Variant)>) {
        if !variants.is_empty() {
            self.edits.push(Edit { range, kind: Kind::Choose(variants) });
        }
    }

    fn insert(&mut self, at: usize, text: String) {
        self.edits.push(Edit { range: at..at, kind: Kind::Insert(text) });
    }

    fn body(&mut self, block: &syn::Block) {
        let Some(first) = block.stmts.first() else { return };
        for mutant in self.take(first, "FnValue") {
            let Mutant { place, replacement, function, .. } = &mutant;
            if function.as_ref().is_some_and(|function| function.return_type.contains("impl ")) {
                self.leave(vec![mutant], "returns an opaque type");
                continue;
            }
            let at = range(first).start;
            self.insert(at, format!("\nif crate::mutant({place}) {{ return {replacement}; }} // mutant {place}\n"));
        }
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block, visit: impl FnOnce(&mut Self)) {
        let stays = signature.constness.is_some() && self.constants.contains(&signature.ident.to_string());
        if let (false, Some(word)) = (stays, &signature.constness) {
            self.edits.push(Edit { range: range(word), kind: Kind::Delete });
        }
        self.with_constant(stays, |this| {
            this.body(block);
            visit(this);
        });
    }

    fn with_constant(&mut self, is_constant: bool, visit: impl FnOnce(&mut Self)) {
        self.constant += usize::from(is_constant);
        visit(self);
        self.constant -= usize::from(is_constant);
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

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block, |this| visit::visit_item_fn(this, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block, |this| visit::visit_impl_item_fn(this, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.with_constant(true, |this| visit::visit_item_const(this, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.with_constant(true, |this| visit::visit_item_static(this, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.with_constant(true, |this| visit::visit_impl_item_const(this, item));
    }

    fn visit_expr_binary(&mut self, item: &'ast syn::ExprBinary) {
        let found = self.take(&item.op, "BinaryOperator");
        let found = if has_let(&item.left) || has_let(&item.right) { self.leave(found, "has a let") } else { found };
        let (left, right) = (range(&*item.left), range(&*item.right));
        let variants = found.into_iter().map(|mutant| {
            let (left, right) = (left.clone(), right.clone());
            (mutant.place, Variant::Operator { left, operator: mutant.replacement, right })
        });
        let variants = variants.collect();
        self.choose(left.start..right.end, variants);
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'ast syn::ExprUnary) {
        let found = self.take(&item.op, "UnaryOperator");
        let inner = range(&*item.expr);
        let variants = found.into_iter().map(|mutant| (mutant.place, Variant::Part(inner.clone()))).collect();
        self.choose(range(item), variants);
        visit::visit_expr_unary(self, item);
    }

    fn visit_arm(&mut self, item: &'ast syn::Arm) {
        let mut variants: Vec<_> =
            self.take(item, "MatchArm").into_iter().map(|mutant| (mutant.place, "false".to_owned())).collect();
        let Some((_, guard)) = &item.guard else {
            let end = range(&item.pat).end;
            for (place, _) in variants {
                self.insert(end, format!("\nif !crate::mutant({place}) // mutant {place}\n"));
            }
            return visit::visit_arm(self, item);
        };
        variants
            .extend(self.take(&**guard, "MatchArmGuard").into_iter().map(|mutant| (mutant.place, mutant.replacement)));
        if has_let(guard) {
            self.left.extend(variants.iter().map(|(place, _)| (*place, "has a let".to_owned())));
        } else {
            let variants = variants.into_iter().map(|(place, text)| (place, Variant::Text(text))).collect();
            self.choose(range(&**guard), variants);
        }
        visit::visit_arm(self, item);
    }
}

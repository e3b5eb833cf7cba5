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
    let mut finder =
        Finder { text, offsets: Offsets::of(text), at, edits: Vec::new(), left: Vec::new(), constants, constant: 0 };
    finder.visit_file(&file);
    for mutant in finder.at.into_values().flatten() {
        finder.left.push((mutant.place, format!("no place found: {}", mutant.genre)));
    }
    (finder.edits, finder.left)
}

/// Offsets of lines and columns.
struct Offsets(Vec<Vec<usize>>);

impl Offsets {
    fn of(text: &str) -> Self {
        let mut start = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let offsets = line.char_indices().map(|(at, _)| start + at).chain([start + line.len()]).collect();
            start += line.len();
            offsets
        });
        Self(lines.collect())
    }

    fn at(&self, place: LineColumn) -> usize {
        self.0[place.line - 1][place.column]
    }

    fn range(&self, spanned: &impl Spanned) -> Range<usize> {
        self.at(spanned.span().start())..self.at(spanned.span().end())
    }
}

fn position(place: LineColumn) -> Position {
    Position { line: place.line, column: place.column + 1 }
}

struct Finder<'c> {
    text: &'c str,
    constants: &'c HashSet<String>,
    offsets: Offsets,
    at: HashMap<Position, Vec<Mutant>>,
    edits: Vec<Edit>,
    left: Vec<(usize, String)>,
    /// How many constants or constant functions are around.
    constant: usize,
}

impl Finder<'_> {
    /// Takes the mutants of this genre that begin here. In a constant they are left.
    fn take(&mut self, spanned: &impl Spanned, genre: &str) -> Vec<Mutant> {
        let key = position(spanned.span().start());
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
            let at = self.offsets.at(first.span().start());
            self.insert(at, format!("\nif crate::mutant({place}) {{ return {replacement}; }} // mutant {place}\n"));
        }
    }

    /// Whether the function stays constant.
    fn stays_constant(&mut self, signature: &syn::Signature) -> bool {
        let Some(word) = &signature.constness else { return false };
        if self.constants.contains(&signature.ident.to_string()) {
            return true;
        }
        let range = self.offsets.range(word);
        self.edits.push(Edit { range, kind: Kind::Delete });
        false
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
        let is_constant = self.stays_constant(&item.sig);
        self.with_constant(is_constant, |this| {
            this.body(&item.block);
            visit::visit_item_fn(this, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        let is_constant = self.stays_constant(&item.sig);
        self.with_constant(is_constant, |this| {
            this.body(&item.block);
            visit::visit_impl_item_fn(this, item);
        });
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
        let found = if has_let(&item.left) || has_let(&item.right) { self.leave(found, "beside a let") } else { found };
        let (left, right) = (self.offsets.range(&*item.left), self.offsets.range(&*item.right));
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
        let inner = self.offsets.range(&*item.expr);
        let variants = found.into_iter().map(|mutant| (mutant.place, Variant::Part(inner.clone()))).collect();
        self.choose(self.offsets.range(item), variants);
        visit::visit_expr_unary(self, item);
    }

    fn visit_expr_struct(&mut self, item: &'ast syn::ExprStruct) {
        for field in &item.fields {
            let found = self.take(field, "StructField");
            let (Some(base), syn::Member::Named(name)) = (&item.rest, &field.member) else {
                self.leave(found, "a field without a base");
                continue;
            };
            let base = &self.text[self.offsets.range(&**base)];
            let changed = format!("({base}).{name}");
            if field.colon_token.is_none() && !found.is_empty() {
                self.insert(self.offsets.at(field.span().start()), format!("{name}: "));
            }
            let variants = found.into_iter().map(|mutant| (mutant.place, Variant::Text(changed.clone()))).collect();
            self.choose(self.offsets.range(&field.expr), variants);
        }
        visit::visit_expr_struct(self, item);
    }

    fn visit_arm(&mut self, item: &'ast syn::Arm) {
        let mut variants: Vec<_> =
            self.take(item, "MatchArm").into_iter().map(|mutant| (mutant.place, "false".to_owned())).collect();
        let Some((_, guard)) = &item.guard else {
            let end = self.offsets.at(item.pat.span().end());
            for (place, _) in variants {
                self.insert(end, format!("\nif !crate::mutant({place}) // mutant {place}\n"));
            }
            return visit::visit_arm(self, item);
        };
        variants
            .extend(self.take(&**guard, "MatchArmGuard").into_iter().map(|mutant| (mutant.place, mutant.replacement)));
        if has_let(guard) {
            self.left.extend(variants.iter().map(|(place, _)| (*place, "beside a let".to_owned())));
        } else {
            let variants = variants.into_iter().map(|(place, text)| (place, Variant::Text(text))).collect();
            self.choose(self.offsets.range(&**guard), variants);
        }
        visit::visit_arm(self, item);
    }
}

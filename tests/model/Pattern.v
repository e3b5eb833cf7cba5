(** Patterns: RFC 9309, 2.2.2 and 2.2.3.  A pattern matches a path from its first octet on; `*` is any run of octets,
    `$` at the end is the end of the path. *)
From Coq Require Import List Bool Arith Lia.
From Coq Require Import Strings.Byte.
From Model Require Import Octets.
Import ListNotations.

Inductive item := Lit (b : byte) | Star.
Record pattern := { items : list item; anchored : bool }.

(** [path.match] [path.stars] [path.anchor]: the relation. *)
Inductive matching (a : bool) : list item -> bytes -> Prop :=
| m_open s : a = false -> matching a [] s
| m_end : a = true -> matching a [] []
| m_lit b p s : matching a p s -> matching a (Lit b :: p) (b :: s)
| m_star p s t : matching a p t -> matching a (Star :: p) (s ++ t).

Definition matches (p : pattern) (s : bytes) : Prop := matching (anchored p) (items p) s.

(** The function. *)
Fixpoint some_suffix (f : bytes -> bool) (s : bytes) : bool :=
  f s || match s with [] => false | _ :: t => some_suffix f t end.

Fixpoint matchb (a : bool) (p : list item) (s : bytes) : bool :=
  match p, s with
  | [], [] => true
  | [], _ :: _ => negb a
  | Lit b :: q, c :: t => Byte.eqb b c && matchb a q t
  | Lit _ :: _, [] => false
  | Star :: q, _ => some_suffix (matchb a q) s
  end.

Definition does_match (p : pattern) (s : bytes) : bool := matchb (anchored p) (items p) s.

Lemma some_suffix_spec f s : some_suffix f s = true <-> exists u t, s = u ++ t /\ f t = true.
Proof.
  induction s as [|c s IH]; simpl; rewrite orb_true_iff.
  - split.
    + intros [H|H]; [exists [], []; auto | discriminate].
    + intros (u & t & E & H). symmetry in E. apply app_eq_nil in E as [_ ->]. auto.
  - rewrite IH. split.
    + intros [H | (u & t & -> & H)]; [exists [], (c :: s); auto | exists (c :: u), t; auto].
    + intros ([|d u] & t & E & H); simpl in E; [subst; auto | injection E as -> ->; right; eauto].
Qed.

Lemma matchb_matching a p s : matchb a p s = true <-> matching a p s.
Proof.
  revert s. induction p as [|[b|] p IH]; intro s.
  - destruct a, s; simpl; split; intro H; try easy; try (now constructor); now inversion H.
  - destruct s as [|c s]; simpl.
    + split; [discriminate | inversion 1].
    + rewrite andb_true_iff, eqb_eq, IH. split.
      * intros [-> H]. now constructor.
      * intro H. inversion H; auto.
  - transitivity (exists u t, s = u ++ t /\ matchb a p t = true).
    + simpl. destruct s; apply some_suffix_spec.
    + split.
      * intros (u & t & -> & H). constructor. now apply IH.
      * intro H. inversion H; subst. do 2 eexists. split; [reflexivity | now apply IH].
Qed.

Theorem does_match_matches p s : does_match p s = true <-> matches p s.
Proof. apply matchb_matching. Qed.

(** A pattern contains another: it matches each path that the other matches. *)
Definition contains (p q : pattern) := forall s, matches q s -> matches p s.
Definition same (p q : pattern) := forall s, matches p s <-> matches q s.
Definition open (p : list item) := {| items := p; anchored := false |}.
Definition shut (p : list item) := {| items := p; anchored := true |}.

(** What each kind of item says: with these, no proof below needs [inversion]. *)
Lemma on_nil a s : matching a [] s <-> a = false \/ s = [].
Proof.
  split; [intro H; inversion H; auto | intros [-> | ->]; [now constructor | destruct a; now constructor]].
Qed.
Lemma on_lit a b p s : matching a (Lit b :: p) s <-> exists t, s = b :: t /\ matching a p t.
Proof. split; [intro H; inversion H; eauto | intros (t & -> & H); now constructor]. Qed.
Lemma on_star a p s : matching a (Star :: p) s <-> exists u t, s = u ++ t /\ matching a p t.
Proof. split; [intro H; inversion H; eauto | intros (u & t & -> & H); now constructor]. Qed.
Lemma matching_open_nil s : matching false [] s. Proof. now constructor. Qed.

(** Concatenation, for everything below. *)
Lemma matching_app a p q s : matching a (p ++ q) s <-> exists u t, s = u ++ t /\ matching true p u /\ matching a q t.
Proof.
  revert s. induction p as [|[b|] p IH]; intro s; simpl.
  - split.
    + intro H. exists [], s. repeat split; auto. now constructor.
    + intros (u & t & -> & Hu & Ht). apply on_nil in Hu as [?| ->]; [discriminate | auto].
  - rewrite on_lit. split.
    + intros (s' & -> & H). apply IH in H as (u & t & -> & Hu & Ht).
      exists (b :: u), t. repeat split; auto. now constructor.
    + intros (u & t & -> & Hu & Ht). apply on_lit in Hu as (u' & -> & Hu).
      exists (u' ++ t). split; auto. apply IH. eauto.
  - rewrite on_star. split.
    + intros (v & s' & -> & H). apply IH in H as (u & t & -> & Hu & Ht).
      exists (v ++ u), t. rewrite app_assoc. repeat split; auto. now constructor.
    + intros (u & t & -> & Hu & Ht). apply on_star in Hu as (v & u' & -> & Hu).
      exists v, (u' ++ t). rewrite app_assoc. split; auto. apply IH. eauto.
Qed.

Lemma matching_open p s : matching false p s <-> exists u t, s = u ++ t /\ matching true p u.
Proof.
  rewrite <- (app_nil_r p) at 1. rewrite matching_app. split.
  - intros (u & t & -> & H & _). eauto.
  - intros (u & t & -> & H). exists u, t. auto using matching_open_nil.
Qed.

(** [portable.stars]: `X*` = `X`. *)
Theorem star_at_end p : same (open (p ++ [Star])) (open p).
Proof.
  intro s. unfold matches; simpl. rewrite matching_app, matching_open. split.
  - intros (u & t & -> & H & _). eauto.
  - intros (u & t & -> & H). exists u, t. repeat split; auto.
    rewrite <- (app_nil_r t). constructor. apply matching_open_nil.
Qed.

(** `X*$` = `X*`. *)
Theorem star_anchor p : same (shut (p ++ [Star])) (open p).
Proof.
  intro s. unfold matches; simpl. rewrite matching_app, matching_open. split.
  - intros (u & t & -> & H & _). eauto.
  - intros (u & t & -> & H). exists u, t. repeat split; auto.
    rewrite <- (app_nil_r t). constructor. now constructor.
Qed.

(** `**` = `*`, anywhere in a pattern. *)
Lemma star_star_at a q s : matching a (Star :: Star :: q) s <-> matching a (Star :: q) s.
Proof.
  split.
  - intro H. apply on_star in H as (u & t & -> & H). apply on_star in H as (v & w & -> & H).
    rewrite app_assoc. now constructor.
  - intro H. apply (m_star a (Star :: q) [] s H).
Qed.

Theorem star_star a p q : same {| items := p ++ Star :: Star :: q; anchored := a |} {| items := p ++ Star :: q;
  anchored := a |}.
Proof.
  intro s. unfold matches; simpl. rewrite !matching_app.
  split; intros (u & t & -> & H & K); exists u, t; repeat split; auto; now apply star_star_at.
Qed.

(** [portable.stars] `*` = `/` and `*x` = `/*x`, [portable.halves] `*/x` = `/x` and `/*/x`: for paths, which begin with
    a slash. *)
Definition slash : byte := "/"%byte.
Definition is_path (s : bytes) := exists t, s = slash :: t.

Theorem star_alone s : is_path s -> matches (open [Star]) s <-> matches (open [Lit slash]) s.
Proof.
  intros [t ->]. split; intros _; unfold matches; simpl.
  - constructor. apply matching_open_nil.
  - rewrite <- (app_nil_r (slash :: t)). constructor. apply matching_open_nil.
Qed.

Theorem star_first a b p s : b <> slash -> is_path s ->
  matching a (Star :: Lit b :: p) s <-> matching a (Lit slash :: Star :: Lit b :: p) s.
Proof.
  intros N [t ->]. rewrite on_lit. split.
  - intro H. apply on_star in H as ([|c u] & v & E & H); simpl in E.
    + subst v. apply on_lit in H as (w & E & _). now injection E as <- _.
    + injection E as <- ->. exists (u ++ v). split; [auto | now constructor].
  - intros (w & E & H). injection E as <-. apply on_star in H as (u & v & -> & H).
    now apply (m_star a _ (slash :: u)).
Qed.

Theorem star_halves a p s : is_path s ->
  matching a (Star :: Lit slash :: p) s <->
  matching a (Lit slash :: p) s \/ matching a (Lit slash :: Star :: Lit slash :: p) s.
Proof.
  intros [t ->]. split.
  - intro H. apply on_star in H as ([|c u] & v & E & H); simpl in E.
    + subst v. auto.
    + injection E as <- ->. right. constructor. now constructor.
  - intros [H|H]; [now apply (m_star a _ [])|].
    apply on_lit in H as (w & E & H). injection E as <-. apply on_star in H as (u & v & -> & H).
    now apply (m_star a _ (slash :: u)).
Qed.

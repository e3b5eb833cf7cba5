(** The matcher that the oracle runs.  It takes at most as many steps as the octets of the pattern times those of the
    path, with any number of stars. *)
From Coq Require Import List Bool.
From Coq Require Import Strings.Byte.
From Model Require Import Octets Pattern.
Import ListNotations.

Fixpoint suffixes (s : bytes) : list bytes := s :: match s with [] => [] | _ :: t => suffixes t end.
Definition head (r : list bool) := match r with x :: _ => x | [] => false end.
Fixpoint any_later (r : list bool) : list bool :=
  match r with [] => [] | x :: r => let t := any_later r in (x || head t) :: t end.
Fixpoint here (b : byte) (s : bytes) (r : list bool) : list bool :=
  match s, r with c :: s, _ :: r => (Byte.eqb b c && head r) :: here b s r | _, _ => [false] end.
Fixpoint row (a : bool) (p : list item) (s : bytes) : list bool :=
  match p with
  | [] => map (matchb a []) (suffixes s)
  | Star :: q => any_later (row a q s)
  | Lit b :: q => here b s (row a q s)
  end.
Fixpoint fast (a : bool) (p : list item) (s : bytes) : bool :=
  match p, s with
  | Lit b :: q, c :: t => Byte.eqb b c && fast a q t
  | Lit _ :: _, [] => false
  | [], _ => matchb a [] s
  | Star :: _, _ => head (row a p s)
  end.

Lemma head_suffixes f s : head (map f (suffixes s)) = f s. Proof. now destruct s. Qed.
Lemma any_later_spec f s : any_later (map f (suffixes s)) = map (some_suffix f) (suffixes s).
Proof. induction s as [|c s IH]; simpl; auto. now rewrite IH, head_suffixes. Qed.
Lemma here_spec a b q s : here b s (map (matchb a q) (suffixes s)) = map (matchb a (Lit b :: q)) (suffixes s).
Proof. induction s as [|c s IH]; simpl; auto. now rewrite IH, head_suffixes. Qed.
Lemma star_some a q s : some_suffix (matchb a q) s = matchb a (Star :: q) s. Proof. now destruct s. Qed.
Lemma row_spec a p s : row a p s = map (matchb a p) (suffixes s).
Proof.
  induction p as [|[b|] p IH]; simpl row; auto; rewrite IH; [apply here_spec|].
  rewrite any_later_spec. apply map_ext. apply star_some.
Qed.
Theorem fast_matchb a p s : fast a p s = matchb a p s.
Proof.
  revert s. induction p as [|[b|] p IH]; intro s; auto; [destruct s; simpl; auto; now rewrite IH|].
  unfold fast. rewrite row_spec. apply head_suffixes.
Qed.

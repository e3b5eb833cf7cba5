(** Lines and fields: RFC 9309, 2.2. *)
From Coq Require Import String List Bool Arith Lia.
From Coq Require Import Strings.Byte.
From Model Require Import Octets Path.
Import ListNotations.

(** [line.end]: "EOL = CR / LF / CRLF" (2.2). *)
Fixpoint lines (s : bytes) : list bytes :=
  match s with
  | [] => [[]]
  | x0d :: x0a :: t => [] :: lines t
  | x0d :: t | x0a :: t => [] :: lines t
  | c :: t => match lines t with l :: ls => (c :: l) :: ls | [] => [[c]] end
  end.

(** Without the blanks at the start. *)
Fixpoint skip (s : bytes) : bytes := match s with b :: t => if is_blank b then skip t else s | [] => [] end.

(** What is before the first such octet, and what is after it, if there is one. *)
Fixpoint until (c : byte) (s : bytes) : bytes :=
  match s with b :: t => if Byte.eqb b c then [] else b :: until c t | [] => [] end.
Fixpoint after (c : byte) (s : bytes) : option bytes :=
  match s with b :: t => if Byte.eqb b c then Some t else after c t | [] => None end.

(** Without the blanks at the end, and without those at both ends. *)
Definition skip_end (s : bytes) : bytes := rev' (skip (rev' s)).
Definition trim (s : bytes) : bytes := skip_end (skip s).

(** [line.comment]: "comment = "#" *( UTF8-char-noctl / WS / "#" )" (2.2).  What a line says without it. *)
Definition said (l : bytes) : bytes := trim (until hash l).

(** [field.syntax]: `name *WS ":" *WS value` (2.2).  Names are compared in lower case. *)
Definition field (l : bytes) : option (bytes * bytes) :=
  match after ":"%byte l with Some v => Some (map lower (skip_end (until ":"%byte l)), skip v) | None => None end.

(** A rule as its line has it: whether it allows, and its value. *)
Definition written := (bool * bytes)%type.

(** What a line says: "startgroupline" or "rule" (2.2).  Other records and other lines say nothing here. *)
Inductive line := Agent (v : bytes) | Rule (r : written) | Nothing.

Definition user_agent : bytes := list_byte_of_string "user-agent"%string.
Definition allow_name : bytes := list_byte_of_string "allow"%string.
Definition disallow_name : bytes := list_byte_of_string "disallow"%string.

Definition line_of_field (n v : bytes) : line :=
  if beq n user_agent then Agent v
  else if beq n allow_name then Rule (true, v)
  else if beq n disallow_name then Rule (false, v) else Nothing.
Definition meaning (l : bytes) : line :=
  match field (said l) with Some (n, v) => line_of_field n v | None => Nothing end.

(** [input.bom]: a byte order mark at the start is dropped, also an incomplete one. *)
Definition unmarked (s : bytes) : bytes :=
  match s with xef :: xbb :: xbf :: t => t | xef :: xbb :: t => t | xef :: t => t | _ => s end.

(** A file as a list of meanings, a line each. *)
Definition meanings (s : bytes) : list line := map meaning (lines (unmarked s)).

(** ** What the proofs need. *)
Notation no_hash := (Forall (fun b => Byte.eqb b hash = false)).
Notation no_end := (Forall (fun b => is_end b = false)).
Notation no_blank := (Forall (fun b => is_blank b = false)).

(** A line feed ends a line; nothing else in this line does. *)
Lemma lines_line l t : no_end l -> lines (l ++ x0a :: t) = l :: lines t.
Proof.
  induction 1 as [|c l E F IH]; [reflexivity|]. cbn [app].
  transitivity (match lines (l ++ x0a :: t) with l :: ls => (c :: l) :: ls | [] => [[c]] end);
    [destruct c; easy | now rewrite IH].
Qed.

(** What has no blank at its ends stays as it is. *)
Lemma skip_no_blank v : no_blank v -> skip v = v.
Proof. intros [|b t E F]; auto. simpl. now rewrite E. Qed.
Lemma skip_end_no_blank u v : no_blank v -> v <> [] -> skip_end (u ++ v) = u ++ v.
Proof.
  intros F N. unfold skip_end, rev'. rewrite <- !rev_alt, rev_app_distr. destruct (rev v) as [|b t] eqn:E.
  - destruct N. now rewrite <- (rev_involutive v), E.
  - assert (no_blank (b :: t)) as G by (rewrite <- E; now apply Forall_rev). inversion G as [|? ? B _]; subst.
    simpl skip. rewrite B. change (b :: t ++ rev u) with ((b :: t) ++ rev u).
    now rewrite <- E, rev_app_distr, !rev_involutive.
Qed.
Lemma until_none c v : Forall (fun b => Byte.eqb b c = false) v -> until c v = v.
Proof. induction 1 as [|b v E F IH]; simpl; auto. now rewrite E, IH. Qed.

(** A value holds no `#`, wherever it comes from. *)
Lemma until_no_hash l : no_hash (until hash l).
Proof. induction l as [|b l IH]; simpl; auto. destruct (Byte.eqb b hash) eqn:E; auto. Qed.
Lemma after_no_hash c l v : no_hash l -> after c l = Some v -> no_hash v.
Proof.
  induction 1 as [|b l E F IH]; simpl; [easy|]. destruct (Byte.eqb b c); auto. now intros [= <-].
Qed.
Lemma skip_no_hash v : no_hash v -> no_hash (skip v).
Proof. induction 1 as [|b v E F IH]; simpl; auto. destruct (is_blank b); auto. Qed.
Lemma skip_end_no_hash v : no_hash v -> no_hash (skip_end v).
Proof. intro F. unfold skip_end, rev'. rewrite <- !rev_alt. auto using Forall_rev, skip_no_hash. Qed.
Lemma field_no_hash l n v : no_hash l -> field l = Some (n, v) -> no_hash v.
Proof.
  unfold field. destruct (after _ _) as [w|] eqn:E; [|easy]. intros H [= <- <-]. apply skip_no_hash.
  now apply (after_no_hash _ _ _ H E).
Qed.
Lemma rule_no_hash l a v : meaning l = Rule (a, v) -> no_hash v.
Proof.
  unfold meaning. destruct (field _) as [[n w]|] eqn:E; [|easy]. unfold line_of_field. intro R.
  apply field_no_hash in E; [|apply skip_end_no_hash, skip_no_hash, until_no_hash].
  repeat destruct (beq _ _); try discriminate; now injection R as _ <-.
Qed.

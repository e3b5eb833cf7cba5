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

(** Without the blanks at the start, and without those at both ends. *)
Fixpoint skip (s : bytes) : bytes := match s with b :: t => if is_blank b then skip t else s | [] => [] end.
Definition trim (s : bytes) : bytes := rev' (skip (rev' (skip s))).

(** What is before the first such octet, and what is after it, if there is one. *)
Fixpoint until (c : byte) (s : bytes) : bytes :=
  match s with b :: t => if Byte.eqb b c then [] else b :: until c t | [] => [] end.
Fixpoint after (c : byte) (s : bytes) : option bytes :=
  match s with b :: t => if Byte.eqb b c then Some t else after c t | [] => None end.

(** [line.comment] [field.syntax]: `*WS name *WS ":" *WS value [ "#" comment ]` (2.2).  A name is in any case. *)
Definition field (l : bytes) : option (bytes * bytes) :=
  let l := until hash l in
  match after ":"%byte l with Some v => Some (map lower (trim (until ":"%byte l)), trim v) | None => None end.

(** [field.name]: letters, digits and dashes. *)
Definition is_word (n : bytes) : bool :=
  match n with [] => false | _ => forallb (fun b => is_letter b || is_digit b || Byte.eqb b "-"%byte) n end.

(** A rule as its line has it: whether it allows, and its value. *)
Definition written := (bool * bytes)%type.

(** What a line says: "startgroupline", "rule" (2.2), another record (2.2.4), or nothing. *)
Inductive line := Agent (v : bytes) | Rule (r : written) | Other_field | Nothing.

Definition user_agent : bytes := list_byte_of_string "user-agent"%string.
Definition allow_name : bytes := list_byte_of_string "allow"%string.
Definition disallow_name : bytes := list_byte_of_string "disallow"%string.

Definition line_of_field (n v : bytes) : line :=
  if beq n user_agent then Agent v
  else if beq n allow_name then Rule (true, v)
  else if beq n disallow_name then Rule (false, v)
  else if is_word n then Other_field else Nothing.
Definition meaning (l : bytes) : line :=
  match field l with Some (n, v) => line_of_field n v | None => Nothing end.

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

(** A value without blanks stays as it is. *)
Lemma skip_no_blank v : no_blank v -> skip v = v.
Proof. intros [|b t E F]; auto. simpl. now rewrite E. Qed.
Lemma trim_no_blank v : no_blank v -> trim v = v.
Proof.
  intro F. unfold trim, rev'. rewrite <- !rev_alt, (skip_no_blank v) by auto.
  rewrite skip_no_blank by now apply Forall_rev. apply rev_involutive.
Qed.
Lemma trim_blank v : no_blank v -> trim (x20 :: v) = v.
Proof. intro F. unfold trim. simpl skip at 2. now apply trim_no_blank. Qed.
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
Lemma trim_no_hash v : no_hash v -> no_hash (trim v).
Proof. intro F. unfold trim, rev'. rewrite <- !rev_alt. auto using Forall_rev, skip_no_hash. Qed.
Lemma rule_no_hash l a v : meaning l = Rule (a, v) -> no_hash v.
Proof.
  unfold meaning, field. destruct (after _ _) as [w|] eqn:E; [|easy]. unfold line_of_field.
  assert (no_hash (trim w)) as F by (apply trim_no_hash; eapply after_no_hash; [apply until_no_hash | exact E]).
  repeat destruct (beq _ _); try easy; try (now intros [= _ <-]). now destruct (is_word _).
Qed.

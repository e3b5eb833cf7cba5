(** The canonical text of one group for `*`: writing it, and reading it again. *)
From Coq Require Import String List Bool Arith NArith Lia Permutation Sorted.
From Coq Require Import Strings.Byte.
From Model Require Import Octets Pattern Matcher Sort Verdict Path Lines Groups.
Import ListNotations.

(** Octets in their order, and strings of them. *)
Definition octet_before (b c : byte) : bool := (Byte.to_N b <=? Byte.to_N c)%N.
Fixpoint bytes_before (s t : bytes) : bool :=
  match s, t with
  | [], _ => true
  | _ :: _, [] => false
  | b :: s, c :: t => if Byte.eqb b c then bytes_before s t else octet_before b c
  end.

(** [text.order]: "the longest pattern first, Allow before Disallow, then by bytes". *)
Definition before (p q : written) : bool :=
  let (n, m) := (length (snd p), length (snd q)) in
  Nat.ltb m n || (Nat.eqb n m && (if Bool.eqb (fst p) (fst q) then bytes_before (snd p) (snd q) else fst p)).

(** [text.once]: "Each pattern is written once, with the rule that decides": the first of those with it. *)
Fixpoint once (rs : list written) : list written :=
  match rs with [] => [] | r :: rs => r :: filter (fun q => negb (beq (snd q) (snd r))) (once rs) end.

(** [text.unwritable] [text.spelling]: the rules that a text can have, in their canonical spelling. *)
Definition spelled (rs : list written) : list written :=
  filter (fun r => writable (snd r)) (map (fun r => (fst r, canonical (snd r))) rs).

(** [text.order]: "In `FileOrder` the order of the file stays".  Runs of stars stay here as they are. *)
Definition arranged (o : order) : list written -> list written :=
  match o with Longest => sort before | File => fun rs => rs end.
Definition tidy (o : order) (rs : list written) : list written := once (arranged o (spelled rs)).

(** [text.form] [text.one-record] [text.empty]: the lines of a text. *)
Definition name_of (allows : bool) : bytes := list_byte_of_string (if allows then "Allow" else "Disallow")%string.
Definition line_feed : byte := x0a.
Definition text_line (n v : bytes) : bytes := n ++ ":"%byte :: match v with [] => [] | _ => " "%byte :: v end ++
  [line_feed].
Definition rule_line (r : written) : bytes := text_line (name_of (fst r)) (snd r).
Definition or_empty (rs : list written) : list written := match rs with [] => [(false, [])] | _ => rs end.
Definition text (rs : list written) : bytes :=
  text_line (list_byte_of_string "User-agent"%string) [star] ++ flat_map rule_line (or_empty rs).

(** ** Reading a text gives the rules from which it was written. *)

Lemma clean_no_hash v : Forall (fun b => clean b = true) v -> no_hash v.
Proof. apply Forall_impl. intros b H. apply andb_true_iff in H as [_ H]. now apply negb_true_iff. Qed.
Lemma clean_no_blank v : Forall (fun b => clean b = true) v -> no_blank v.
Proof. apply Forall_impl. intros b. destruct b; easy. Qed.
Lemma clean_no_end v : Forall (fun b => clean b = true) v -> no_end v.
Proof. apply Forall_impl. intros b. destruct b; easy. Qed.

(** A name that is plain, a colon, a blank and a clean value: the field has that name and that value. *)
Lemma field_of_text n v : forallb (fun b => is_letter b || Byte.eqb b "-"%byte) n = true -> n <> [] ->
  Forall (fun b => clean b = true) v -> v <> [] ->
  field (said (n ++ ":"%byte :: " "%byte :: v)) = Some (map lower n, v).
Proof.
  intros L M C N. rewrite forallb_forall in L.
  assert (forall f : byte -> bool, (forall b, is_letter b || Byte.eqb b "-"%byte = true -> f b = false) ->
    Forall (fun b => f b = false) n) as A by (intros f F; apply Forall_forall; auto).
  pose proof (A (fun b => Byte.eqb b hash) ltac:(intro b; now destruct b)) as H.
  pose proof (A (fun b => Byte.eqb b ":"%byte) ltac:(intro b; now destruct b)) as K.
  pose proof (A is_blank ltac:(intro b; now destruct b)) as B. cbv beta in H, K.
  unfold said, trim. rewrite until_none by (apply Forall_app; split; auto; repeat constructor; now apply clean_no_hash).
  assert (skip (n ++ ":"%byte :: " "%byte :: v) = n ++ ":"%byte :: " "%byte :: v) as ->.
  { destruct n as [|b n]; [easy|]. inversion B as [|? ? X _]; subst. simpl. now rewrite X. }
  change (n ++ ":"%byte :: " "%byte :: v) with (n ++ [":"%byte; " "%byte] ++ v). rewrite app_assoc.
  rewrite skip_end_no_blank by auto using clean_no_blank. rewrite <- app_assoc. simpl. unfold field.
  assert (forall t, after ":"%byte (n ++ ":"%byte :: t) = Some t) as ->.
  { intro t. clear - K. induction K as [|b n E F IH]; auto. simpl. now rewrite E. }
  assert (forall t, until ":"%byte (n ++ ":"%byte :: t) = n) as ->.
  { intro t. clear - K. induction K as [|b n E F IH]; auto. simpl. now rewrite E, IH. }
  change (skip (" "%byte :: v)) with (skip v). rewrite skip_no_blank by now apply clean_no_blank.
  change n with ([] ++ n) at 1. now rewrite skip_end_no_blank.
Qed.

(** What a text can contain. *)
Definition fit (r : written) : Prop := snd r <> [] /\ Forall (fun b => clean b = true) (snd r).

Lemma no_end_app n v : no_end n -> no_end v -> no_end (n ++ ":"%byte :: match v with [] => [] | _ => " "%byte :: v end).
Proof. intros N V. apply Forall_app. split; auto. constructor; auto. destruct v; auto. Qed.
Lemma lines_text n v t : no_end n -> no_end v ->
  lines (text_line n v ++ t) = (n ++ ":"%byte :: match v with [] => [] | _ => " "%byte :: v end) :: lines t.
Proof.
  intros N V. unfold text_line. rewrite <- lines_line by now apply no_end_app. f_equal.
  rewrite <- !app_assoc. simpl. f_equal. f_equal. now rewrite <- app_assoc.
Qed.
Lemma name_no_end a : no_end (name_of a).
Proof. destruct a; repeat constructor. Qed.
Lemma meaning_rule r : fit r -> meaning (name_of (fst r) ++ ":"%byte :: match snd r with [] => [] | _ => " "%byte ::
  snd r end) = Rule r.
Proof.
  destruct r as [a v]. intros [N C]. simpl in *. unfold meaning. destruct v as [|b v]; [easy|].
  rewrite field_of_text; auto; destruct a; easy.
Qed.
Lemma read_rules rs t : Forall fit rs -> map meaning (lines (flat_map rule_line rs ++ t))
  = map Rule rs ++ map meaning (lines t).
Proof.
  induction 1 as [|r rs F G IH]; auto. simpl. rewrite <- app_assoc. unfold rule_line at 1. rewrite lines_text.
  - simpl. now rewrite IH, meaning_rule.
  - apply name_no_end.
  - apply clean_no_end, F.
Qed.

(** [text.parse]: reading a text gives one group, for `*`, with these rules in this order. *)
Theorem read_text rs : Forall fit rs -> read (text rs) = [{| agents := [[star]]; rules := or_empty rs |}].
Proof.
  intro F. unfold read, meanings, text.
  change (unmarked _) with (text_line (list_byte_of_string "User-agent"%string) [star] ++ flat_map rule_line
    (or_empty rs)).
  rewrite lines_text by (repeat constructor). cbn [map].
  assert (map meaning (lines (flat_map rule_line (or_empty rs))) = map Rule (or_empty rs) ++ [Nothing]) as ->.
  { destruct rs as [|r rs]; [reflexivity|]. unfold or_empty.
    rewrite <- (app_nil_r (flat_map _ _)). now rewrite read_rules. }
  change (meaning _) with (Agent [star]). unfold groups. cbn [fold_right].
  assert (forall qs, fold_right add [] (map Rule qs ++ [Nothing]) =
    match qs with [] => [] | _ => [{| agents := []; rules := qs |}] end) as E.
  { intro qs. induction qs as [|q qs IH]; auto. cbn [map app fold_right]. rewrite IH. now destruct qs. }
  rewrite E. now destruct rs.
Qed.

(** ** The rules of a text are fit, sorted, and each is there once. *)

Lemma in_once r rs : In r (once rs) -> In r rs.
Proof.
  induction rs as [|q rs IH]; simpl; auto. intros [|I]; auto. apply filter_In in I as [I _]. auto.
Qed.
Lemma in_spelled r rs : In r (spelled rs) <-> exists v, In (fst r, v) rs /\ snd r = canonical v /\
  writable (snd r) = true.
Proof.
  unfold spelled. rewrite filter_In, in_map_iff. split.
  - intros [([a v] & <- & I) W]. eauto.
  - intros (v & I & E & W). split; auto. exists (fst r, v). simpl. rewrite <- E. now destruct r.
Qed.
Lemma in_tidy o r rs : In r (tidy o rs) -> In r (spelled rs).
Proof. intro I. apply in_once in I. destruct o; auto. now apply in_sort in I. Qed.

Definition hash_free (rs : list written) := Forall (fun r : written => no_hash (snd r)) rs.
Lemma tidy_fit o rs : hash_free rs -> Forall fit (tidy o rs).
Proof.
  intro H. apply Forall_forall. intros r I. apply in_tidy, in_spelled in I as (v & I & E & W).
  split; [now destruct (snd r)|]. rewrite E. apply canonical_clean. unfold hash_free in H. rewrite Forall_forall in H.
    apply (H _ I).
Qed.

(** What a file says holds no `#`, so its rules are fit. *)
Lemma groups_rules ls g r : In g (groups ls) -> In r (rules g) -> In (Rule r) ls.
Proof.
  revert g. induction ls as [|l ls IH]; simpl; [easy|]. intros g I R. unfold groups in *. simpl in I.
  destruct l as [v|q|]; simpl in I; eauto.
  - destruct (fold_right add [] ls) as [|h hs] eqn:E.
    + destruct I as [<-|[]]. easy.
    + destruct I as [<-|I]; [right; apply (IH h); simpl; auto | right; apply (IH g); simpl; auto].
  - destruct (fold_right add [] ls) as [|[[|b bs] qs] hs] eqn:E; simpl in I.
    + destruct I as [<-|[]]. destruct R as [->|[]]. auto.
    + destruct I as [<-|I].
      * destruct R as [->|R]; auto. right. apply (IH {| agents := []; rules := qs |}); simpl; auto.
      * right. apply (IH g); simpl; auto.
    + destruct I as [<-|I]; [destruct R as [->|[]]; auto|]. right. apply (IH g); auto.
Qed.
Lemma select_in asked gs g : In g (select asked gs) -> In g gs.
Proof.
  induction asked as [|f asked IH]; simpl; [|destruct (named f gs) eqn:E; auto; rewrite <- E];
    intro I; now apply in_named in I as [I _].
Qed.
Definition hash_free_groups (gs : list group) := forall g, In g gs -> hash_free (rules g).
Lemma read_hash_free s : hash_free_groups (read s).
Proof.
  intros g G. apply Forall_forall. intros [a v] R. apply (groups_rules _ _ _ G) in R.
  apply in_map_iff in R as (l & E & _). now apply rule_no_hash in E.
Qed.
Lemma selected_hash_free asked gs : hash_free_groups gs -> hash_free (selected asked gs).
Proof.
  intro H. apply Forall_forall. intros r I. apply in_flat_map in I as (g & G & R). apply select_in, H in G.
  unfold hash_free in G. rewrite Forall_forall in G. auto.
Qed.

(** The text of what groups say to these crawlers. *)
Definition text_for (o : order) (asked : list bytes) (gs : list group) : bytes := text (tidy o (selected asked gs)).

(** [text.parse]: for each file, it reads as the rules of the text. *)
Corollary read_text_of_file o asked s : read (text_for o asked (read s)) =
  [{| agents := [[star]]; rules := or_empty (tidy o (selected asked (read s))) |}].
Proof. apply read_text, tidy_fit, selected_hash_free, read_hash_free. Qed.

(** ** Writing it again gives the same octets. *)

Lemma octet_antisymmetric b c : octet_before b c = true -> octet_before c b = true -> b = c.
Proof.
  unfold octet_before. rewrite !N.leb_le. intros. assert (Byte.to_N b = Byte.to_N c) as E by lia.
  assert (Some b = Some c) as X by (rewrite <- !Byte.of_to_N; now f_equal). now injection X.
Qed.
Lemma before_cons b s c t : bytes_before (b :: s) (c :: t) = true <->
  b = c /\ bytes_before s t = true \/ (Byte.to_N b < Byte.to_N c)%N.
Proof.
  simpl. destruct (Byte.eqb b c) eqn:E.
  - apply eqb_eq in E as ->. split; [auto | intros [[_ ?]|?]; [auto | lia]].
  - unfold octet_before. rewrite N.leb_le. split.
    + intro L. right. assert (Byte.to_N b <> Byte.to_N c); [|lia]. intro X.
      rewrite (octet_antisymmetric b c), eqb_refl in E by (unfold octet_before; apply N.leb_le; lia). discriminate.
    + intros [[-> _]|]; [now rewrite eqb_refl in E | lia].
Qed.
Lemma bytes_total s t : bytes_before s t = true \/ bytes_before t s = true.
Proof.
  revert t. induction s as [|b s IH]; intros [|c t]; auto. rewrite !before_cons.
  destruct (N.lt_total (Byte.to_N b) (Byte.to_N c)) as [|[E|]]; auto.
  assert (b = c) as -> by (apply octet_antisymmetric; unfold octet_before; apply N.leb_le; lia).
  destruct (IH t); auto.
Qed.
Lemma bytes_transitive s t u : bytes_before s t = true -> bytes_before t u = true -> bytes_before s u = true.
Proof.
  revert t u. induction s as [|b s IH]; intros [|c t] [|d u]; auto; try easy. rewrite !before_cons.
  intros [[-> S]|S] [[-> T]|T]; eauto. right. lia.
Qed.
Lemma bytes_antisymmetric s t : bytes_before s t = true -> bytes_before t s = true -> s = t.
Proof.
  revert t. induction s as [|b s IH]; intros [|c t]; auto; try easy. rewrite !before_cons.
  intros [[-> S]|S] [[E T]|T]; try (subst; lia). f_equal. auto.
Qed.

Lemma before_spec p q : before p q = true <->
  length (snd q) < length (snd p) \/
  length (snd p) = length (snd q) /\
    (fst p = fst q /\ bytes_before (snd p) (snd q) = true \/ fst p = true /\ fst q = false).
Proof.
  unfold before. destruct p as [a v], q as [b w]. simpl. rewrite orb_true_iff, andb_true_iff, Nat.ltb_lt, Nat.eqb_eq.
  destruct a, b; simpl; intuition congruence.
Qed.
Lemma before_total p q : before p q = true \/ before q p = true.
Proof.
  rewrite !before_spec. destruct (lt_eq_lt_dec (length (snd p)) (length (snd q))) as [[|E]|]; auto.
  destruct (bytes_total (snd p) (snd q)), (fst p), (fst q); auto 6.
Qed.
Lemma before_transitive p q r : before p q = true -> before q r = true -> before p r = true.
Proof.
  rewrite !before_spec. intros [|[E [[A B]|[A B]]]] [|[F [[C D]|[C D]]]]; try (left; lia); right; (split; [lia|]);
    [left | right | right | congruence]; split; try congruence; eauto using bytes_transitive.
Qed.
Lemma before_antisymmetric p q : before p q = true -> before q p = true -> p = q.
Proof.
  rewrite !before_spec. destruct p as [a v], q as [b w]. simpl.
  intros [|[E [[A B]|[A B]]]] [|[F [[C D]|[C D]]]]; try lia; try congruence. f_equal; auto using bytes_antisymmetric.
Qed.

(** What [once] keeps. *)
Definition distinct (rs : list written) := NoDup (map snd rs).
Lemma distinct_filter f rs : distinct rs -> distinct (filter f rs).
Proof.
  unfold distinct. induction rs as [|r rs IH]; simpl; auto. intro N. inversion N as [|? ? X D]; subst.
  destruct (f r); simpl; auto. constructor; auto. rewrite in_map_iff in *. intros (q & E & I).
  apply filter_In in I as [I _]. eauto.
Qed.
Lemma once_distinct rs : distinct (once rs).
Proof.
  unfold distinct. induction rs as [|r rs IH]; simpl; constructor; [|now apply distinct_filter]. rewrite in_map_iff.
  intros (q & E & I). apply filter_In in I as [_ I]. rewrite E, beq_refl in I. discriminate.
Qed.
Lemma once_of_distinct rs : distinct rs -> once rs = rs.
Proof.
  induction rs as [|r rs IH]; simpl; auto. intro N. inversion N as [|? ? X D]; subst. rewrite IH by auto. f_equal.
  clear - X. induction rs as [|q rs IH]; simpl; auto. simpl in X. destruct (beq (snd q) (snd r)) eqn:E.
  - apply beq_eq in E. tauto.
  - simpl. f_equal. tauto.
Qed.
Lemma once_sorted rs : sorted before rs -> sorted before (once rs).
Proof.
  induction 1 as [|r rs S IH F]; simpl; constructor; [now apply sorted_filter|]. rewrite Forall_forall in *.
  intros q I. apply filter_In in I as [I _]. apply in_once in I. auto.
Qed.
Lemma once_first rs r : sorted before rs -> In r rs -> exists q, In q (once rs) /\ snd q = snd r /\ before q r = true.
Proof.
  assert (forall p, before p p = true) as R by (intro p; now destruct (before_total p p)).
  induction 1 as [|x rs S IH F]; simpl; [easy|]. intros [->|I]; [eauto|]. destruct (IH I) as (q & Q & E & B).
  destruct (beq (snd q) (snd x)) eqn:X.
  - apply beq_eq in X. exists x. rewrite Forall_forall in F. repeat split; auto. congruence.
  - exists q. repeat split; auto. right. apply filter_In. now rewrite X.
Qed.

Lemma tidy_sorted rs : sorted before (tidy Longest rs).
Proof. apply once_sorted, sort_sorted; [apply before_total | apply before_transitive]. Qed.
Lemma tidy_first rs r : In r (spelled rs) -> exists q, In q (tidy Longest rs) /\ snd q = snd r /\ before q r = true.
Proof. intro I. apply once_first; [apply sort_sorted; [apply before_total | apply before_transitive] | now apply
  in_sort]. Qed.

(** [text.spelling]: which rules a text has depends on the set of canonical rules alone: not on the order of the lines,
    nor on their spelling, nor on how often one is written. *)
Lemma in_tidy_iff r rs : In r (tidy Longest rs) <-> In r (spelled rs) /\ forall q, In q (spelled rs) -> snd q = snd r ->
  before r q = true.
Proof.
  assert (forall p q, In p (tidy Longest rs) -> In q (tidy Longest rs) -> snd p = snd q -> p = q) as U.
  { intros p q. generalize (once_distinct (sort before (spelled rs))). change (once _) with (tidy Longest rs).
    generalize (tidy Longest rs).
    intros l D I J E. induction l as [|x l IH]; [easy|]. simpl in D. inversion D as [|? ? X N]; subst. simpl in I, J.
    destruct I as [->|I], J as [->|J]; auto; exfalso; apply X; [rewrite E | rewrite <- E]; now apply in_map. }
  split.
  - intro I. split; [now apply (in_tidy Longest)|]. intros q Q E. destruct (tidy_first rs q Q) as (p & P & F & B).
    rewrite (U r p); auto. congruence.
  - intros [I B]. destruct (tidy_first rs r I) as (q & Q & E & C). rewrite (before_antisymmetric r q); auto.
    apply B; auto. now apply (in_tidy Longest).
Qed.
Lemma distinct_NoDup rs : distinct rs -> NoDup rs.
Proof. apply NoDup_map_inv. Qed.
Theorem same_rules_same_text rs qs : (forall r, In r (spelled rs) <-> In r (spelled qs)) ->
  
  text (tidy Longest rs) = text (tidy Longest qs).
Proof.
  intro E. f_equal. apply (sorted_unique before before_antisymmetric);
    try apply tidy_sorted; try apply distinct_NoDup, once_distinct.
  intro r. rewrite !in_tidy_iff. split; intros [I B]; (split; [now apply E|]); intros q Q; apply B; now apply E.
Qed.

(** The rules of a text are those of its text. *)
Lemma spelled_same rs : Forall (fun r : written => canonical (snd r) = snd r /\ writable (snd r) = true) rs ->
  spelled rs = rs.
Proof.
  unfold spelled. induction 1 as [|[a v] rs [E W] F IH]; auto. simpl in *. now rewrite E, W, IH.
Qed.
Lemma spelled_tidy o rs : spelled (tidy o rs) = tidy o rs.
Proof.
  apply spelled_same, Forall_forall. intros r I. apply in_tidy, in_spelled in I as (v & _ & -> & W). split; auto.
  apply canonical_canonical.
Qed.
Lemma tidy_tidy o rs : tidy o (tidy o rs) = tidy o rs.
Proof.
  unfold tidy at 1. rewrite spelled_tidy. replace (arranged o (tidy o rs)) with (tidy o rs).
  - apply once_of_distinct, once_distinct.
  - destruct o; auto. symmetry. apply sort_of_sorted, tidy_sorted.
Qed.
Lemma tidy_or_empty o rs : tidy o (or_empty (tidy o rs)) = tidy o rs.
Proof. transitivity (tidy o (tidy o rs)); [now destruct o, (tidy _ rs) | apply tidy_tidy]. Qed.

(** Every crawler gets the rules of a text: no token is `*`. *)
Lemma leading_spec f s t u : leading f s = (t, u) -> Forall (fun b => f b = true) t.
Proof.
  revert t u. induction s as [|b s IH]; simpl; intros t u; [now intros [= <- _]|].
  destruct (f b) eqn:E; [|now intros [= <- _]]. destruct (leading f s) as [x y]. intros [= <- _]. constructor; eauto.
Qed.
Lemma nobody_is_star a : is_named a [star] = false.
Proof.
  unfold is_named, token_of. destruct (leading wide (skip a)) as [[|b t] r] eqn:E; auto. apply leading_spec in E.
  inversion E as [|? ? W F]; subst. assert (forall all, names all (b :: t) [star] = false) as N.
  { intro all. simpl. replace (Byte.eqb (lower b) star) with false; auto. clear - W. destruct b; easy. }
  destruct r as [|c r]; [apply N|]. destruct (outside_ascii c); auto.
Qed.
Lemma selected_text asked rs : Forall fit rs -> selected asked (read (text rs)) = or_empty rs.
Proof.
  intro F. unfold selected. rewrite read_text by auto.
  assert (select (map is_named asked) [{| agents := [[star]]; rules := or_empty rs |}] = [{| agents := [[star]];
    rules := or_empty rs |}]) as ->.
  { induction asked as [|a asked IH]; auto. simpl. now rewrite nobody_is_star. }
  simpl. apply app_nil_r.
Qed.

(** [text.idempotent]: writing the text of a text gives the same octets, for any crawlers. *)
Theorem text_again o asked asked' s :
  text_for o asked' (read (text_for o asked (read s))) = text_for o asked (read s).
Proof.
  unfold text_for. rewrite selected_text by apply tidy_fit, selected_hash_free, read_hash_free.
  now rewrite tidy_or_empty.
Qed.

(** ** A text decides as the file. *)

Lemma in_compile r rs : In r (compile rs) <-> exists a v, In (a, v) rs /\ v <> [] /\ r = rule_of a v.
Proof.
  unfold compile. rewrite in_map_iff. split.
  - intros ([a v] & <- & I). apply filter_In in I as [I N]. exists a, v. now destruct v.
  - intros (a & v & I & N & ->). exists (a, v). split; auto. apply filter_In. split; auto. now destruct v.
Qed.
Lemma before_over p q : canonical (snd p) = snd p -> canonical (snd q) = snd q -> before p q = true ->
  over (rule_of (fst p) (snd p)) (rule_of (fst q) (snd q)).
Proof.
  intros P Q B. apply before_spec in B. unfold over. rewrite !rank_of_rule, P, Q. cbn [allow rule_of rule_of_units].
  destruct B as [|[E [[A _]|[A _]]]]; auto; right; split; auto; destruct (fst p), (fst q); auto; congruence.
Qed.
Lemma canonical_of_spelled r rs : In r (spelled rs) -> canonical (snd r) = snd r.
Proof. intro I. apply in_spelled in I as (v & _ & -> & _). apply canonical_canonical. Qed.
(** Many at a time: rules can be left out if for each of them that matches a path, one stays that matches it too and is
    as strong. *)
Lemma absorbed qs rs s : (forall q, In q qs -> In q rs) ->
  (forall r, In r rs -> hits r s -> exists q, In q qs /\ over q r /\ hits q s) -> longest qs s = longest rs s.
Proof.
  intros S A. apply eq_iff_eq_true. rewrite !longest_answered. split.
  - intros N d D F M. destruct (A d D M) as (q & Q & O & C). destruct (allow q) eqn:K.
    + exists q. repeat split; auto. destruct O as [|[]]; lia.
    + destruct (N q Q K C) as (a & I & T & H & L). exists a. repeat split; auto. destruct O as [|[]]; lia.
  - intros N d D F M. destruct (strongest (filter (fun r => hitb r s) rs)) as [m|] eqn:E.
    + assert (allow m = true) as T.
      { apply longest_answered in N. unfold longest in N. now rewrite E in N. }
      apply strongest_some in E as [I B]. apply on_filter in I as [I H]. destruct (A m I H) as (q & Q & O & C).
      exists q. assert (over m q) as P by (apply B, on_filter; auto).
      assert (over m d) as R by (apply B, on_filter; auto).
      repeat split; auto; [|destruct P as [|[]], O as [|[]], R as [|[]]; lia].
      destruct O as [|[_ [|]]]; [destruct P as [|[]]; lia | auto | congruence].
    + apply strongest_none in E. assert (In d []) as [] by (rewrite <- E; apply on_filter; auto).
Qed.
Lemma tidy_longest rs s : is_path s -> longest (compile (tidy Longest rs)) s = longest (compile rs) s.
Proof.
  intro P. apply absorbed.
  - intros q I. apply in_compile in I as (a & c & I & N & ->). apply in_tidy, in_spelled in I as (v & I & E & W).
    simpl in *. subst c. rewrite rule_of_canonical. apply in_compile. exists a, v. repeat split; auto. now intros ->.
  - intros r I H. apply in_compile in I as (a & v & I & N & ->).
    destruct (writable (canonical v)) eqn:W; [|now destruct (unwritable_never a v s N W P)].
    assert (In (a, canonical v) (spelled rs)) as S by (apply in_spelled; exists v; auto).
    destruct (tidy_first rs _ S) as (q & Q & E & B). exists (rule_of (fst q) (snd q)). split; [|split].
    + apply in_compile. exists (fst q), (snd q). repeat split; [now destruct q|]. intro X. simpl in E. rewrite X in E.
      now rewrite <- E in W.
    + rewrite <- (rule_of_canonical a v). apply (before_over q (a, canonical v)); auto; simpl.
      * apply (canonical_of_spelled q rs). now apply (in_tidy Longest).
      * apply canonical_canonical.
    + unfold hits in *. rewrite E. cbn [snd]. replace (pat (rule_of (fst q) (canonical v))) with (pat (rule_of a v));
        auto.
      rewrite <- (rule_of_canonical a v). reflexivity.
Qed.

(** By first match a rule decides if it matches and none before it does. *)
Definition hit (s : bytes) (r : written) : bool := negb (is_empty (snd r)) && hitb (rule_of (fst r) (snd r)) s.
Lemma first_compile rs s :
  first (compile rs) s = match find (hit s) rs with Some r => fst r | None => true end.
Proof.
  unfold first, compile. induction rs as [|r rs IH]; auto. simpl. unfold hit at 1.
  destruct (negb (is_empty (snd r))); simpl; auto. destruct (hitb _ s); auto.
Qed.
Lemma find_filter {A} (f p : A -> bool) l : (forall q, p q = false -> f q = false) -> find f (filter p l) = find f l.
Proof.
  intro H. induction l as [|x l IH]; simpl; auto. destruct (p x) eqn:P; simpl; rewrite IH; auto. now rewrite (H x P).
Qed.
Lemma hit_value s p q : snd p = snd q -> hit s p = hit s q.
Proof. destruct p as [a v], q as [b w]. simpl. intros ->. reflexivity. Qed.
Lemma find_once s rs : find (hit s) (once rs) = find (hit s) rs.
Proof.
  induction rs as [|r rs IH]; simpl; auto. destruct (hit s r) eqn:H; auto. rewrite <- IH. apply find_filter.
  intros q E. apply negb_false_iff, beq_eq in E. now rewrite (hit_value s q r E).
Qed.
Lemma tidy_first_match rs s : is_path s -> first (compile (tidy File rs)) s = first (compile rs) s.
Proof.
  intro P. rewrite !first_compile. unfold tidy, arranged. rewrite find_once. unfold spelled.
  induction rs as [|[a v] rs IH]; auto. cbn [map filter fst snd].
  assert (hit s (a, canonical v) = hit s (a, v)) as E.
  { unfold hit. cbn [fst snd]. now rewrite canonical_empty, rule_of_canonical. }
  destruct (writable (canonical v)) eqn:W; simpl; rewrite ?E; [destruct (hit s (a, v)); auto|].
  replace (hit s (a, v)) with false; auto. symmetry. unfold hit. simpl. destruct v as [|b v]; auto. simpl.
  apply not_true_iff_false. rewrite hitb_hits. now apply unwritable_never.
Qed.
Lemma tidy_decides o rs s : is_path s -> decide o (compile (tidy o rs)) s = decide o (compile rs) s.
Proof. destruct o; [apply tidy_longest | apply tidy_first_match]. Qed.
Lemma path_target p : is_path p -> is_path (target p).
Proof. intros [t ->]. unfold target. rewrite leads_stays by reflexivity. simpl. now eexists. Qed.
Lemma compile_or_empty rs : compile (or_empty rs) = compile rs.
Proof. now destruct rs. Qed.

(** [text.parse] [report.exact]: for any groups whose values hold no `#`, each URL, each crawler and both orders,
    the text
    gives the verdict of the groups.  All groups of a file are such groups. *)
Theorem text_decides o asked asked' gs path : hash_free_groups gs -> is_path path ->
  verdict o (read (text_for o asked gs)) asked' path = verdict o gs asked path.
Proof.
  intros H P. unfold verdict. f_equal. unfold text_for. rewrite selected_text by apply tidy_fit, selected_hash_free, H.
  rewrite compile_or_empty. now apply tidy_decides, path_target.
Qed.
Corollary text_decides_as_file o asked asked' s path : is_path path ->
  verdict o (read (text_for o asked (read s))) asked' path = verdict o (read s) asked path.
Proof. apply text_decides, read_hash_free. Qed.

(** [text.order]: a tester that takes the first match answers as one that takes the longest. *)
Lemma compile_tidy_sorted rs : StronglySorted over (compile (tidy Longest rs)).
Proof.
  assert (forall l, sorted before l -> Forall (fun r : written => canonical (snd r) = snd r) l ->
    StronglySorted over (compile l)) as G.
  { intros l S. induction S as [|r l S IH F]; intro C; [constructor|]. inversion C as [|? ? Cr Cl]; subst.
    unfold compile. simpl. destruct (negb (is_empty (snd r))); [|now apply IH]. constructor; [now apply IH|].
    apply Forall_forall. intros q I. apply in_compile in I as (a & v & I & _ & ->).
    rewrite Forall_forall in *. apply (before_over r (a, v)); auto. }
  apply G; [apply tidy_sorted|]. apply Forall_forall. intros r I. apply in_tidy in I.
  now apply (canonical_of_spelled r rs).
Qed.
Theorem text_decides_by_first_match asked asked' gs path : hash_free_groups gs -> is_path path ->
  verdict File (read (text_for Longest asked gs)) asked' path = verdict Longest gs asked path.
Proof.
  intros H P. rewrite <- (text_decides Longest asked asked' gs path H P). unfold verdict. f_equal. unfold text_for.
  rewrite selected_text, compile_or_empty by apply tidy_fit, selected_hash_free, H.
  apply sorted_first, compile_tidy_sorted.
Qed.

(** Certificates: evidence that two lists of rules answer the same for every path.

    A state is what is left of the rules after some octets of a path.  Evidence is a list of pairs of states, one for
    each list of rules, and says for each octet which pair is next.  The checker below follows every octet from every
    pair, so no path is left out. *)
From Coq Require Import List Bool Arith Lia Permutation.
From Coq Require Import Strings.Byte.
From Model Require Import Octets Pattern Matcher Sort Verdict Redundant Path Lines Groups Url Text.
Import ListNotations.
Open Scope nat_scope.

(** ** What is left of a pattern. *)

(** After an octet: all the ways to go on.  [None] is any octet that the pattern does not name here. *)
Fixpoint step (a : bool) (o : option byte) (p : list item) : list (list item) :=
  match p with
  | [] => if a then [] else [[]]
  | Lit c :: q => match o with Some b => if Byte.eqb c b then [q] else [] | None => [] end
  | Star :: q => p :: step a o q
  end.
Lemma step_spec a b p s : matchb a p (b :: s) = existsb (fun q => matchb a q s) (step a (Some b) p).
Proof.
  induction p as [|[c|] p IH].
  - destruct a, s; reflexivity.
  - simpl. destruct (Byte.eqb c b); simpl; [now rewrite orb_false_r | auto].
  - cbn [step existsb]. rewrite <- IH, <- (star_some a p s), <- (star_some a p (b :: s)). simpl. apply orb_comm.
Qed.

(** The octets that a pattern names here. *)
Fixpoint firsts (p : list item) : list byte :=
  match p with [] => [] | Lit c :: _ => [c] | Star :: q => firsts q end.
Lemma step_other a b p : ~ In b (firsts p) -> step a (Some b) p = step a None p.
Proof.
  induction p as [|[c|] p IH]; simpl; auto; intro N; [|now rewrite IH].
  destruct (Byte.eqb c b) eqn:E; auto. apply eqb_eq in E. tauto.
Qed.

Definition item_eqb (x y : item) : bool :=
  match x, y with Lit b, Lit c => Byte.eqb b c | Star, Star => true | _, _ => false end.
Fixpoint all_eqb {A} (f : A -> A -> bool) (xs ys : list A) : bool :=
  match xs, ys with [], [] => true | x :: xs, y :: ys => f x y && all_eqb f xs ys | _, _ => false end.
Lemma all_eqb_eq {A} (f : A -> A -> bool) xs ys :
  (forall x y, f x y = true -> x = y) -> all_eqb f xs ys = true -> xs = ys.
Proof.
  intro E. revert ys. induction xs as [|x xs IH]; intros [|y ys]; simpl; try easy.
  intro H. apply andb_true_iff in H as [H T]. f_equal; auto.
Qed.
Definition items_eqb := all_eqb item_eqb.
Lemma items_eqb_eq p q : items_eqb p q = true -> p = q.
Proof. apply all_eqb_eq. intros [b|] [c|]; simpl; try easy. intro H. apply eqb_eq in H. congruence. Qed.

(** One way to go on makes another one needless: after a star, a pattern matches all that a longer one with this end
    does. *)
Fixpoint is_end_of (q p : list item) : bool :=
  items_eqb q p || match p with [] => false | _ :: t => is_end_of q t end.
Lemma is_end_of_app q p : is_end_of q p = true -> exists u, p = u ++ q.
Proof.
  induction p as [|i p IH]; simpl; intro H; apply orb_true_iff in H as [H|H]; try easy.
  - exists []. symmetry. now apply items_eqb_eq.
  - exists []. symmetry. now apply items_eqb_eq.
  - destruct (IH H) as [u ->]. now exists (i :: u).
Qed.
Definition covers (p r : list item) : bool := match r with Star :: q => is_end_of q p | _ => items_eqb r p end.
Lemma covers_spec a p r s : covers p r = true -> matchb a p s = true -> matchb a r s = true.
Proof.
  intros C M. destruct r as [|[b|] q]; simpl in C; try now apply items_eqb_eq in C as ->.
  apply matchb_matching in M. apply matchb_matching. apply is_end_of_app in C as [u ->].
  apply matching_app in M as (v & w & -> & _ & W). now constructor.
Qed.
Fixpoint prune (kept rest : list (list item)) : list (list item) :=
  match rest with
  | [] => kept
  | p :: t => if existsb (covers p) (kept ++ t) then prune kept t else prune (kept ++ [p]) t
  end.
Lemma prune_spec a s rest kept :
  existsb (fun q => matchb a q s) (prune kept rest) = existsb (fun q => matchb a q s) (kept ++ rest).
Proof.
  revert kept. induction rest as [|p t IH]; intro kept; simpl; [now rewrite app_nil_r|].
  destruct (existsb (covers p) (kept ++ t)) eqn:E; rewrite IH.
  - apply eq_iff_eq_true. rewrite !existsb_exists. split; intros (q & I & M).
    + exists q. split; auto. apply in_app_iff in I. apply in_app_iff. simpl. tauto.
    + apply in_app_iff in I as [I|[<-|I]]; [exists q; rewrite in_app_iff; auto | | exists q; rewrite in_app_iff; auto].
      apply existsb_exists in E as (r & R & C). exists r. split; auto. eapply covers_spec; eassumption.
  - now rewrite <- app_assoc.
Qed.

(** ** What is left of a rule, and of a list of rules. *)
Record cell := { gives : bool; weight : nat; ends : bool; rests : list (list item) }.
Definition state := list cell.
Definition cell_of (r : rule) : cell :=
  {| gives := allow r; weight := rank r; ends := anchored (pat r); rests := [items (pat r)] |}.
Definition as_rule (c : cell) : rule := {| allow := gives c; rank := weight c; pat := open [] |}.
Definition cell_hit (s : bytes) (c : cell) : bool := existsb (fun q => matchb (ends c) q s) (rests c).
Definition answer (st : state) (s : bytes) : bool := says (strongest (map as_rule (filter (cell_hit s) st))).

(** A cell that hits, however the path goes on. *)
Definition always (c : cell) : bool :=
  existsb (fun q => match q with [] => negb (ends c) | [Star] => true | _ => false end) (rests c).
Lemma always_hits c s : always c = true -> cell_hit s c = true.
Proof.
  unfold always, cell_hit. rewrite !existsb_exists. intros (q & I & H). exists q. split; auto.
  apply matchb_matching. destruct q as [|[b|] [|? ?]]; try easy.
  - apply on_nil. left. now apply negb_true_iff.
  - rewrite <- (app_nil_r s). constructor. destruct (ends c); now constructor.
Qed.
Definition decided (g : bool) (w : nat) : cell := {| gives := g; weight := w; ends := false; rests := [[]] |}.
Definition tidied (c : cell) : cell :=
  if always c then decided (gives c) (weight c)
  else {| gives := gives c; weight := weight c; ends := ends c; rests := prune [] (rests c) |}.
Lemma tidied_hit s c : cell_hit s (tidied c) = cell_hit s c.
Proof.
  unfold tidied. destruct (always c) eqn:A; [rewrite (always_hits c s A); now destruct s | apply prune_spec].
Qed.
Lemma tidied_rule c : as_rule (tidied c) = as_rule c.
Proof. unfold tidied. now destruct (always c). Qed.

Definition advance (o : option byte) (c : cell) : cell := tidied
  {| gives := gives c; weight := weight c; ends := ends c; rests := flat_map (step (ends c) o) (rests c) |}.
Lemma advance_hit b s c : cell_hit s (advance (Some b) c) = cell_hit (b :: s) c.
Proof.
  unfold advance. rewrite tidied_hit. unfold cell_hit. cbn [ends rests].
  induction (rests c) as [|q qs IH]; simpl; auto. now rewrite existsb_app, IH, <- step_spec.
Qed.

(** Cells that cannot decide, or decide nothing new, are left out. *)
Definition undominated (st : state) : state :=
  match strongest (map as_rule (filter always st)) with
  | Some d => decided (allow d) (rank d) :: filter (fun c => negb (beats d (as_rule c))) st
  | None => st
  end.
Fixpoint lightest (st : state) : option nat :=
  match st with
  | [] => None
  | c :: t => if gives c then lightest t
    else Some match lightest t with Some w => Nat.min w (weight c) | None => weight c end
  end.
Definition useful (st : state) : state :=
  match lightest st with Some w => filter (fun c => negb (gives c) || (w <=? weight c)) st | None => [] end.
Definition settled (st : state) : state :=
  match st with
  | c :: _ => if always c && forallb (fun c => negb (gives c)) st then [decided false 0] else st
  | [] => st
  end.
(** Only the order between an Allow and a Disallow is of importance: a weight becomes the number of Allows below it. *)
Definition level (st : state) (c : cell) : cell :=
  {| gives := gives c; weight := length (filter (fun w => w <? weight c) (map weight (filter gives st)));
    ends := ends c; rests := rests c |}.
Definition leveled (st : state) : state := map (level st) st.
Definition alive (c : cell) : bool := match rests c with [] => false | _ => true end.
Definition simple (st : state) : state := leveled (settled (useful (undominated (filter alive st)))).

Lemma says_strongest l : says (strongest l) = true <->
  forall d, In d l -> allow d = false -> exists a, In a l /\ allow a = true /\ rank d <= rank a.
Proof.
  destruct (strongest l) as [r|] eqn:E; simpl.
  - apply strongest_some in E as [I A]. split.
    + intros T d D F. exists r. repeat split; auto. destruct (A d D) as [|[]]; lia.
    + intro N. destruct (allow r) eqn:K; auto. destruct (N r I K) as (a & Ia & T & L).
      destruct (A a Ia) as [|[? [|]]]; [lia | congruence | congruence].
  - apply strongest_none in E as ->. split; [intros _ d [] | auto].
Qed.
Lemma says_fewer l m : (forall q, In q m -> In q l) -> (forall r, In r l -> exists q, In q m /\ over q r) ->
  says (strongest m) = says (strongest l).
Proof.
  intros S A. apply eq_iff_eq_true. rewrite !says_strongest. split; intros N d D F.
  - destruct (A d D) as (q & Q & O). destruct (allow q) eqn:K.
    + exists q. repeat split; auto. destruct O as [|[]]; lia.
    + destruct (N q Q K) as (a & I & T & L). exists a. repeat split; auto. destruct O as [|[]]; lia.
  - destruct (N d (S d D) F) as (a & I & T & L). destruct (A a I) as (q & Q & O).
    destruct (allow q) eqn:K; [exists q; repeat split; auto; destruct O as [|[]]; lia|].
    destruct (N q (S q Q) K) as (b & Ib & Tb & Lb). destruct (A b Ib) as (q' & Q' & O').
    assert (says (strongest l) = true) as T' by now apply says_strongest.
    destruct (strongest l) as [m'|] eqn:E; [|apply strongest_none in E; subst; easy].
    apply strongest_some in E as [M U]. simpl in T'. destruct (A m' M) as (z & Z & Oz). exists z.
    pose proof (U z (S z Z)) as P. pose proof (U d (S d D)) as R.
    repeat split; auto; [|destruct P as [|[]], Oz as [|[]], R as [|[]]; lia].
    destruct Oz as [|[_ [|]]]; [destruct P as [|[]]; lia | auto | congruence].
Qed.

Lemma undominated_spec st s : answer (undominated st) s = answer st s.
Proof.
  unfold undominated. destruct (strongest (map as_rule (filter always st))) as [d|] eqn:E; auto.
  apply strongest_some in E as [I A]. apply in_map_iff in I as (c & <- & I). apply filter_In in I as [I H].
  unfold answer. apply says_fewer.
  - intros q Q. apply in_map_iff in Q as (x & <- & X). apply filter_In in X as [X Hx]. apply in_map_iff.
    destruct X as [<-|X].
    + exists c. split; auto. apply filter_In. split; auto. now apply always_hits.
    + exists x. split; auto. apply filter_In in X as [X _]. now apply filter_In.
  - intros q Q. apply in_map_iff in Q as (x & <- & X). apply filter_In in X as [X Hx].
    destruct (beats (as_rule c) (as_rule x)) eqn:B.
    + exists (as_rule (decided (gives c) (weight c))).
      split; [apply in_map, filter_In; split; [now left | now destruct s]|].
      now apply beats_over in B.
    + exists (as_rule x). split; [|apply over_refl]. apply in_map, filter_In. split; auto. right. apply filter_In.
      split; auto. now rewrite B.
Qed.
Lemma lightest_spec st d : In d st -> gives d = false -> exists w, lightest st = Some w /\ w <= weight d.
Proof.
  induction st as [|c st IH]; simpl; intros I F; [easy|]. destruct I as [->|I].
  - rewrite F. eexists. split; [reflexivity|]. destruct (lightest st); [apply Nat.le_min_r | auto].
  - destruct (IH I F) as (w & -> & L). destruct (gives c); eexists; (split; [reflexivity|]); auto.
    rewrite Nat.le_min_l. exact L.
Qed.
Lemma useful_spec st s : answer (useful st) s = answer st s.
Proof.
  apply eq_iff_eq_true. unfold answer. rewrite !says_strongest. unfold useful.
  split; intros N d D F; apply in_map_iff in D as (c & <- & C); apply filter_In in C as [C Hc]; simpl in F.
  - destruct (lightest_spec st c C F) as (w & E & L). rewrite E in N. destruct (N (as_rule c)) as (a & I & T & K); auto.
    + apply in_map, filter_In. split; auto. apply filter_In. now rewrite F.
    + exists a. repeat split; auto. apply in_map_iff in I as (x & <- & X). apply filter_In in X as [X Hx].
      apply filter_In in X as [X _]. apply in_map, filter_In. auto.
  - destruct (lightest st) as [w|] eqn:E; [|easy]. apply filter_In in C as [C _].
    destruct (N (as_rule c)) as (a & I & T & K); auto; [apply in_map, filter_In; auto|].
    exists a. repeat split; auto. apply in_map_iff in I as (x & <- & X). apply filter_In in X as [X Hx].
    apply in_map, filter_In. split; auto. apply filter_In. split; auto. apply orb_true_iff. right. apply Nat.leb_le.
    destruct (lightest_spec st c C F) as (w' & E' & L). rewrite E in E'. injection E' as <-. simpl in K. lia.
Qed.
Lemma settled_spec st s : answer (settled st) s = answer st s.
Proof.
  unfold settled. destruct st as [|c st]; auto. destruct (always c && _) eqn:E; auto. apply andb_true_iff in E as [A F].
  assert (answer (c :: st) s = false) as ->; [|now destruct s].
  apply not_true_is_false. unfold answer. rewrite says_strongest. intro N. rewrite forallb_forall in F.
  destruct (N (as_rule c)) as (a & I & T & _).
  - apply in_map, filter_In. split; [now left | now apply always_hits].
  - simpl. apply negb_true_iff, F. now left.
  - apply in_map_iff in I as (x & <- & X). apply filter_In in X as [X _]. apply F in X. simpl in T. now rewrite T in X.
Qed.
Lemma fewer_below l v w : v <= w -> length (filter (fun x => x <? v) l) <= length (filter (fun x => x <? w) l).
Proof.
  intro L. induction l as [|x l IH]; simpl; auto. destruct (x <? v) eqn:V, (x <? w) eqn:W; simpl; try lia.
  apply Nat.ltb_lt in V. apply Nat.ltb_ge in W. lia.
Qed.
Lemma more_below l v w : v < w -> In v l -> length (filter (fun x => x <? v) l) < length (filter (fun x => x <? w) l).
Proof.
  intros L. induction l as [|x l IH]; simpl; [easy|]. intros [->|I].
  - rewrite Nat.ltb_irrefl. replace (v <? w) with true by (symmetry; now apply Nat.ltb_lt). simpl.
    apply le_n_S, fewer_below. lia.
  - specialize (IH I). destruct (x <? v) eqn:V, (x <? w) eqn:W; simpl; try lia.
    apply Nat.ltb_lt in V. apply Nat.ltb_ge in W. lia.
Qed.
Lemma level_order st d a : In a st -> gives a = true ->
  weight (level st d) <= weight (level st a) <-> weight d <= weight a.
Proof.
  intros I G. simpl. split; [|apply fewer_below]. intro L. destruct (le_lt_dec (weight d) (weight a)) as [|N]; auto.
  apply (more_below (map weight (filter gives st))) in N; [lia|]. apply in_map, filter_In. auto.
Qed.
Lemma leveled_spec st s : answer (leveled st) s = answer st s.
Proof.
  apply eq_iff_eq_true. unfold answer. rewrite !says_strongest. unfold leveled.
  split; intros N d D F; apply in_map_iff in D as (c & <- & C); apply filter_In in C as [C Hc].
  - destruct (N (as_rule (level st c))) as (a & I & T & L); auto.
    + apply in_map, filter_In. split; auto. now apply in_map.
    + apply in_map_iff in I as (x & <- & X). apply filter_In in X as [X Hx]. apply in_map_iff in X as (y & <- & Y).
      exists (as_rule y). split; [apply in_map, filter_In; auto|]. split; auto. now apply (level_order st c y).
  - apply in_map_iff in C as (y & <- & Y). destruct (N (as_rule y)) as (a & I & T & L); auto.
    + apply in_map, filter_In. auto.
    + apply in_map_iff in I as (x & <- & X). apply filter_In in X as [X Hx]. exists (as_rule (level st x)).
      split; [apply in_map, filter_In; split; auto; now apply in_map|]. split; auto. now apply (level_order st y x).
Qed.
Lemma simple_spec st s : answer (simple st) s = answer st s.
Proof.
  unfold simple. rewrite leveled_spec, settled_spec, useful_spec, undominated_spec. unfold answer. do 3 f_equal.
  induction st as [|c st IH]; auto. cbn [filter]. destruct (alive c) eqn:A; cbn [filter]; rewrite IH; auto.
  unfold alive in A. unfold cell_hit at 2. destruct (rests c); easy.
Qed.

(** ** States. *)
Definition next_state (o : option byte) (st : state) : state := simple (map (advance o) st).
Lemma next_state_spec b st s : answer (next_state (Some b) st) s = answer st (b :: s).
Proof.
  unfold next_state. rewrite simple_spec. unfold answer. do 2 f_equal.
  induction st as [|c st IH]; simpl; auto. rewrite advance_hit. destruct (cell_hit (b :: s) c); simpl; rewrite IH; auto.
  f_equal. unfold advance. now rewrite tidied_rule.
Qed.

(** The octets that a state names.  All others lead to the same state. *)
Definition named_octets (st : state) : list byte := flat_map (fun c => flat_map firsts (rests c)) st.
Lemma next_state_other b st : ~ In b (named_octets st) -> next_state (Some b) st = next_state None st.
Proof.
  intro N. unfold next_state. f_equal. apply map_ext_in. intros c C. unfold advance. do 2 f_equal.
  rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros q Q. apply step_other. intro B. apply N.
  apply in_flat_map. exists c. split; auto. apply in_flat_map. eauto.
Qed.

(** At the beginning, a cell is left out if one that is as strong matches all that it does.  Here a pattern is read as a
    path, on which the other one is tried: its stars can stand for any items, also for stars. *)
Fixpoint inside (e a : bool) (r p : list item) : bool :=
  match r with
  | [] => negb e || a && match p with [] => true | _ => false end
  | Lit b :: r' => match p with Lit c :: p' => Byte.eqb b c && inside e a r' p' | _ => false end
  | Star :: r' => (fix from p := inside e a r' p || match p with [] => false | _ :: p' => from p' end) p
  end.
Lemma inside_spec e a r p s : inside e a r p = true -> matching a p s -> matching e r s.
Proof.
  revert p s. induction r as [|[b|] r IH]; intros p s I M.
  - simpl in I. apply orb_true_iff in I as [I|I]; [apply negb_true_iff in I as ->; now constructor|].
    apply andb_true_iff in I as [-> I]. destruct p; [|easy]. apply on_nil in M as [? | ->]; [easy|].
    destruct e; now constructor.
  - simpl in I. destruct p as [|[c|] p]; try easy. apply andb_true_iff in I as [E I]. apply eqb_eq in E as ->.
    apply on_lit in M as (t & -> & M). constructor. eauto.
  - revert s M. induction p as [|x p IHp]; intros s M; simpl in I; apply orb_true_iff in I as [I|I]; try easy.
    + apply (m_star e r [] s). eauto.
    + apply (m_star e r [] s). eauto.
    + assert (exists u w, s = u ++ w /\ matching a p w) as (u & w & -> & W).
      { destruct x as [b|]; [apply on_lit in M as (t & -> & M); now exists [b], t | now apply on_star in M]. }
      specialize (IHp I w W). apply on_star in IHp as (v & z & -> & Z). rewrite app_assoc. now constructor.
Qed.
(** Each star of a pattern is tried at each place of the other, so only patterns with few stars are tried. *)
Definition few (r : list item) : bool :=
  Nat.leb (length (filter (fun x => match x with Star => true | Lit _ => false end) r)) 3.
Definition within (c d : cell) : bool :=
  forallb (fun p => existsb (fun r => few r && inside (ends d) (ends c) r p) (rests d)) (rests c).
Lemma within_spec c d s : within c d = true -> cell_hit s c = true -> cell_hit s d = true.
Proof.
  unfold within, cell_hit. rewrite forallb_forall, !existsb_exists. intros W (p & P & M). specialize (W p P).
  apply existsb_exists in W as (r & R & I). apply andb_true_iff in I as [_ I]. exists r. split; auto.
  apply matchb_matching in M. apply matchb_matching.
  eauto using inside_spec.
Qed.
Definition replaces (c d : cell) : bool := beats (as_rule d) (as_rule c) && within c d.
Fixpoint lean (kept rest : state) : state :=
  match rest with
  | [] => kept
  | c :: t => if existsb (replaces c) (kept ++ t) then lean kept t else lean (kept ++ [c]) t
  end.
Lemma lean_spec s rest kept : answer (lean kept rest) s = answer (kept ++ rest) s.
Proof.
  revert kept. induction rest as [|c t IH]; intro kept; simpl; [now rewrite app_nil_r|].
  destruct (existsb (replaces c) (kept ++ t)) eqn:E; rewrite IH; [|now rewrite <- app_assoc].
  apply existsb_exists in E as (d & D & R). apply andb_true_iff in R as [B W]. unfold answer. apply says_fewer.
  - intros q Q. apply in_map_iff in Q as (x & <- & X). apply filter_In in X as [X Hx]. apply in_map, filter_In.
    split; auto. apply in_app_iff in X. apply in_app_iff. simpl. tauto.
  - intros q Q. apply in_map_iff in Q as (x & <- & X). apply filter_In in X as [X Hx].
    assert (x = c \/ In x (kept ++ t)) as [->|Y].
    { apply in_app_iff in X. rewrite in_app_iff. simpl in X. destruct X as [|[->|]]; auto. }
    + exists (as_rule d). split; [|now apply beats_over]. apply in_map, filter_In. eauto using within_spec.
    + exists (as_rule x). split; [|apply over_refl]. apply in_map, filter_In. auto.
Qed.

(** Rules in one order, so that lists with the same rules begin in the same state. *)
Fixpoint items_before (p q : list item) : bool :=
  match p, q with
  | [], _ => true
  | _ :: _, [] => false
  | Star :: p, Star :: q => items_before p q
  | Star :: _, Lit _ :: _ => true
  | Lit _ :: _, Star :: _ => false
  | Lit b :: p, Lit c :: q => if Byte.eqb b c then items_before p q else octet_before b c
  end.
Definition same_pattern (p q : rule) : bool :=
  Bool.eqb (anchored (pat p)) (anchored (pat q)) && items_eqb (items (pat p)) (items (pat q)).
Definition rule_before (p q : rule) : bool :=
  (rank q <? rank p) || ((rank q =? rank p) && (if items_eqb (items (pat p)) (items (pat q)) then
    if Bool.eqb (anchored (pat p)) (anchored (pat q)) then allow p else anchored (pat p)
    else items_before (items (pat p)) (items (pat q)))).
(** Each pattern once, [text.once]: the first of those that stand together. *)
Fixpoint squeezed (last : option rule) (rs : list rule) : list rule :=
  match rs with
  | [] => []
  | r :: t => match last with
    | Some p => if same_pattern p r && beats p r then squeezed last t else r :: squeezed (Some r) t
    | None => r :: squeezed (Some r) t
    end
  end.
Lemma squeezed_in last rs r : In r (squeezed last rs) -> In r rs.
Proof.
  revert last. induction rs as [|q rs IH]; intros last; simpl; auto.
  destruct last as [p|]; [destruct (_ && _)|]; simpl; intuition eauto.
Qed.
Lemma squeezed_spec last rs r : In r rs -> exists q, (In q (squeezed last rs) \/ last = Some q) /\ over q r /\
  forall s, hits r s -> hits q s.
Proof.
  revert last. induction rs as [|x rs IH]; intros last; [easy|]. intros [->|I]; simpl.
  - assert (exists q, q = r /\ over q r /\ forall s, hits r s -> hits q s) as (q & -> & O & H)
      by (exists r; auto using over_refl).
    destruct last as [p|]; [destruct (same_pattern p r && beats p r) eqn:E|];
      [|exists r; simpl; auto|exists r; simpl; auto].
    apply andb_true_iff in E as [E B]. exists p. split; auto. split; [now apply beats_over|]. intro s.
    unfold same_pattern in E. apply andb_true_iff in E as [E F]. apply eqb_prop in E. apply items_eqb_eq in F.
    unfold hits, matches. now rewrite E, F.
  - destruct last as [p|]; [destruct (_ && _)|]; [apply (IH _ I)| |];
      destruct (IH (Some x) I) as (q & [Q|[= <-]] & R); [exists q|exists x|exists q|exists x]; simpl; auto.
Qed.
Definition start (rs : list rule) : state := map cell_of (squeezed None (sort rule_before rs)).
Lemma start_spec rs s : answer (start rs) s = longest rs s.
Proof.
  rewrite <- (permuted_rules _ _ s (sort_perm rule_before rs)). unfold start. generalize (sort rule_before rs) as m.
  intro m. transitivity (longest (squeezed None m) s).
  2: { apply absorbed; [intros q; apply squeezed_in|]. intros r I H.
    destruct (squeezed_spec None m r I) as (q & [Q|] & O & M); [eauto | easy]. }
  generalize (squeezed None m) as l. intro l. unfold answer, longest. apply eq_iff_eq_true. rewrite !says_strongest.
  assert (forall r, cell_hit s (cell_of r) = hitb r s) as H.
  { intro r. unfold cell_hit, cell_of, hitb. simpl. now rewrite orb_false_r, fast_matchb. }
  assert (forall x, In x (map as_rule (filter (cell_hit s) (map cell_of l))) <->
    exists r, In r (filter (fun r => hitb r s) l) /\ x = as_rule (cell_of r)) as I.
  { intro x. rewrite in_map_iff. split.
    - intros (c & <- & C). apply filter_In in C as [C Hc]. apply in_map_iff in C as (r & <- & R). exists r.
      rewrite filter_In, <- H. auto.
    - intros (r & R & ->). apply filter_In in R as [R Hr]. exists (cell_of r). rewrite filter_In, H.
      repeat split; auto. now apply in_map. }
  split; intros N d D F.
  - destruct (N (as_rule (cell_of d))) as (a & Ia & T & L); auto; [apply I; eauto|].
    apply I in Ia as (r & R & ->). exists r. auto.
  - apply I in D as (r & R & ->). destruct (N r R F) as (a & Ia & T & L). exists (as_rule (cell_of a)).
    repeat split; auto. apply I. eauto.
Qed.

(** After the first octet of a path, which is a slash. *)
Definition first_state (rs : list rule) : state := lean [] (next_state (Some slash) (start rs)).
Lemma first_state_spec rs s : answer (first_state rs) s = longest rs (slash :: s).
Proof. unfold first_state. rewrite lean_spec. cbn [app]. now rewrite next_state_spec, start_spec. Qed.

Definition cell_eqb (c d : cell) : bool :=
  Bool.eqb (gives c) (gives d) && (weight c =? weight d) && Bool.eqb (ends c) (ends d)
  && all_eqb items_eqb (rests c) (rests d).
Definition state_eqb := all_eqb cell_eqb.
Lemma state_eqb_eq st su : state_eqb st su = true -> st = su.
Proof.
  apply all_eqb_eq. intros [g w e r] [g' w' e' r']. unfold cell_eqb. cbn. rewrite !andb_true_iff, Nat.eqb_eq.
  intros (((G & ->) & E) & R). apply eqb_prop in G, E. apply (all_eqb_eq _ _ _ items_eqb_eq) in R. congruence.
Qed.

(** ** Evidence.  [get] gives the pair with a number and the numbers of the next pairs: one for each octet that the pair
    names, in this order, and one for all others. *)
Record pair := { left : state; right : state; followers : list nat }.
Definition ways (l r : state) : list (option byte) :=
  map Some (nodup byte_eq_dec (named_octets l ++ named_octets r)) ++ [None].

Section Check.
  Variables (get : nat -> option pair) (count : nat).
  Fixpoint follow (l r : state) (os : list (option byte)) (js : list nat) : bool :=
    match os, js with
    | [], [] => true
    | o :: os, j :: js =>
      (j <? count) && match get j with
        | Some p => state_eqb (next_state o l) (left p) && state_eqb (next_state o r) (right p)
        | None => false
        end && follow l r os js
    | _, _ => false
    end.
  Definition good (i : nat) : bool :=
    match get i with
    | Some p => state_eqb (left p) (right p)
      || Bool.eqb (answer (left p) []) (answer (right p) [])
         && follow (left p) (right p) (ways (left p) (right p)) (followers p)
    | None => false
    end.
  Definition begins (xs ys : list rule) : bool :=
    (0 <? count) && match get 0 with
      | Some p => state_eqb (first_state xs) (left p) && state_eqb (first_state ys) (right p)
      | None => false
      end.
  Definition check (xs ys : list rule) : bool := begins xs ys && forallb good (seq 0 count).

  Lemma follow_in l r os js o : follow l r os js = true -> In o os ->
    exists j p, j < count /\ get j = Some p /\ next_state o l = left p /\ next_state o r = right p.
  Proof.
    revert js. induction os as [|o' os IH]; intros [|j js] F I; simpl in F; try easy.
    apply andb_true_iff in F as [F G]. apply andb_true_iff in F as [C F]. apply Nat.ltb_lt in C.
    destruct I as [->|I]; [|eauto]. destruct (get j) as [p|] eqn:E; [|easy]. apply andb_true_iff in F as [L R].
    exists j, p. auto using state_eqb_eq.
  Qed.
  Lemma way b l r : exists o, In o (ways l r) /\ next_state (Some b) l = next_state o l /\
    next_state (Some b) r = next_state o r.
  Proof.
    unfold ways. destruct (in_dec byte_eq_dec b (named_octets l ++ named_octets r)) as [I|N].
    - exists (Some b). split; auto. apply in_app_iff. left. now apply in_map, nodup_In.
    - exists None. rewrite in_app_iff in N. rewrite !next_state_other; auto. split; auto. apply in_app_iff. simpl. auto.
  Qed.
  Lemma good_answers s : forallb good (seq 0 count) = true -> forall i p, i < count -> get i = Some p ->
    answer (left p) s = answer (right p) s.
  Proof.
    intro G. rewrite forallb_forall in G. induction s as [|b s IH]; intros i p I E;
      (assert (good i = true) as H by (apply G, in_seq; lia)); unfold good in H; rewrite E in H;
      apply orb_true_iff in H as [H|H]; try (now apply state_eqb_eq in H as ->); apply andb_true_iff in H as [A F].
    - now apply eqb_prop.
    - destruct (way b (left p) (right p)) as (o & O & L & R).
      destruct (follow_in _ _ _ _ o F O) as (j & q & J & Q & L' & R').
      rewrite <- !next_state_spec, L, R, L', R'. eauto.
  Qed.

  (** [report.exact]: evidence that is accepted shows that two lists of rules answer the same for every path. *)
  Theorem check_sound xs ys s : check xs ys = true -> is_path s -> longest xs s = longest ys s.
  Proof.
    intros C [t ->]. apply andb_true_iff in C as [B G]. unfold begins in B. apply andb_true_iff in B as [Z B].
    apply Nat.ltb_lt in Z. destruct (get 0) as [p|] eqn:E; [|easy]. apply andb_true_iff in B as [L R].
    apply state_eqb_eq in L, R. rewrite <- !first_state_spec, L, R. eauto using good_answers.
  Qed.

  (** So do two files, for these crawlers and every URL. *)
  Theorem certified gs hs asked url : check (rules_for gs asked) (rules_for hs asked) = true ->
    may_fetch Longest gs asked url = may_fetch Longest hs asked url.
  Proof.
    intro C. rewrite <- !by_rules_may_fetch. unfold by_rules. f_equal. apply check_sound; auto.
    apply path_target, path_of_is_path.
  Qed.
End Check.

(** Verdicts: RFC 9309, 2.2.2. *)
From Coq Require Import List Bool Arith Lia Permutation Sorted.
From Model Require Import Octets Pattern Matcher Sort.
Import ListNotations.

Record rule := { allow : bool; rank : nat; pat : pattern }.
Definition hits (r : rule) (s : bytes) := matches (pat r) s.
Definition hitb (r : rule) (s : bytes) := fast (anchored (pat r)) (items (pat r)) s.
Lemma hitb_hits r s : hitb r s = true <-> hits r s.
Proof. unfold hitb. rewrite fast_matchb. apply does_match_matches. Qed.

(** [rule.longest] [rule.tie], as the sentence: "The most specific match found MUST be used. The most specific match is
    the match that has the most octets. [...] If an allow rule and a disallow rule are equivalent, then the allow rule
    SHOULD be used."  A rule decides if it matches and no rule that matches has more octets. *)
Definition decides (rs : list rule) (s : bytes) (r : rule) :=
  In r rs /\ hits r s /\ forall q, In q rs -> hits q s -> rank q <= rank r.
Definition permits (rs : list rule) (s : bytes) :=
  (forall r, In r rs -> ~ hits r s) \/ exists r, decides rs s r /\ allow r = true.

(** The same in one line, which all proofs use: no Disallow matches but an Allow with as many octets does. *)
Definition answered (rs : list rule) (s : bytes) :=
  forall d, In d rs -> allow d = false -> hits d s ->
  exists a, In a rs /\ allow a = true /\ hits a s /\ rank d <= rank a.

(** The functions.  The stronger of two: more octets, then Allow. *)
Definition beats (p q : rule) : bool :=
  (rank q <? rank p) || ((rank q =? rank p) && (allow p || negb (allow q))).
Fixpoint strongest (rs : list rule) : option rule :=
  match rs with
  | [] => None
  | r :: rs => match strongest rs with Some q => Some (if beats r q then r else q) | None => Some r end
  end.
Definition says (o : option rule) : bool := match o with Some r => allow r | None => true end.
Definition longest (rs : list rule) (s : bytes) : bool := says (strongest (filter (fun r => hitb r s) rs)).
Definition first (rs : list rule) (s : bytes) : bool := says (find (fun r => hitb r s) rs).

Lemma strongest_none rs : strongest rs = None -> rs = [].
Proof. destruct rs; simpl; auto. destruct (strongest rs); discriminate. Qed.

Definition over (p q : rule) := rank q < rank p \/ rank q = rank p /\ (allow p = true \/ allow q = false).
Lemma beats_over p q : beats p q = true <-> over p q.
Proof.
  unfold beats, over.
  rewrite orb_true_iff, andb_true_iff, orb_true_iff, negb_true_iff, Nat.ltb_lt, Nat.eqb_eq. tauto.
Qed.
Lemma over_total p q : over p q \/ over q p.
Proof. unfold over. destruct (lt_eq_lt_dec (rank p) (rank q)) as [[|]|], (allow p), (allow q); auto. Qed.
Lemma over_trans p q r : over p q -> over q r -> over p r.
Proof. unfold over. intros [?|[? [?|?]]] [?|[? [?|?]]]; try (left; lia); right; split; try lia; auto; congruence. Qed.
Lemma over_refl p : over p p.
Proof. destruct (over_total p p); auto. Qed.

Lemma strongest_some rs r : strongest rs = Some r -> In r rs /\ forall q, In q rs -> over r q.
Proof.
  revert r. induction rs as [|x rs IH]; simpl; [discriminate|]. intro r.
  destruct (strongest rs) as [y|] eqn:E; intro H; injection H as <-.
  - destruct (IH y eq_refl) as [I A]. destruct (beats x y) eqn:B.
    + apply beats_over in B. split; auto. intros q [<-|K]; [apply over_refl|]. eauto using over_trans.
    + split; auto. intros q [<-|K]; auto. destruct (over_total y x) as [O|O]; auto.
      apply beats_over in O. congruence.
  - apply strongest_none in E as ->. split; auto. intros q [<-|[]]. apply over_refl.
Qed.

Lemma on_filter rs s r : In r (filter (fun r => hitb r s) rs) <-> In r rs /\ hits r s.
Proof. rewrite filter_In, hitb_hits. reflexivity. Qed.

Lemma longest_answered rs s : longest rs s = true <-> answered rs s.
Proof.
  unfold longest. destruct (strongest _) as [r|] eqn:E; simpl.
  - apply strongest_some in E as [I A]. apply on_filter in I as [I H]. split.
    + intros T d D F M. exists r. repeat split; auto.
      destruct (A d) as [?|[? _]]; [now apply on_filter | lia | lia].
    + intro N. destruct (allow r) eqn:K; auto. destruct (N r I K H) as (a & Ia & Ta & Ha & L).
      destruct (A a) as [?|[? [?|?]]]; [now apply on_filter | lia | congruence | congruence].
  - apply strongest_none in E. split; auto. intros _ d D _ M.
    assert (In d []) as [] by (rewrite <- E; now apply on_filter).
Qed.

Theorem permits_answered rs s : permits rs s <-> answered rs s.
Proof.
  split.
  - intros [N | (r & (I & H & A) & T)] d D F M; [now apply N in M|]. exists r. auto.
  - intro N. unfold permits. destruct (strongest (filter (fun r => hitb r s) rs)) as [r|] eqn:E.
    + apply strongest_some in E as [I A]. apply on_filter in I as [I H]. right. exists r. split.
      * repeat split; auto. intros q Q M. destruct (A q) as [?|[? _]]; [now apply on_filter | lia | lia].
      * apply longest_answered in N. unfold longest in N.
        destruct (allow r) eqn:K; auto. apply longest_answered in N. destruct (N r I K H) as (a & Ia & Ta & Ha & L).
        destruct (A a) as [?|[? [?|?]]]; [now apply on_filter | lia | congruence | congruence].
    + apply strongest_none in E. left. intros r I M.
      assert (In r []) as [] by (rewrite <- E; now apply on_filter).
Qed.

(** The order of rules does not matter under the longest match, nor do repeated rules. *)
Theorem order_of_rules rs qs s : (forall r, In r rs <-> In r qs) -> longest rs s = longest qs s.
Proof.
  intro E. apply eq_iff_eq_true. rewrite !longest_answered. unfold answered.
  split; intros N d D F M; apply E in D; destruct (N d D F M) as (a & Ia & R); exists a; split; auto; now apply E.
Qed.
Lemma permuted_rules rs qs s : Permutation rs qs -> longest rs s = longest qs s.
Proof. intro P. apply order_of_rules. intro r. split; apply Permutation_in; auto using Permutation_sym. Qed.

(** [text.order]: sorted by precedence, the first match is the longest match. *)
Lemma sorted_first rs s : StronglySorted over rs -> first rs s = longest rs s.
Proof.
  intro S. apply eq_iff_eq_true. rewrite longest_answered. unfold first.
  induction S as [|r rs S IH A]; simpl.
  - split; auto. intros _ d [].
  - destruct (hitb r s) eqn:H; simpl.
    + apply hitb_hits in H. rewrite Forall_forall in A. split.
      * intros T d [<-|D] F M; [congruence|]. exists r. repeat split; simpl; auto. destruct (A d D) as [?|[? _]]; lia.
      * intro N. destruct (allow r) eqn:K; auto. destruct (N r) as (a & [<-|I] & T & Ha & L); simpl; auto;
          [congruence|].
        destruct (A a I) as [?|[? [?|?]]]; [lia | congruence | congruence].
    + assert (~ hits r s) as X by (rewrite <- hitb_hits; congruence). rewrite IH. unfold answered. split.
      * intros N d [<-|D] F M; [contradiction|]. destruct (N d D F M) as (a & I & R). exists a. simpl. auto.
      * intros N d D F M. destruct (N d) as (a & [<-|I] & T & Ha & L); simpl; auto; [contradiction|]. exists a. auto.
Qed.

Lemma sorted_over rs : sorted beats rs -> StronglySorted over rs.
Proof.
  induction 1 as [|r rs S IH F]; constructor; auto. eapply Forall_impl; [|exact F]. intros q. apply beats_over.
Qed.
Theorem first_match_testers rs s : first (sort beats rs) s = longest rs s.
Proof.
  rewrite sorted_first.
  - apply permuted_rules, sort_perm.
  - apply sorted_over, sort_sorted; intros *; rewrite !beats_over; [apply over_total | apply over_trans].
Qed.

(** The portable form: rules that are left out or spelled otherwise change no verdict. *)
From Coq Require Import List Bool Arith Lia.
From Model Require Import Octets Pattern Matcher Verdict Losses.
Import ListNotations.

Definition equivalent (qs rs : list rule) := forall s, longest qs s = longest rs s.

Lemma both_ways qs rs : permits_subset qs rs -> permits_subset rs qs -> equivalent qs rs.
Proof. intros A B s. apply eq_iff_eq_true. split; auto. Qed.

Definition without := fun xs (r : rule) ys => equivalent (xs ++ ys) (xs ++ r :: ys).
Lemma in_without (xs : list rule) r ys q : In q (xs ++ r :: ys) <-> q = r \/ In q (xs ++ ys).
Proof. rewrite !in_app_iff. simpl. intuition congruence. Qed.

(** A stronger rule of either kind contains it: it cannot decide, or decides the same. *)
Theorem drop_contained xs r ys q : In q (xs ++ ys) -> contains (pat q) (pat r) -> over q r -> without xs r ys.
Proof.
  intros I C O s. apply eq_iff_eq_true. rewrite !longest_answered. unfold answered. split; intros N d D F M.
  - apply in_without in D as [->|D].
    + destruct (allow q) eqn:K.
      * exists q. rewrite in_without. repeat split; auto; [now apply C | destruct O as [?|[? _]]; lia].
      * destruct (N q I K) as (a & Ia & T & Ha & L); [now apply C|]. exists a. rewrite in_without.
        repeat split; auto. destruct O as [?|[? _]]; lia.
    + destruct (N d D F M) as (a & Ia & R). exists a. rewrite in_without. auto.
  - destruct (N d) as (a & Ia & T & Ha & L); auto; [now apply in_without; right|].
    apply in_without in Ia as [->|Ia]; [|exists a; auto].
    (* the Allow that answers is the one left out *)
    destruct (allow q) eqn:K.
    + exists q. repeat split; auto; [now apply C | destruct O as [?|[? _]]; lia].
    + destruct (N q) as (b & Ib & Tb & Hb & Lb); [now apply in_without; right | auto | now apply C|].
      destruct O as [O|[O [?|?]]]; try congruence.
      apply in_without in Ib as [->|Ib]; [lia|]. exists b. repeat split; auto. lia.
Qed.

(** A weaker rule of its own kind contains it, and no overlapping rule of the other kind ranks between. *)
Definition overlap p q := exists s, matches p s /\ matches q s.
Theorem drop_replaced xs r ys q :
  In q (xs ++ ys) -> allow q = allow r -> contains (pat q) (pat r) -> rank q <= rank r ->
  (forall o, In o (xs ++ ys) -> allow o <> allow r -> overlap (pat o) (pat r) -> ~ (over o q /\ over r o)) ->
  without xs r ys.
Proof.
  intros I K C L B s. apply eq_iff_eq_true. rewrite !longest_answered. unfold answered. split; intros N d D F M.
  - apply in_without in D as [->|D].
    + destruct (N q I) as (a & Ia & T & Ha & J); [congruence | now apply C |].
      exists a. rewrite in_without. repeat split; auto.
      destruct (le_lt_dec (rank r) (rank a)); auto. exfalso. apply (B a); [auto | congruence | now exists s |].
      unfold over. split; [|lia]. rewrite T. destruct (Nat.eq_dec (rank a) (rank q)); auto; lia.
    + destruct (N d D F M) as (a & Ia & R). exists a. rewrite in_without. auto.
  - destruct (N d) as (a & Ia & T & Ha & J); auto; [now apply in_without; right|].
    apply in_without in Ia as [->|Ia]; [|exists a; auto].
    exists q. repeat split; auto; [congruence | now apply C|].
    destruct (le_lt_dec (rank d) (rank q)); auto. exfalso. apply (B d); [auto | congruence | now exists s |].
    unfold over. split; [lia|]. destruct (Nat.eq_dec (rank r) (rank d)); auto; lia.
Qed.

(** An Allow that overlaps no weaker Disallow. *)
Theorem drop_idle_allow xs r ys : allow r = true ->
  (forall d, In d (xs ++ ys) -> allow d = false -> rank d <= rank r -> ~ overlap (pat d) (pat r)) -> without xs r ys.
Proof.
  intros T B. apply both_ways; [now apply lost_allow|]. intro s. rewrite !longest_answered. intros N d D F M.
  destruct (N d) as (a & Ia & U & Ha & L); auto; [now apply in_without; right|].
  apply in_without in Ia as [->|Ia]; [|exists a; auto]. exfalso. apply (B d); auto. now exists s.
Qed.

(** [portable.stars]: another spelling with another rank is neutral if no overlapping rule of the other kind ranks
    between. *)
Theorem respell xs r r' ys :
  allow r' = allow r -> (forall s, hits r s <-> hits r' s) ->
  (forall o, In o (xs ++ ys) -> allow o <> allow r -> overlap (pat o) (pat r) -> (over o r <-> over o r')) ->
  equivalent (xs ++ r :: ys) (xs ++ r' :: ys).
Proof.
  intros K H B s. apply eq_iff_eq_true. rewrite !longest_answered. unfold answered.
  assert (forall x y, allow y = allow x -> (forall s, hits x s <-> hits y s) ->
    (forall o, In o (xs ++ ys) -> allow o <> allow x -> overlap (pat o) (pat x) -> (over o x <-> over o y)) ->
    answered (xs ++ x :: ys) s -> answered (xs ++ y :: ys) s) as W.
  { clear. intros x y K H B N d D F M. apply in_without in D as [->|D].
    - destruct (N x) as (a & Ia & T & Ha & L); [now apply in_without; left | congruence | now apply H|].
      exists a. rewrite in_without. apply in_without in Ia as [->|Ia]; [congruence|]. repeat split; auto.
      destruct (B a Ia) as [U _]; [congruence | exists s; split; [auto | now apply H] |].
      destruct U as [?|[? _]]; [|lia|lia]. unfold over. rewrite T. destruct (Nat.eq_dec (rank x) (rank a)); auto; lia.
    - destruct (N d) as (a & Ia & T & Ha & L); auto; [now apply in_without; right|].
      apply in_without in Ia as [->|Ia]; [|exists a; rewrite in_without; auto].
      exists y. rewrite in_without. repeat split; auto; [congruence | now apply H|].
      destruct (le_lt_dec (rank d) (rank y)); auto. exfalso.
      destruct (B d D) as [_ U]; [congruence | exists s; auto |].
      destruct U as [?|[? [?|?]]]; [now left | lia | congruence | congruence]. }
  split; apply W; auto.
  - intro t. symmetry. apply H.
  - intros o I N (t & P & Q). symmetry. apply B; [auto | congruence |]. exists t. split; auto. now apply H.
Qed.

(** One rule as several: `*/x` as `/x` and `/*/x` ([star_halves]). *)
Theorem respell_many xs r zs ys s : (forall z, In z zs -> allow z = allow r) ->
  (hits r s <-> exists z, In z zs /\ hits z s) ->
  (forall o z, In o (xs ++ ys) -> In z zs -> allow o <> allow r -> hits o s -> hits z s -> (over o r <-> over o z)) ->
  longest (xs ++ r :: ys) s = longest (xs ++ zs ++ ys) s.
Proof.
  intros K H B. apply eq_iff_eq_true. rewrite !longest_answered. unfold answered.
  assert (forall q, In q (xs ++ zs ++ ys) <-> In q zs \/ In q (xs ++ ys)) as E.
  { intro q. rewrite !in_app_iff. tauto. }
  split; intros N d D F M.
  - apply E in D as [D|D].
    + destruct (N r) as (a & Ia & T & Ha & L); [now apply in_without; left | now rewrite <- (K d D) | apply H; eauto |].
      apply in_without in Ia as [->|Ia]; [rewrite (K d D) in F; congruence|]. exists a. rewrite E.
      repeat split; auto. destruct (B a d) as [U _]; auto; [rewrite <- (K d D); congruence|].
      destruct U as [|[]]; [unfold over; rewrite T; destruct (Nat.eq_dec (rank r) (rank a)); auto; lia | lia | lia].
    + destruct (N d) as (a & Ia & T & Ha & L); auto; [now apply in_without; right|].
      apply in_without in Ia as [->|Ia]; [|exists a; rewrite E; auto].
      apply H in Ha as (z & Z & Hz). exists z. rewrite E, (K z Z). repeat split; auto.
      destruct (le_lt_dec (rank d) (rank z)); auto. exfalso.
      destruct (B d z) as [_ U]; auto; [congruence|].
      destruct U as [|[? [|]]]; [now left | lia | congruence | congruence].
  - apply in_without in D as [->|D].
    + apply H in M as (z & Z & Hz).
      destruct (N z) as (a & Ia & T & Ha & L); [now apply E; left | now rewrite K | auto |].
      apply E in Ia as [Ia|Ia]; [rewrite (K a Ia) in T; congruence|]. exists a. rewrite in_without.
      repeat split; auto. destruct (B a z) as [_ U]; auto; [congruence|].
      destruct U as [|[]]; [unfold over; rewrite T; destruct (Nat.eq_dec (rank z) (rank a)); auto; lia | lia | lia].
    + destruct (N d) as (a & Ia & T & Ha & L); auto; [now apply E; right|].
      apply E in Ia as [Ia|Ia]; [|exists a; rewrite in_without; auto].
      exists r. rewrite in_without, <- (K a Ia). repeat split; auto; [apply H; eauto|].
      destruct (le_lt_dec (rank d) (rank r)); auto. exfalso. rewrite (K a Ia) in T.
      destruct (B d a) as [U _]; auto; [congruence|].
      destruct U as [|[? [|]]]; [now left | lia | congruence | rewrite (K a Ia) in *; congruence].
Qed.

(** [text.stars]: a shorter run of stars is another spelling. *)
Theorem shorter_run xs r r' ys p q : allow r' = allow r -> anchored (pat r') = anchored (pat r) ->
  items (pat r) = p ++ Star :: Star :: q -> items (pat r') = p ++ Star :: q ->
  (forall o, In o (xs ++ ys) -> allow o <> allow r -> overlap (pat o) (pat r) -> (over o r <-> over o r')) ->
  equivalent (xs ++ r :: ys) (xs ++ r' :: ys).
Proof.
  intros K A I J. apply respell; auto. intro s. unfold hits, matches. rewrite A, I, J. apply (star_star _ p q s).
Qed.

(** Many at a time: rules can be left out if for each of them that matches a path, one stays that matches it too and is
    as strong. *)
Theorem absorbed qs rs s : (forall q, In q qs -> In q rs) ->
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

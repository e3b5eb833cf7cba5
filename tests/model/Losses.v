(** What a lost or a cut rule changes: the direction in the report is true. *)
From Coq Require Import List Bool Arith Lia.
From Model Require Import Octets Pattern Matcher Verdict.
Import ListNotations.

Definition permits_subset (qs rs : list rule) := forall s, longest qs s = true -> longest rs s = true.

(** One lemma for all: each Disallow is covered by one that no remaining Allow outranks alone, and no Allow is new. *)
Lemma restricts qs rs :
  (forall a, In a qs -> allow a = true -> In a rs) ->
  (forall d, In d rs -> allow d = false -> exists e, In e qs /\ allow e = false /\ contains (pat e) (pat d) /\
     forall a, In a qs -> allow a = true -> rank e <= rank a -> rank d <= rank a) ->
  permits_subset qs rs.
Proof.
  intros A D s. rewrite !longest_answered. intros N d I F M.
  destruct (D d I F) as (e & J & G & C & K). destruct (N e J G) as (a & P & T & Ha & L); [now apply C|].
  exists a. auto 6.
Qed.

Theorem lost_allow xs a ys : allow a = true -> permits_subset (xs ++ ys) (xs ++ a :: ys).
Proof.
  intros T. apply restricts.
  - intros b I _. apply in_app_iff in I. apply in_app_iff. simpl. tauto.
  - intros d I F. exists d. apply in_app_iff in I. simpl in I.
    repeat split; auto; [|now intros ? ?]. apply in_app_iff. destruct I as [|[->|]]; auto. congruence.
Qed.

Theorem lost_disallow xs d ys : allow d = false -> permits_subset (xs ++ d :: ys) (xs ++ ys).
Proof.
  intros T. apply restricts.
  - intros b I K. apply in_app_iff in I. simpl in I. apply in_app_iff. destruct I as [|[->|]]; auto. congruence.
  - intros e I F. exists e. apply in_app_iff in I. repeat split; auto; [|now intros ? ?]. apply in_app_iff. simpl.
      tauto.
Qed.

(** Any number of them at the same time: each Allow that is left is one of the file, and each Disallow of the file is
    left.  And the other way round. *)
Theorem lost_allows qs rs : (forall a, In a qs -> allow a = true -> In a rs) ->
  (forall d, In d rs -> allow d = false -> In d qs) -> permits_subset qs rs.
Proof. intros A D. apply restricts; auto. intros d I F. exists d. repeat split; auto. now intros ? ?. Qed.
Theorem lost_disallows qs rs : (forall a, In a rs -> allow a = true -> In a qs) ->
  (forall d, In d qs -> allow d = false -> In d rs) -> permits_subset rs qs.
Proof. intros A D. now apply lost_allows. Qed.

(** Losses of several kinds add up. *)
Theorem losses_add_up ps qs rs : permits_subset ps qs -> permits_subset qs rs -> permits_subset ps rs.
Proof. intros A B s H. auto. Qed.

(** [over-limit.widen]: a Disallow is cut, and each Allow that ranks from the cut rule up to the whole one is left
    out. *)
Definition cut (d : rule) (n : nat) (k : nat) : rule := {| allow := false; rank := k;
  pat := open (firstn n (items (pat d))) |}.
Definition widened (rs : list rule) (d : rule) (n k : nat) : list rule :=
  cut d n k :: filter (fun r => negb (allow r && (k <=? rank r) && (rank r <? rank d))) rs.

Theorem widen_permits_subset xs d ys n k : allow d = false -> permits_subset (widened (xs ++ ys) d n k) (xs ++ d :: ys).
Proof.
  intros F. apply restricts; unfold widened.
  - intros a [<-|I] T; [discriminate|]. apply filter_In in I as [I _]. apply in_app_iff in I. apply in_app_iff. simpl.
      tauto.
  - intros e I G. apply in_app_iff in I. simpl in I. assert (e = d \/ In e (xs ++ ys)) as [->|J].
    { rewrite in_app_iff. destruct I as [|[->|]]; auto. }
    + exists (cut d n k). repeat split; simpl; auto.
      * destruct (pat d) as [p a] eqn:E. simpl. rewrite <- (firstn_skipn n p) at 2. apply cut_contains.
      * intros a [<-|J] T L; [discriminate|]. apply filter_In in J as [_ J].
        rewrite T in J. simpl in J. apply negb_true_iff, andb_false_iff in J.
        rewrite Nat.leb_gt, Nat.ltb_ge in J. lia.
    + exists e. repeat split; auto; [|now intros ? ?]. right. apply filter_In. split; auto. now rewrite G.
Qed.

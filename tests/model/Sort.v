(** Sorting by insertion, for any order that is total and transitive. *)
From Coq Require Import List Bool Permutation Sorted.
Import ListNotations.

Section Sort.
  Context {A : Type} (before : A -> A -> bool).

  Fixpoint insert (r : A) (rs : list A) : list A :=
    match rs with [] => [r] | q :: qs => if before r q then r :: rs else q :: insert r qs end.
  Fixpoint sort (rs : list A) : list A := match rs with [] => [] | r :: rs => insert r (sort rs) end.
  Definition sorted := StronglySorted (fun p q => before p q = true).

  Lemma insert_perm r rs : Permutation (insert r rs) (r :: rs).
  Proof.
    induction rs as [|q qs IH]; simpl; auto. destruct (before r q); auto. rewrite IH. apply perm_swap.
  Qed.
  Lemma sort_perm rs : Permutation (sort rs) rs.
  Proof. induction rs; simpl; auto. rewrite insert_perm. auto. Qed.
  Lemma in_sort r rs : In r (sort rs) <-> In r rs.
  Proof. split; apply Permutation_in; auto using Permutation_sym, sort_perm. Qed.

  Hypothesis total : forall p q, before p q = true \/ before q p = true.
  Hypothesis transitive : forall p q r, before p q = true -> before q r = true -> before p r = true.

  Lemma insert_sorted r rs : sorted rs -> sorted (insert r rs).
  Proof.
    induction 1 as [|q qs S IH F]; simpl; [repeat constructor|]. destruct (before r q) eqn:B.
    - constructor; [now constructor|]. constructor; auto. eapply Forall_impl; [|exact F].
      intros x. cbv beta. eauto.
    - constructor; auto. eapply Permutation_Forall; [symmetry; apply insert_perm|]. constructor; auto.
      destruct (total q r); congruence.
  Qed.
  Lemma sort_sorted rs : sorted (sort rs).
  Proof. induction rs; simpl; [constructor | now apply insert_sorted]. Qed.

  (** Sorting what is sorted changes nothing. *)
  Lemma sort_of_sorted rs : sorted rs -> sort rs = rs.
  Proof.
    induction 1 as [|r rs S IH F]; simpl; auto. rewrite IH. destruct rs as [|q rs]; simpl; auto.
    inversion F as [|? ? E ?]; subst. now rewrite E.
  Qed.

  Lemma sorted_filter f rs : sorted rs -> sorted (filter f rs).
  Proof.
    induction 1 as [|r rs S IH F]; simpl; [constructor|]. destruct (f r); auto. constructor; auto.
    apply Forall_forall. intros x I. apply filter_In in I as [I _]. rewrite Forall_forall in F. auto.
  Qed.

  (** If no two different things come before each other, the order of what is sorted has no effect. *)
  Hypothesis antisymmetric : forall p q, before p q = true -> before q p = true -> p = q.
  Lemma sorted_unique rs qs : sorted rs -> sorted qs -> NoDup rs -> NoDup qs ->
    (forall r, In r rs <-> In r qs) -> rs = qs.
  Proof.
    intros S. revert qs. induction S as [|r rs S IH F]; intros [|q qs] T N M E; auto.
    - destruct (proj2 (E q)). now left.
    - destruct (proj1 (E r)). now left.
    - inversion T as [|? ? T' G]; subst. inversion N as [|? ? Nr N']; subst. inversion M as [|? ? Mq M']; subst.
      rewrite Forall_forall in F, G.
      assert (r = q) as <-.
      { destruct (proj1 (E r)) as [|I]; [now left | auto |]. destruct (proj2 (E q)) as [|J]; [now left | auto |].
        apply antisymmetric; auto. }
      f_equal. apply IH; auto. intro x. split; intro I.
      + destruct (proj1 (E x)) as [<-|]; [now right | easy | auto].
      + destruct (proj2 (E x)) as [<-|]; [now right | easy | auto].
  Qed.
End Sort.

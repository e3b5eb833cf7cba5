(** Paths: RFC 9309, 2.2.2: percent-encoding. *)
From Coq Require Import List Bool Arith Lia.
From Coq Require Import Strings.Byte.
From Model Require Import Octets Pattern Matcher Verdict.
Import ListNotations.

(** A unit of a normalised path: an octet, or an octet that is percent-encoded. *)
Inductive unit := Raw (b : byte) | Esc (b : byte).
Notation percent := "%"%byte.

(** What was written last: `%` alone, `%` and a hexadecimal digit, or anything else.  [path.decode]: nothing is decoded
    that would complete an escape. *)
Inductive last := Other | Percent | Percent_hex.
Definition next (st : last) (b : byte) : last :=
  if Byte.eqb b percent then Percent
  else if is_hex b then match st with Percent => Percent_hex | _ => Other end else Other.
Definition completes (st : last) (b : byte) : bool := match st with Other => false | _ => is_hex b end.

Definition escape_at (t : bytes) : option (byte * bytes) :=
  match t with
  | h :: l :: r => match hex h, hex l with Some h, Some l => Some (join h l, r) | _, _ => None end
  | _ => None
  end.

(** [path.encode] [path.decode]. *)
Fixpoint normal (st : last) (s : bytes) : list unit :=
  match s with
  | [] => []
  | c :: t =>
    if Byte.eqb c percent then
      match t with
      | h :: l :: r =>
        match hex h, hex l with
        | Some h, Some l =>
          let b := join h l in
          if unreserved b && negb (completes st b) then Raw b :: normal (next st b) r else Esc b :: normal Other r
        | _, _ => Raw c :: normal (next st c) t
        end
      | _ => Raw c :: normal (next st c) t
      end
    else if in_url c then Raw c :: normal (next st c) t else Esc c :: normal Other t
  end.

Definition spell1 (u : unit) : bytes := match u with Raw b => [b] | Esc b => [percent; digit (high b);
  digit (low b)] end.
Definition spell (us : list unit) : bytes := flat_map spell1 us.

(** Unfolding, by the three cases. *)
Lemma normal_escape st t b r : escape_at t = Some (b, r) ->
  normal st (percent :: t) = if unreserved b && negb (completes st b) then Raw b :: normal
    (next st b) r else Esc b :: normal Other r.
Proof.
  destruct t as [|h [|l t]]; simpl; try discriminate. destruct (hex h), (hex l); try discriminate.
  now intros [= <- <-].
Qed.
Lemma normal_percent st t : escape_at t = None -> normal st (percent :: t) = Raw percent :: normal Percent t.
Proof. destruct t as [|h [|l t]]; simpl; auto. destruct (hex h), (hex l); easy. Qed.
Lemma normal_other st c t : Byte.eqb c percent = false ->
  normal st (c :: t) = if in_url c then Raw c :: normal (next st c) t else Esc c :: normal Other t.
Proof. intro E. cbn [normal]. now rewrite E. Qed.
Lemma escape_shorter t b r : escape_at t = Some (b, r) -> length r < length t.
Proof. destruct t as [|h [|l t]]; simpl; try easy. destruct (hex h), (hex l); try easy. intros [= _ <-]. lia. Qed.

(** After a `%`, no hexadecimal digit is written but one that was there. *)
Definition head_hex (s : bytes) : bool := match s with b :: _ => is_hex b | [] => false end.
Lemma head_kept st s : st <> Other -> head_hex (spell (normal st s)) = true -> head_hex s = true.
Proof.
  intros N. destruct s as [|c t]; auto. destruct (Byte.eqb c percent) eqn:E.
  - apply eqb_eq in E as ->. destruct (escape_at t) as [[b r]|] eqn:X.
    + rewrite (normal_escape _ _ _ _ X). destruct (unreserved b && negb (completes st b)) eqn:U; simpl; [|easy].
      apply andb_true_iff in U as [_ U]. apply negb_true_iff in U. destruct st; simpl in U; try easy; congruence.
    + rewrite (normal_percent _ _ X). easy.
  - rewrite (normal_other _ _ _ E). destruct (in_url c); simpl; easy.
Qed.

Lemma no_new_escape t : escape_at t = None -> escape_at (spell (normal Percent t)) = None.
Proof.
  intro N. destruct (escape_at (spell (normal Percent t))) as [p|] eqn:X; auto. exfalso.
  assert (head_hex t = true) as H.
  { apply (head_kept Percent); [easy|]. destruct (spell (normal Percent t)) as [|h [|l r]]; simpl in X |- *; try easy.
    unfold is_hex. destruct (hex h); easy. }
  destruct t as [|c t]; [easy|]. simpl in H. pose proof (hex_not_percent _ H) as E.
  rewrite (normal_other _ _ _ E) in X. destruct (in_url c) eqn:U.
  - unfold next in X. rewrite E, H in X. simpl in X.
    assert (head_hex t = true) as K.
    { apply (head_kept Percent_hex); [easy|]. destruct (spell (normal Percent_hex t)) as [|l r]; simpl in X |- *;
      try easy.
      unfold is_hex. destruct (hex c), (hex l); easy. }
    destruct t as [|l t]; [easy|]. simpl in K, N. unfold is_hex in H, K. destruct (hex c), (hex l); easy.
  - simpl in X. easy.
Qed.

Lemma normal_spelled_escape st b us : unreserved b && negb (completes st b) = false ->
  normal st (spell1 (Esc b) ++ us) = Esc b :: normal Other us.
Proof.
  intro U. cbn [spell1 app]. rewrite (normal_escape st _ b us); [now rewrite U|].
  cbn [escape_at]. now rewrite !hex_digit, join_parts.
Qed.

(** Normalising twice is normalising once. *)
Theorem normal_normal st s : normal st (spell (normal st s)) = normal st s.
Proof.
  remember (length s) as n eqn:L. revert st s L. induction n as [n IH] using lt_wf_ind. intros st s ->.
  destruct s as [|c t]; auto. destruct (Byte.eqb c percent) eqn:E.
  - apply eqb_eq in E as ->. destruct (escape_at t) as [[b r]|] eqn:X.
    + pose proof (escape_shorter _ _ _ X). rewrite (normal_escape _ _ _ _ X).
      destruct (unreserved b && negb (completes st b)) eqn:U; cbn [spell flat_map].
      * apply andb_true_iff in U as [U _]. cbn [spell1 app]. rewrite normal_other by now apply unreserved_not_percent.
        unfold in_url. rewrite U. cbn [orb]. f_equal. apply (IH (length r)); simpl; lia.
      * rewrite normal_spelled_escape by auto. f_equal. apply (IH (length r)); simpl; lia.
    + rewrite (normal_percent _ _ X). cbn [spell flat_map spell1 app].
      rewrite normal_percent by now apply no_new_escape. f_equal. apply (IH (length t)); simpl; lia.
  - rewrite (normal_other _ _ _ E). destruct (in_url c) eqn:U; cbn [spell flat_map].
    + cbn [spell1 app]. rewrite (normal_other _ _ _ E), U. f_equal. apply (IH (length t)); simpl; lia.
    + rewrite normal_spelled_escape.
      * f_equal. apply (IH (length t)); simpl; lia.
      * unfold in_url in U. apply orb_false_iff in U as [-> _]. reflexivity.
Qed.

(** [path.literal]: "crawlers SHOULD match special characters by their percent-encoded form" (2.2.3).  A `*` or `$` that
    is meant literally is one unit, raw or encoded.  This is what is compared: an octet for each literal unit. *)
Notation star := "*"%byte.
Notation dollar := "$"%byte.
Notation hash := "#"%byte.
Definition octets_of (u : unit) : bytes :=
  match u with Esc b => if Byte.eqb b star || Byte.eqb b dollar then [b] else spell1 u | Raw b => [b] end.

(** What a path is compared as. *)
Definition target (path : bytes) : bytes := flat_map octets_of (normal Other path).

(** [path.anchor]: "$" "designates the end of the match pattern" (2.2.3), at the very end of a rule. *)
Definition is_anchor (u : unit) (rest : list unit) : bool :=
  match u, rest with Raw b, [] => Byte.eqb b dollar | _, _ => false end.
Fixpoint has_anchor (us : list unit) : bool :=
  match us with [] => false | u :: rest => is_anchor u rest || has_anchor rest end.

(** [path.stars]: "*" "designates 0 or more instances of any character" (2.2.3).  Everything else is literal. *)
Definition items_of (u : unit) : list item :=
  match u with Raw b => if Byte.eqb b star then [Star] else [Lit b] | Esc _ => map Lit (octets_of u) end.
Fixpoint all_items (us : list unit) : list item :=
  match us with [] => [] | u :: rest => if is_anchor u rest then [] else items_of u ++ all_items rest end.

(** [path.slash]: the grammar has each path begin with a slash (2.2). *)
Definition with_slash (v : bytes) : bytes :=
  match v with
  | b :: _ => if Byte.eqb b slash || Byte.eqb b star || Byte.eqb b dollar then v else slash :: v
  | [] => v
  end.

(** [rule.longest]: a rule's rank is the number of octets of its normalised pattern. *)
Definition rule_of_units (a : bool) (us : list unit) : rule :=
  {| allow := a; rank := length (spell us); pat := {| items := all_items us; anchored := has_anchor us |} |}.
Definition units_of (v : bytes) : list unit := normal Other (with_slash v).
Definition rule_of (a : bool) (v : bytes) : rule := rule_of_units a (units_of v).

(** The canonical spelling of a rule's value. *)
Definition canonical (v : bytes) : bytes := spell (units_of v).

Lemma rank_of_rule a v : rank (rule_of a v) = length (canonical v).
Proof. reflexivity. Qed.

(** A value begins with one of these three octets after [with_slash], and keeps it. *)
Definition leads (b : byte) : bool := Byte.eqb b slash || Byte.eqb b star || Byte.eqb b dollar.
Lemma with_slash_leads v : v <> [] -> exists b t, with_slash v = b :: t /\ leads b = true.
Proof.
  destruct v as [|b t]; [easy|]. intros _. unfold with_slash. destruct (_ || _) eqn:E; [now exists b, t|].
  now exists slash, (b :: t).
Qed.
Lemma leads_stays b t : leads b = true -> normal Other (b :: t) = Raw b :: normal Other t.
Proof.
  intro L. assert (Byte.eqb b percent = false /\ in_url b = true /\ next Other b = Other) as (N & U & X)
    by (destruct b; try discriminate; easy).
  now rewrite (normal_other _ _ _ N), U, X.
Qed.
Lemma with_slash_same b t : leads b = true -> with_slash (b :: t) = b :: t.
Proof. unfold with_slash, leads. now intros ->. Qed.
Lemma canonical_leads v : v <> [] -> exists b t, canonical v = b :: t /\ leads b = true.
Proof.
  intro N. destruct (with_slash_leads v N) as (b & t & E & L). unfold canonical, units_of.
    rewrite E, leads_stays by auto.
  simpl. eauto.
Qed.

(** [path.decode]: a canonical value is read as the value that it is for. *)
Lemma units_of_canonical v : units_of (canonical v) = units_of v.
Proof.
  destruct v as [|c v]; auto. destruct (canonical_leads (c :: v)) as (b & t & E & L); [easy|].
  unfold units_of at 1. rewrite E, with_slash_same, <- E by auto. unfold canonical, units_of. apply normal_normal.
Qed.
Corollary canonical_canonical v : canonical (canonical v) = canonical v.
Proof. unfold canonical at 1 3. now rewrite units_of_canonical. Qed.
Corollary rule_of_canonical a v : rule_of a (canonical v) = rule_of a v.
Proof. unfold rule_of. now rewrite units_of_canonical. Qed.

(** [harmless.bytes]: a canonical value has no blank, no control, nothing outside ASCII,
    and no `#` that was not there. *)
Definition clean (b : byte) : bool := in_url b && negb (Byte.eqb b hash).
Lemma clean_spelled us : Forall (fun u => match u with Raw b => clean b = true | Esc _ => True end) us ->
  Forall (fun b => clean b = true) (spell us).
Proof.
  induction 1 as [|[b|b] us H A IH]; simpl; repeat constructor; auto;
    destruct (_ : nibble) as [b0 [b1 [b2 b3]]]; destruct b0, b1, b2, b3; reflexivity.
Qed.
Lemma clean_normal st s : Forall (fun b => Byte.eqb b hash = false) s ->
  Forall (fun u => match u with Raw b => clean b = true | Esc _ => True end) (normal st s).
Proof.
  remember (length s) as n eqn:L. revert st s L. induction n as [n IH] using lt_wf_ind. intros st s -> F.
  destruct s as [|c t]; [constructor|]. inversion F as [|? ? Hc Ht]; subst. destruct (Byte.eqb c percent) eqn:E.
  - apply eqb_eq in E as ->. destruct (escape_at t) as [[b r]|] eqn:X.
    + pose proof (escape_shorter _ _ _ X). rewrite (normal_escape _ _ _ _ X).
      assert (Forall (fun b => Byte.eqb b hash = false) r) as Fr.
      { destruct t as [|h [|l t]]; simpl in X; try easy. destruct (hex h), (hex l); try easy. injection X as _ <-.
        inversion Ht as [|? ? _ Hl]; subst. now inversion Hl. }
      destruct (unreserved b && negb (completes st b)) eqn:U; constructor; auto;
        try (apply (IH (length r)); simpl; auto; lia).
      apply andb_true_iff in U as [U _]. unfold clean, in_url. rewrite U. destruct b; try discriminate; reflexivity.
    + rewrite (normal_percent _ _ X). constructor; [reflexivity|]. apply (IH (length t)); simpl; auto; lia.
  - rewrite (normal_other _ _ _ E). destruct (in_url c) eqn:U; constructor; auto;
      try (apply (IH (length t)); simpl; auto; lia).
    unfold clean. now rewrite U, Hc.
Qed.
Theorem canonical_clean v : Forall (fun b => Byte.eqb b hash = false) v ->
  Forall (fun b => clean b = true) (canonical v).
Proof.
  intro F. apply clean_spelled, clean_normal. destruct v as [|b t]; auto. unfold with_slash.
  destruct (_ || _); auto.
Qed.

(** [text.unwritable]: a rule that begins with neither a slash nor a star matches no path. *)
Definition writable (v : bytes) : bool := match v with b :: _ => Byte.eqb b slash || Byte.eqb b star | [] => false end.
Theorem unwritable_never a v s : v <> [] -> writable (canonical v) = false -> is_path s -> ~ hits (rule_of a v) s.
Proof.
  intros N W [t ->]. destruct (with_slash_leads v N) as (b & r & E & L).
  assert (b = dollar) as ->.
  { unfold canonical, units_of in W. rewrite E, leads_stays in W by auto. simpl in W. unfold leads in L.
    rewrite W in L. now apply eqb_eq. }
  unfold hits, matches, rule_of, units_of. rewrite E, leads_stays by auto.
    cbn [pat rule_of_units items anchored all_items has_anchor].
  destruct (is_anchor (Raw dollar) (normal Other r)) eqn:A; intro M; [now apply on_nil in M as [|]|].
  apply on_lit in M as (x & X & _). discriminate.
Qed.

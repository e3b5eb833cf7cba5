(** Groups and agents: RFC 9309, 2.2.1; the verdict on a file. *)
From Coq Require Import String List Bool Arith Lia.
From Coq Require Import Strings.Byte.
From Model Require Import Octets Pattern Matcher Verdict Path Lines.
Import ListNotations.

(** "The file consists of groups of rules": the values of its user-agent lines, and its rules in file order. *)
Record group := { agents : list bytes; rules : list written }.

(** [record.run] [record.other-lines] [record.before-agent].  Read from the last line to the first: a rule is put in
    front
    of the rules below it, and a run of user-agent lines takes the rules below it.
      Once a group has an agent, a rule above
    it belongs to another group.  What is above the first user-agent line is for nobody: its group has no agent. *)
Definition add (l : line) (gs : list group) : list group :=
  match l, gs with
  | Agent v, g :: gs => {| agents := v :: agents g; rules := rules g |} :: gs
  | Agent v, [] => [{| agents := [v]; rules := [] |}]
  | Rule r, {| agents := []; rules := rs |} :: gs => {| agents := []; rules := r :: rs |} :: gs
  | Rule r, gs => {| agents := []; rules := [r] |} :: gs
  | Nothing, gs => gs
  end.
Definition groups (ls : list line) : list group := fold_right add [] ls.
Definition read (s : bytes) : list group := groups (meanings s).

(** [agent.token]: "The product token [...] MUST contain only uppercase and lowercase letters ("a-z" and "A-Z"),
    underscores ("_"), and hyphens ("-")" (2.2.1).  SPEC adds digits and dots where the crawler's own name has some. *)
Definition is_token (t : bytes) (b : byte) : bool :=
  is_letter b || match b with x2d | x5f => true | _ => false end
  || (is_digit b && existsb is_digit t) || (Byte.eqb b "."%byte && existsb (Byte.eqb "."%byte) t).

(** "Crawlers MUST use case-insensitive matching" (2.2.1): the value is the token [t],
    or begins with it and goes on with
    something that is in no such token.  [all] is the whole token. *)
Fixpoint names (all t v : bytes) : bool :=
  match t, v with
  | [], [] => true
  | [], b :: _ => negb (is_token all b)
  | a :: t, b :: v => Byte.eqb (lower a) (lower b) && names all t v
  | _ :: _, [] => false
  end.

(** [agent.everyone]: `*`, or `*` and a blank. *)
Definition everyone (v : bytes) : bool := match v with [x2a] => true | x2a :: b :: _ => is_blank b | _ => false end.

(** [agent.any]: the token of a crawler is at the start of its name.  Without one, only groups for `*` apply. *)
Definition wide (b : byte) : bool := is_letter b || is_digit b || match b with x2d | x5f | x2e => true | _ => false end.
Fixpoint leading (f : byte -> bool) (s : bytes) : bytes * bytes :=
  match s with
  | b :: t => if f b then let (u, r) := leading f t in (b :: u, r) else ([], s)
  | [] => ([], [])
  end.
Definition token_of (agent : bytes) : option bytes :=
  match leading wide (skip agent) with
  | ([], _) => None
  | (t, b :: _) => if outside_ascii b then None else Some t
  | (t, []) => Some t
  end.

(** [record.merge]: "If there is more than one group matching the user-agent,
    the matching groups' rules MUST be combined
    into one group" (2.2.1). *)
Definition named (f : bytes -> bool) (gs : list group) : list group := filter (fun g => existsb f (agents g)) gs.
Definition is_named (a : bytes) : bytes -> bool :=
  match token_of a with Some t => names t t | None => fun _ => false end.

(** [agent.select]: the first agent that any group names.  [agent.fallback]: "If no matching group exists, crawlers MUST
    obey the group with a user-agent line with the "*" value, if present" (2.2.1). *)
Fixpoint select (asked : list (bytes -> bool)) (gs : list group) : list group :=
  match asked with
  | [] => named everyone gs
  | f :: asked => match named f gs with [] => select asked gs | own => own end
  end.
Definition selected (asked : list bytes) (gs : list group) : list written :=
  flat_map rules (select (map is_named asked) gs).

(** [path.empty]: an empty rule says nothing. *)
Definition is_empty (v : bytes) : bool := match v with [] => true | _ => false end.
Definition compile (rs : list written) : list rule :=
  map (fun r => rule_of (fst r) (snd r)) (filter (fun r => negb (is_empty (snd r))) rs).

(** [rule.robots-txt]: "The /robots.txt URI is implicitly allowed" (2.2.2). *)
Definition robots_txt : bytes := list_byte_of_string "/robots.txt"%string.

(** [rule.longest] [rule.file-order]: both orders. *)
Inductive order := Longest | File.
Definition decide (o : order) : list rule -> bytes -> bool := match o with Longest => longest | File => first end.
Definition verdict (o : order) (gs : list group) (asked : list bytes) (path : bytes) : bool :=
  let p := target path in beq p robots_txt || decide o (compile (selected asked gs)) p.

(** ** Theorems. *)

(** [rule.robots-txt]. *)
Theorem robots_txt_is_allowed o gs asked : verdict o gs asked robots_txt = true.
Proof. reflexivity. Qed.

(** [rule.none]: an empty file, a file without a rule and a file for others allow everything. *)
Theorem no_rule_allows o gs asked path : compile (selected asked gs) = [] -> verdict o gs asked path = true.
Proof. unfold verdict. intros ->. destruct o; apply orb_true_r. Qed.

(** [path.decode]: normalising a URL's path first changes no verdict. *)
Theorem normal_url o gs asked path : verdict o gs asked (spell (normal Other path)) = verdict o gs asked path.
Proof. unfold verdict, target. now rewrite normal_normal. Qed.

(** [path.decode]: writing the rules in their canonical spelling changes no verdict. *)
Definition respelled (g : group) : group :=
  {| agents := agents g; rules := map (fun r => (fst r, canonical (snd r))) (rules g) |}.
Lemma canonical_empty v : is_empty (canonical v) = is_empty v.
Proof. destruct v as [|b v]; auto. destruct (canonical_leads (b :: v)) as (c & t & -> & _); easy. Qed.
Lemma compile_respelled rs : compile (map (fun r => (fst r, canonical (snd r))) rs) = compile rs.
Proof.
  unfold compile. induction rs as [|[a v] rs IH]; auto. cbn [map filter fst snd]. rewrite canonical_empty.
  destruct (negb (is_empty v)); auto. cbn [map fst snd]. now rewrite IH, rule_of_canonical.
Qed.
Lemma named_respelled f gs : named f (map respelled gs) = map respelled (named f gs).
Proof. induction gs as [|g gs IH]; auto. simpl. destruct (existsb f (agents g)); simpl; now rewrite IH. Qed.
Lemma select_respelled asked gs : select asked (map respelled gs) = map respelled (select asked gs).
Proof.
  induction asked as [|f asked IH]; simpl; rewrite named_respelled; auto.
  destruct (named f gs); auto.
Qed.
Theorem normal_rules o gs asked path : verdict o (map respelled gs) asked path = verdict o gs asked path.
Proof.
  unfold verdict. f_equal. f_equal. unfold selected. rewrite select_respelled.
    generalize (select (map is_named asked) gs).
  intro l. transitivity (compile (map (fun r => (fst r, canonical (snd r))) (flat_map rules l)));
    [|apply compile_respelled].
  f_equal. induction l as [|g l IH]; auto. simpl. now rewrite map_app, IH.
Qed.

(** [record.merge]: the order of groups has no effect under the longest match, nor has it how often one is written. *)
Lemma in_named f gs g : In g (named f gs) <-> In g gs /\ existsb f (agents g) = true.
Proof. apply filter_In. Qed.
Lemma in_select asked gs hs g : (forall g, In g gs <-> In g hs) -> In g (select asked gs) -> In g (select asked hs).
Proof.
  intro E. assert (forall f, named f gs = [] <-> named f hs = []) as N.
  { intro f. assert (forall l, named f l = [] <-> forall g, ~ In g (named f l)) as X.
    { intro l. destruct (named f l) as [|h t]; split; auto; intro Z; [easy|]. destruct (Z h). now left. }
    rewrite !X. split; intros Z h; rewrite in_named; [rewrite <- E | rewrite E]; rewrite <- in_named; auto. }
  induction asked as [|f asked IH]; simpl; [rewrite !in_named, E; auto|].
  pose proof (N f) as Nf. destruct (named f gs) eqn:G, (named f hs) eqn:H; auto.
  - discriminate (proj1 Nf eq_refl).
  - discriminate (proj2 Nf eq_refl).
  - rewrite <- G, <- H, !in_named, E. auto.
Qed.
Theorem order_of_groups gs hs asked path : (forall g, In g gs <-> In g hs) ->
  verdict Longest gs asked path = verdict Longest hs asked path.
Proof.
  intro E. unfold verdict. f_equal. apply order_of_rules. intro r. unfold compile, selected. rewrite !in_map_iff.
  split; intros (w & W & I); exists w; split; auto; rewrite filter_In, in_flat_map in *;
    destruct I as ((g & G & R) & K); (split; [exists g; split|]); auto; eapply in_select; try eassumption;
    intro; split; apply E.
Qed.

(** [rule.longest]: the order of the rules has no effect either, nor has it how often one is written. *)
Theorem order_of_rules_in_groups gs hs asked path : map agents gs = map agents hs ->
  (forall g h, In (g, h) (combine gs hs) -> forall r, In r (rules g) <-> In r (rules h)) ->
  verdict Longest gs asked path = verdict Longest hs asked path.
Proof.
  intros A R. unfold verdict. f_equal. apply order_of_rules. intro r. unfold compile, selected. rewrite !in_map_iff.
  assert (forall f gs hs, map agents gs = map agents hs ->
    (forall g h, In (g, h) (combine gs hs) -> forall r, In r (rules g) <-> In r (rules h)) ->
    map agents (named f gs) = map agents (named f hs) /\
    forall g h, In (g, h) (combine (named f gs) (named f hs)) -> forall r, In r (rules g) <-> In r (rules h)) as N.
  { clear. intros f gs. induction gs as [|g gs IH]; intros [|h hs] A R; try discriminate; [easy|].
    simpl in A. injection A as A B. destruct (IH hs B) as [C D]; [intros; apply R; now right|]. simpl. rewrite <- A.
    destruct (existsb f (agents g)); auto. simpl. rewrite A, C. split; auto. intros x y [[= <- <-]|I]; auto.
    apply R. now left. }
  assert (forall asked, map agents (select asked gs) = map agents (select asked hs) /\
    forall g h, In (g, h) (combine (select asked gs) (select asked hs)) -> forall r, In r (rules g) <-> In r (rules h))
    as S.
  { intro l. induction l as [|f l IH]; simpl; [now apply N|]. destruct (N f gs hs A R) as [C D].
    destruct (named f gs), (named f hs); auto; discriminate. }
  destruct (S (map is_named asked)) as [C D]. revert C D. generalize (select (map is_named asked) gs) as xs.
  generalize (select (map is_named asked) hs) as ys. clear.
  assert (forall xs ys, map agents xs = map agents ys ->
    (forall g h, In (g, h) (combine xs ys) -> forall r, In r (rules g) <-> In r (rules h)) ->
    forall r, In r (flat_map rules xs) <-> In r (flat_map rules ys)) as F.
  { intro xs. induction xs as [|x xs IH]; intros [|y ys] A D q; try discriminate; [easy|]. simpl in *.
    injection A as _ A. rewrite !in_app_iff, (D x y), (IH ys A); [tauto | auto | auto]. }
  intros ys xs A D. split; intros (w & W & I); exists w; split; auto; rewrite filter_In in *; destruct I; split; auto;
    now apply (F xs ys A D).
Qed.

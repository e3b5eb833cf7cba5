(** URLs: which part of one is compared with rules. *)
From Coq Require Import List Bool.
From Coq Require Import Strings.Byte.
From Model Require Import Octets Pattern Matcher Verdict Path Lines Groups.
Import ListNotations.

(** [url.path]: "from the first `/`, `?` or `;` after the authority up to a fragment".  The authority is after `//`, or
    after `scheme://`, or at the start. *)
Definition is_delimiter (b : byte) : bool := match b with "/" | "?" | ";" => true | _ => false end%byte.
Definition after_slashes (s : bytes) : bytes := match s with "/" :: "/" :: t => t | _ => s end%byte.
Definition after_name (s : bytes) : bytes := snd (leading (fun b => negb (is_delimiter b)) s).
Definition after_scheme (s : bytes) : bytes :=
  let (name, rest) := leading (fun b => negb (is_delimiter b)) s in
  match rev' name, rest with ":" :: _, "/" :: "/" :: t => t | _, _ => s end%byte.
Definition path_of (url : bytes) : bytes :=
  let path := after_name (after_scheme (after_slashes (until hash url))) in
  match path with b :: _ => if Byte.eqb b slash then path else slash :: path | [] => [slash] end.

Theorem path_of_is_path url : is_path (path_of url).
Proof.
  unfold path_of. destruct (after_name _) as [|b t]; [now exists []|].
  destruct (Byte.eqb b slash) eqn:E; [apply eqb_eq in E as ->; now exists t | now eexists].
Qed.

(** Whether a URL may be fetched by these rules, and by crawlers with these names.  The oracle keeps the rules from one
    URL to the next. *)
Definition rules_for (gs : list group) (asked : list bytes) : list rule := compile (selected asked gs).
Definition by_rules (o : order) (rs : list rule) (url : bytes) : bool :=
  let p := target (path_of url) in beq p robots_txt || decide o rs p.
Definition may_fetch (o : order) (gs : list group) (asked : list bytes) (url : bytes) : bool :=
  verdict o gs asked (path_of url).

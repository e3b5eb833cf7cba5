(** The functions of the model as OCaml.  A [nat] is an [int] there, and an octet a [char]: both are trusted. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlChar.
From Model Require Import Octets Pattern Matcher Verdict Path Lines Groups Url Text.
Extraction Inline Datatypes.length.
Extraction "model.ml" read rules_for by_rules text_for.

(** Octets: which belong to which class.  Nothing else in the model looks at what an octet is.

    RFC 9309, 2.2 and 2.2.2; RFC 3986, 2.1 to 2.3. *)
From Coq Require Import List Bool.
From Coq Require Import Strings.Byte.
Import ListNotations.
Open Scope byte_scope.

Definition bytes := list byte.

(** "A" to "Z" become "a" to "z".  Nothing else changes. *)
Definition lower (b : byte) : byte :=
  match b with
  | "A" => "a" | "B" => "b" | "C" => "c" | "D" => "d" | "E" => "e" | "F" => "f" | "G" => "g"
  | "H" => "h" | "I" => "i" | "J" => "j" | "K" => "k" | "L" => "l" | "M" => "m" | "N" => "n"
  | "O" => "o" | "P" => "p" | "Q" => "q" | "R" => "r" | "S" => "s" | "T" => "t" | "U" => "u"
  | "V" => "v" | "W" => "w" | "X" => "x" | "Y" => "y" | "Z" => "z"
  | _ => b
  end.

(** ALPHA. *)
Definition is_letter (b : byte) : bool :=
  match b with
  | "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M" | "N" | "O" | "P" | "Q" | "R" |
    "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z" | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" |
    "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z" => true
  | _ => false
  end.

(** DIGIT. *)
Definition is_digit (b : byte) : bool :=
  match b with
  | "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => true
  | _ => false
  end.

(** RFC 3986, 2.3: what needs no escape anywhere in a URL. *)
Definition unreserved (b : byte) : bool :=
  match b with
  | "A" | "B" | "C" | "D" | "E" | "F" | "G" | "H" | "I" | "J" | "K" | "L" | "M" | "N" | "O" | "P" | "Q" | "R" |
    "S" | "T" | "U" | "V" | "W" | "X" | "Y" | "Z" | "a" | "b" | "c" | "d" | "e" | "f" | "g" | "h" | "i" | "j" |
    "k" | "l" | "m" | "n" | "o" | "p" | "q" | "r" | "s" | "t" | "u" | "v" | "w" | "x" | "y" | "z" | "0" | "1" |
    "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "-" | "." | "_" | "~" => true
  | _ => false
  end.

(** RFC 3986, 2.2: what delimits, and `%`, which begins an escape. *)
Definition reserved (b : byte) : bool :=
  match b with
  | ":" | "/" | "?" | "#" | "[" | "]" | "@" | "!" | "$" | "&" | "'" | "(" | ")" | "*" | "+" | "," | ";" | "=" |
    "%" => true
  | _ => false
  end.

(** [path.encode]: what a path or a query can contain as it is. *)
Definition in_url (b : byte) : bool := unreserved b || reserved b.

(** A half of an octet: four bits, the lowest first. *)
Definition nibble := (bool * (bool * (bool * bool)))%type.

(** HEXDIG, in either case. *)
Definition hex (b : byte) : option nibble :=
  match b with
  | "0" => Some (false, (false, (false, false)))
  | "1" => Some (true, (false, (false, false)))
  | "2" => Some (false, (true, (false, false)))
  | "3" => Some (true, (true, (false, false)))
  | "4" => Some (false, (false, (true, false)))
  | "5" => Some (true, (false, (true, false)))
  | "6" => Some (false, (true, (true, false)))
  | "7" => Some (true, (true, (true, false)))
  | "8" => Some (false, (false, (false, true)))
  | "9" => Some (true, (false, (false, true)))
  | "A" | "a" => Some (false, (true, (false, true)))
  | "B" | "b" => Some (true, (true, (false, true)))
  | "C" | "c" => Some (false, (false, (true, true)))
  | "D" | "d" => Some (true, (false, (true, true)))
  | "E" | "e" => Some (false, (true, (true, true)))
  | "F" | "f" => Some (true, (true, (true, true)))
  | _ => None
  end.
Definition is_hex (b : byte) : bool := match hex b with Some _ => true | None => false end.

(** HEXDIG, in upper case. *)
Definition digit (n : nibble) : byte :=
  match n with
  | (false, (false, (false, false))) => "0"
  | (true, (false, (false, false))) => "1"
  | (false, (true, (false, false))) => "2"
  | (true, (true, (false, false))) => "3"
  | (false, (false, (true, false))) => "4"
  | (true, (false, (true, false))) => "5"
  | (false, (true, (true, false))) => "6"
  | (true, (true, (true, false))) => "7"
  | (false, (false, (false, true))) => "8"
  | (true, (false, (false, true))) => "9"
  | (false, (true, (false, true))) => "A"
  | (true, (true, (false, true))) => "B"
  | (false, (false, (true, true))) => "C"
  | (true, (false, (true, true))) => "D"
  | (false, (true, (true, true))) => "E"
  | (true, (true, (true, true))) => "F"
  end.

(** An octet from its halves, and its halves. *)
Definition join (h l : nibble) : byte :=
  match h, l with (a, (b, (c, d))), (e, (f, (g, i))) => Byte.of_bits (e, (f, (g, (i, (a, (b, (c, d))))))) end.
Definition high (b : byte) : nibble := match Byte.to_bits b with (_, (_, (_, (_, h)))) => h end.
Definition low (b : byte) : nibble := match Byte.to_bits b with (a, (b, (c, (d, _)))) => (a, (b, (c, d))) end.

(** SP and HTAB; CR and LF; any octet outside ASCII. *)
Definition is_blank (b : byte) : bool := match b with x20 | x09 => true | _ => false end.
Definition is_end (b : byte) : bool := match b with x0d | x0a => true | _ => false end.
Definition outside_ascii (b : byte) : bool := match Byte.to_bits b with (_, (_, (_, (_, (_, (_, (_, h))))))) => h end.

(** Equality of octets and of strings of them. *)
Lemma eqb_eq b c : Byte.eqb b c = true <-> b = c.
Proof. split; [apply byte_dec_bl | apply byte_dec_lb]. Qed.
Lemma eqb_refl b : Byte.eqb b b = true.
Proof. now apply eqb_eq. Qed.

Fixpoint beq (s t : bytes) : bool :=
  match s, t with [], [] => true | b :: s, c :: t => Byte.eqb b c && beq s t | _, _ => false end.
Lemma beq_eq s t : beq s t = true <-> s = t.
Proof.
  revert t. induction s as [|b s IH]; intros [|c t]; simpl; try easy.
  rewrite andb_true_iff, eqb_eq, IH. split; [now intros [-> ->] | now intros [= -> ->]].
Qed.
Lemma beq_refl s : beq s s = true.
Proof. now apply beq_eq. Qed.

(** Facts about single octets: each is shown by looking at all 256. *)
Lemma hex_digit n : hex (digit n) = Some n.
Proof. destruct n as (a & b & c & d). destruct a, b, c, d; reflexivity. Qed.
Lemma join_parts b : join (high b) (low b) = b.
Proof. destruct b; reflexivity. Qed.
Lemma unreserved_not_percent b : unreserved b = true -> Byte.eqb b "%" = false.
Proof. destruct b; easy. Qed.
Lemma hex_not_percent b : is_hex b = true -> Byte.eqb b "%" = false.
Proof. destruct b; easy. Qed.

(* Writes evidence that two files answer the same for every URL, and has the proved checker look at it.

   A request has "robots_b64", "text_b64", "agents", and bounds for the search: "most", a number of pairs, and "seconds"
   of the processor. An answer has one of these:
   - "pairs", how many there are, and "accepted"; with "evidence" true in the request, also the numbers of the next
     pairs for each pair, which is all that evidence is; with "mutants", a number, how many changed ones were tried,
     and how many of them were refused;
   - "differs", a path, as base64, for which the two answer differently;
   - "over", the number of pairs at which it gave up.
   If the request has "evidence" as a list, it is only checked. *)
open Yojson.Safe.Util

let octets text = List.init (String.length text) (String.get text)
let text_of octets = String.of_seq (List.to_seq octets)
let same (l, r) = Model.state_eqb l r
let next o (l, r) = (Model.next_state o l, Model.next_state o r)
let ways (l, r) = if same (l, r) then [] else Model.ways l r
let first xs ys = (Model.first_state xs, Model.first_state ys)

exception Differs of string
exception Over of int

(* An octet for a way: where it is every octet that the pair does not name, one of these. *)
let octet (l, r) = function
  | Some b -> b
  | None ->
      let named = Model.named_octets l @ Model.named_octets r in
      List.find (fun b -> not (List.mem b named)) (List.init 256 (fun i -> Char.chr ((i + 97) mod 256)))

(* The numbers of the next pairs, for each pair that a path can lead to. Nothing here is proved, and need not be. *)
let explore most seconds xs ys =
  let began = Sys.time () in
  let numbers = Hashtbl.create 1000 and waiting = Queue.create () and evidence = ref [] in
  let number pair path =
    let key = Digest.string (Marshal.to_string pair [ Marshal.No_sharing ]) in
    match Hashtbl.find_opt numbers key with
    | Some n -> n
    | None ->
        let n = Hashtbl.length numbers in
        if n >= most then raise (Over n);
        Hashtbl.add numbers key n;
        Queue.add (pair, path) waiting;
        n
  in
  ignore (number (first xs ys) [ '/' ]);
  while not (Queue.is_empty waiting) do
    let pair, path = Queue.pop waiting in
    if Model.answer (fst pair) [] <> Model.answer (snd pair) [] then raise (Differs (text_of (List.rev path)));
    if Sys.time () -. began > seconds then raise (Over (Hashtbl.length numbers));
    let follow o = number (next o pair) (octet pair o :: path) in
    evidence := Array.of_list (List.map follow (ways pair)) :: !evidence
  done;
  Array.of_list (List.rev !evidence)

(* The pairs that evidence is about: each is what the first pair that leads to it makes of it. *)
let pairs evidence xs ys =
  let found = Array.make (Array.length evidence) None in
  if evidence <> [||] then found.(0) <- Some (first xs ys);
  Array.iteri
    (fun i followers ->
      match found.(i) with
      | Some pair when List.length (ways pair) = Array.length followers ->
          List.iteri
            (fun k o ->
              let j = followers.(k) in
              if j >= 0 && j < Array.length found && found.(j) = None then found.(j) <- Some (next o pair))
            (ways pair)
      | _ -> ())
    evidence;
  Array.mapi
    (fun i pair ->
      Option.map
        (fun (left, right) -> { Model.left; right; followers = Array.to_list evidence.(i) })
        pair)
    found

let accepted evidence xs ys =
  let pairs = pairs evidence xs ys in
  let get i = if i >= 0 && i < Array.length pairs then pairs.(i) else None in
  Model.check get (Array.length pairs) xs ys

(* Evidence that is wrong somewhere: a pair follows that does not, one is missing, or one has too few or too many. *)
let mutant state evidence =
  let count = Array.length evidence in
  let changed = Array.map Array.copy evidence in
  let rec pick () =
    let i = Random.State.int state count in
    if evidence.(i) = [||] then pick () else i
  in
  if Array.for_all (fun followers -> followers = [||]) evidence then [||]
  else
    let i = pick () in
    let k = Random.State.int state (Array.length evidence.(i)) in
    match Random.State.int state 4 with
    | 0 ->
        changed.(i).(k) <- (changed.(i).(k) + 1 + Random.State.int state (max 1 (count - 1))) mod (count + 1);
        changed
    | 1 -> Array.sub changed 0 (count - 1)
    | 2 ->
        changed.(i) <- Array.sub changed.(i) 0 (Array.length changed.(i) - 1);
        changed
    | _ ->
        changed.(i) <- Array.append changed.(i) [| 0 |];
        changed

let answer request =
  let field name = request |> member name in
  let rules name =
    let agents = List.map (fun one -> octets (to_string one)) (to_list (field "agents")) in
    Model.rules_for (Model.read (octets (Base64.decode_exn (to_string (field name))))) agents
  in
  let xs = rules "robots_b64" and ys = rules "text_b64" in
  match field "evidence" with
  | `List rows ->
      let evidence = Array.of_list (List.map (fun row -> Array.of_list (List.map to_int (to_list row))) rows) in
      [ ("pairs", `Int (Array.length evidence)); ("accepted", `Bool (accepted evidence xs ys)) ]
  | shown -> (
      match explore (to_int (field "most")) (to_number (field "seconds")) xs ys with
      | exception Differs path -> [ ("differs", `String (Base64.encode_string path)) ]
      | exception Over n -> [ ("over", `Int n) ]
      | evidence ->
          let list f items = `List (Array.to_list (Array.map f items)) in
          let state = Random.State.make [| Array.length evidence |] in
          let mutants =
            List.init (Option.value ~default:0 (to_int_option (field "mutants"))) (fun _ -> mutant state evidence)
          in
          let refused = List.filter (fun mutant -> not (accepted mutant xs ys)) mutants in
          [ ("pairs", `Int (Array.length evidence)); ("accepted", `Bool (accepted evidence xs ys)) ]
          @ (if shown = `Bool true then [ ("evidence", list (list (fun n -> `Int n)) evidence) ] else [])
          @
          if mutants = [] then []
          else [ ("mutants", `Int (List.length mutants)); ("refused", `Int (List.length refused)) ])

let () =
  try
    while true do
      print_endline (Yojson.Safe.to_string (`Assoc (answer (Yojson.Safe.from_string (input_line stdin)))))
    done
  with End_of_file -> ()

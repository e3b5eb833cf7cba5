(* Answers requests by the model: a line of JSON for each, as `robosieve test --ndjson` does.

   A request has "robots_b64", "agents", "urls" and perhaps "order": "file". An answer has "allowed", and "text" if the
   request has "text": true: the canonical text for these agents, as base64. A file is read once while it repeats. *)
open Yojson.Safe.Util

let octets text = List.init (String.length text) (String.get text)
let text_of octets = String.of_seq (List.to_seq octets)
let strings json = List.map (fun one -> octets (to_string one)) (to_list json)
let last = ref ("", [])

let groups robots =
  if fst !last <> robots then last := (robots, Model.read (octets (Base64.decode_exn robots)));
  snd !last

let answer request =
  let groups = groups (request |> member "robots_b64" |> to_string) in
  let agents = request |> member "agents" |> strings in
  let order = if request |> member "order" = `String "file" then Model.File else Model.Longest in
  let rules = Model.rules_for groups agents in
  let allowed = List.map (fun url -> `Bool (Model.by_rules order rules url)) (request |> member "urls" |> strings) in
  let text =
    if request |> member "text" = `Bool true then
      [ ("text", `String (Base64.encode_string (text_of (Model.text_for order agents groups)))) ]
    else []
  in
  `Assoc (("allowed", `List allowed) :: text)

let () =
  try
    while true do
      print_endline (Yojson.Safe.to_string (answer (Yojson.Safe.from_string (input_line stdin))))
    done
  with End_of_file -> ()

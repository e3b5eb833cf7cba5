//! The front end of `robosieve filter --ndjson` and `test --ndjson`: for any bytes, each line gets one answer.

use serde_json::Value;

/// `[cmd.ndjson]`, `[harmless.json]`: each line that is not blank gets one answer. It is printable JSON on one line,
/// contains what was requested or an error, and is the same if the line is sent alone. Lines longer than `max_line`
/// are answered with an error. `[batch.mark]`: a byte order mark before the first line is none of it.
pub(crate) fn each_line_gets_one_answer(input: &[u8], max_line: usize, answers: &dyn Fn(&[u8]) -> Vec<u8>) {
    let out = answers(input);
    let answered: Vec<&[u8]> = out.split_inclusive(|&byte| byte == b'\n').collect();
    let unmarked = input.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(input);
    let asked = unmarked.split_inclusive(|&byte| byte == b'\n');
    let asked: Vec<&[u8]> =
        asked.filter(|line| !line.trim_ascii().is_empty() || line.len() > max_line.saturating_add(1)).collect();
    assert_eq!(answered.len(), asked.len(), "each line that is not blank gets one answer");
    for (question, answer) in asked.into_iter().zip(answered) {
        let line = answer.strip_suffix(b"\n").expect("an answer is a line");
        assert!(line.iter().all(|byte| matches!(byte, b' '..=b'~')), "not printable");
        let value: Value = serde_json::from_slice(line).expect("an answer is JSON");
        assert_eq!(value["v"], 1);
        assert!(value["error"].is_object() != value["text"].is_string(), "an answer or an error: {value}");
        // A line has the same meaning alone, after a blank one: no request affects the next.
        assert_eq!(answers(&[b"\n", question].concat()), answer, "alone, {:?}", String::from_utf8_lossy(question));
    }
}

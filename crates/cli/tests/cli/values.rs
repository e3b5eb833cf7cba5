//! Values of flags: which are accepted, and what the message says about the others.

use crate::common::Dir;

#[cfg(feature = "gate")]
mod gate {
    use super::*;
    use crate::serving::WHO;

    /// Runs `check` with what is no URL of a site, so that nothing is requested: 3 if the flags are fine.
    fn check(args: &[&str]) -> crate::common::Ran {
        Dir::new().run(&[&["check", "ftp://e.com/"], args].concat())
    }

    /// Seconds, networks, rulings and addresses are read or refused: [cmd.network]
    #[test]
    fn values_are_read_or_refused() {
        // With zero, and without.
        for (text, fine, some) in [
            ("-0", true, false),
            ("0.000999", true, false),
            ("0.001", true, true),
            ("1e-400", true, false),
            ("2.5", true, true),
            ("1000000000", true, true),
            ("1000000000.001", false, false),
            ("", false, false),
            ("-1", false, false),
            ("NaN", false, false),
            ("inf", false, false),
            ("2s", false, false),
        ] {
            for (flag, fine) in [("--delay", fine), ("--retry", some)] {
                let ran = check(&["--agent", WHO, &format!("{flag}={text}")]);
                assert_eq!(ran.code, Some(if fine { 3 } else { 2 }), "{flag}={text}: {}", ran.err());
            }
        }
        for (flag, value, fine) in [
            ("--allow-net", "127.0.0.1", true),
            ("--allow-net", "fd00::/8", true),
            ("--allow-net", "10.0.0.0/33", false),
            ("--resolve", "Example.com:443:[::1],127.0.0.1", true),
            ("--resolve", "a", false),
            ("--resolve", "a:1", false),
            ("--resolve", "a:b:127.0.0.1", false),
            ("--resolve", "a:99999:127.0.0.1", false),
            ("--resolve", "127.0.0.1:80:127.0.0.1", false),
            ("--resolve", "a:80:b", false),
        ] {
            let ran = check(&["--agent", WHO, flag, value]);
            assert_eq!(ran.code, Some(if fine { 3 } else { 2 }), "{flag} {value}: {}", ran.err());
        }
    }

    /// The header that is sent has a contact, and the rules for its product token apply, or those for the other names:
    /// [cmd.identity]
    #[test]
    fn headers_and_tokens() {
        let danbot = "Mozilla/5.0 (compatible; DanBot/1.0; +http://www.example.com/about)";
        for (args, sent, rules) in [
            (&["--agent", WHO][..], WHO, "MyBot"),
            (&["--agent", "MyBot-Image", "--agent", WHO], WHO, "MyBot-Image, MyBot"),
            (&["--agent", "Googlebot", "--user-agent", WHO], WHO, "Googlebot"),
            (&["--agent", danbot], danbot, "DanBot"),
            (&["--agent", "MyBot/1.0 (bot@example.com)"], "MyBot/1.0 (bot@example.com)", "MyBot"),
        ] {
            let ran = check(args).code(3);
            let names = format!("User-Agent {sent} (rules for ");
            assert!(ran.err().contains(&names), "{}", ran.err());
            assert!(ran.err().contains(rules), "{}", ran.err());
        }
        for args in [
            &[][..],
            &["--agent", WHO, "--user-agent", "MyBot/1.0"],
            &["--agent", "(+https://e.com)"],
            &["--agent", "My\nBot/1 (+https://e.com)"],
        ] {
            check(args).code(2);
        }
    }
}

/// What is meant is said where a word is not what it seems. [cmd.mistake] [cmd.url-in-place]
#[test]
fn a_word_in_another_place_says_what_to_write() {
    let dir = Dir::new();
    dir.write("robots.txt", "User-agent: *\nDisallow: /a\n");
    for (line, advice) in [
        ("lint --jsn robots.txt", "unexpected argument '--jsn'"),
        ("filtr robots.txt", "a similar subcommand exists: 'filter'"),
        ("lint --only foo robots.txt", "possible values: google-differs, "),
        ("lint --stdin-filename x robots.txt", "write `-` as FILE"),
        ("test --agent A --stdin-filename x robots.txt /a", "write `-` as FILE"),
        ("test -agent=A robots.txt /a", "-agent: write `--agent`"),
        ("filter -agent A robots.txt", "-agent: write `--agent`"),
        ("filter --agent My Bot robots.txt", "Bot: no such file; a name with blanks needs quotes"),
    ] {
        let ran = dir.run(&line.split(' ').collect::<Vec<_>>()).code(2);
        assert!(ran.err().contains(advice), "{line}: {}", ran.err());
        assert_eq!(ran.out(), "", "{line}");
    }
}

/// [cmd.mistake]
#[test]
fn a_list_whose_names_end_otherwise_says_so() {
    let dir = Dir::new();
    dir.write("robots.txt", "User-agent: *\nDisallow: /a\n");
    dir.write("nul", "robots.txt\0robots.txt\0");
    dir.write("lines", "robots.txt\nrobots.txt\n");
    let ran = dir.run(&["batch", "--agent", "A", "--files-from", "nul"]).code(3);
    assert!(ran.err().contains("write each name on a line of its own"), "{}", ran.err());
    dir.run(&["test", "--agent", "A", "--files-from", "lines", "/b"]).ok();
}

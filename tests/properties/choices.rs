//! The choices that a property is checked with.
//!
//! Invariant: what is derived from choices (a sieve, a parser, the same without limits) differs from them only in
//! what its name says.

use robosieve::records::Parser;
use robosieve::settings::{Interest, Limits, OverLimit, TextForm};
use robosieve::{Options, Sieve};

/// An agent that no file names: canonical texts are parsed for it.
pub const ANY_BOT: &str = "AnyBot";

/// Options, agents, and the form of the text.
#[derive(Clone, Debug)]
pub struct Choices {
    /// How a file is parsed.
    pub options: Options,
    /// The requested agents, the most preferred first.
    pub agents: Vec<String>,
    /// Whether the records for `*` apply if no record names an agent.
    pub fallback: bool,
    /// The form of the text: faithful or portable.
    pub form: TextForm,
    /// The line ends of the text.
    pub crlf: bool,
}

impl Choices {
    /// These options, for these agents; for `*` if there are none.
    pub fn new(options: Options, agents: &[&str]) -> Self {
        let agents = agents.iter().map(|&agent| agent.to_owned()).collect();
        Self { options, agents, fallback: true, form: TextForm::Faithful, crlf: false }
    }

    /// The agents in the form that the library takes.
    pub fn interest(&self) -> Interest {
        Interest::new(&self.agents).fallback(self.fallback)
    }

    /// The reader of a canonical text: an agent that no record names.
    pub fn reader() -> Interest {
        Interest::new([ANY_BOT])
    }

    /// A sieve for the agents.
    pub fn sieve(&self) -> Sieve {
        Sieve::new(&self.agents).fallback(self.fallback).options(self.for_texts())
    }

    fn for_texts(&self) -> Options {
        Options { crlf: self.crlf, form: self.form, ..self.options.clone() }
    }

    /// The name that a text for the agents has next to `*`.
    pub fn own_name(&self) -> Option<String> {
        self.interest().own_name(self.options.agents).map(str::to_owned)
    }

    /// The readers of a text for the agents: an agent that no record names, and the agents themselves if the text names
    /// them.
    pub fn readers(&self) -> impl Iterator<Item = Interest> {
        [Self::reader()].into_iter().chain(self.own_name().map(|_| self.interest()))
    }

    /// A sieve for a canonical text of one record. A text of any file is whole.
    pub fn second_sieve(&self) -> Sieve {
        Sieve::for_agents(self.readers().last().unwrap()).options(Options { complete: true, ..self.for_texts() })
    }

    /// A sieve that keeps all records.
    pub fn sieve_all(&self) -> Sieve {
        Sieve::all_agents().options(self.for_texts())
    }

    /// A parser of canonical texts, which are whole.
    pub fn text_parser(&self) -> Parser {
        Parser::new(Options { complete: true, ..self.options.clone() })
    }

    /// A parser.
    pub fn parser(&self) -> Parser {
        Parser::new(self.options.clone())
    }

    /// The same choices without any limit.
    pub fn unlimited(&self) -> Self {
        let options = Options { limits: Limits::NONE, ..self.options.clone() };
        Self { options, ..self.clone() }
    }

    /// The same choices, except for what happens over a limit.
    pub fn over_limit(&self, over_limit: OverLimit) -> Self {
        let options = Options { over_limit, ..self.options.clone() };
        Self { options, ..self.clone() }
    }
}

//! The choices that a property is checked under.
//!
//! Invariant: whatever is derived from choices (a sieve, a parser, the same without limits) differs from them in what its
//! name says and in nothing else.

use robosieve::text::Newline;
use robosieve::{Agents, Interest, Limits, Options, OverLimit, Parser, Sieve, TextForm};

/// An agent that no file names: it is what canonical texts are read for.
pub const ANY_BOT: &str = "AnyBot";

/// Options, agents, and how the text is written.
#[derive(Clone, Debug)]
pub struct Choices {
    /// How a file is read.
    pub options: Options,
    /// For whom, the preferred first.
    pub agents: Vec<String>,
    /// Whether `*` answers for agents that no record names.
    pub fallback: bool,
    /// For whom the text is.
    pub form: TextForm,
    /// How lines of the text end.
    pub newline: Newline,
}

impl Choices {
    /// These options, for these agents, and for everyone if none is named.
    pub fn new(options: Options, agents: &[&str]) -> Self {
        let agents = agents.iter().map(|&agent| agent.to_owned()).collect();
        Self { options, agents, fallback: true, form: TextForm::Faithful, newline: Newline::Lf }
    }

    /// The agents, as the library asks for them.
    pub fn interest(&self) -> Interest {
        Interest { agents: Agents::new(&self.agents), fallback: self.fallback }
    }

    /// Who reads a canonical text: nobody in particular.
    pub fn reader() -> Interest {
        Interest { agents: Agents::new([ANY_BOT]), fallback: true }
    }

    /// A sieve for the agents.
    pub fn sieve(&self) -> Sieve {
        let sieve = Sieve::new(&self.agents).fallback(self.fallback);
        sieve.options(self.options.clone()).newline(self.newline).form(self.form)
    }

    /// A sieve for a canonical text of one record.
    pub fn second_sieve(&self) -> Sieve {
        Sieve::new([ANY_BOT]).options(self.options.clone()).newline(self.newline).form(self.form)
    }

    /// A sieve that keeps all records.
    pub fn sieve_all(&self) -> Sieve {
        Sieve::all_agents().options(self.options.clone()).newline(self.newline).form(self.form)
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

    /// The same choices, but for what happens over a limit.
    pub fn over_limit(&self, over_limit: OverLimit) -> Self {
        let options = Options { over_limit, ..self.options.clone() };
        Self { options, ..self.clone() }
    }
}

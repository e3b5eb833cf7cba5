//! The schemas in the `OpenAPI` document of `serve`.

pub(crate) const SCHEMAS: &str = include_str!("../schema/robosieve.json");

//! The schema of answers, and what an answer has of it.
//!
//! A definition whose name begins with a capital is a type of the packages. Its objects are closed here, also where the
//! schema leaves one open for outputs that add a field.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::made;

pub(crate) const FILE: &str = "crates/cli/schema/robosieve.json";

/// What is read of a schema here. Another word would be ignored silently.
const WORDS: [&str; 16] = [
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "description",
    "enum",
    "items",
    "maxItems",
    "minItems",
    "minimum",
    "prefixItems",
    "properties",
    "required",
    "type",
    "unevaluatedProperties",
];

pub(crate) struct Schema {
    text: String,
    document: Value,
}

/// A field of a type.
pub(crate) struct Field<'s> {
    pub(crate) name: &'s str,
    pub(crate) schema: &'s Value,
    pub(crate) is_required: bool,
}

impl Schema {
    pub(crate) fn read() -> Self {
        let text = made::read(FILE);
        let document: Value = serde_json::from_str(&text).unwrap();
        // Programs that make types from it write some names in other capitals.
        let mut names = BTreeSet::new();
        for name in document["$defs"].as_object().unwrap().keys() {
            assert!(names.insert(name.replace(['-', '_'], "").to_lowercase()), "{name} is like another name");
        }
        Self { text, document }
    }

    pub(crate) fn definition(&self, name: &str) -> &Value {
        self.document["$defs"].get(name).unwrap_or_else(|| panic!("{name} is not defined"))
    }

    /// The name of another definition, and whether it is a type.
    pub(crate) fn reference(schema: &Value) -> Option<(&str, bool)> {
        let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
        Some((name, name.starts_with(char::is_uppercase)))
    }

    /// The types whose fields this one has.
    pub(crate) fn bases(schema: &Value) -> impl Iterator<Item = &str> {
        list(schema, "allOf").iter().filter_map(Self::reference).map(|one| one.0)
    }

    /// A type's own fields, in the order of the file.
    pub(crate) fn own_fields(&self, name: &str) -> Vec<Field<'_>> {
        let schema = self.definition(name);
        let is_required = |field: &str| list(schema, "required").iter().any(|one| one == field);
        let start = self.text.find(&format!("\n    \"{name}\": ")).unwrap();
        let start = start + self.text[start..].find("\"properties\"").unwrap_or(0);
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut fields: Vec<_> =
            properties.map(|(field, schema)| Field { name: field, schema, is_required: is_required(field) }).collect();
        fields.sort_by_key(|field| self.text[start..].find(&format!("\"{}\": ", field.name)));
        fields
    }

    /// Checks a value, and notes what it has.
    pub(crate) fn check(
        &self,
        schema: &Value,
        value: &Value,
        at: &str,
        seen: &mut BTreeSet<String>,
    ) -> Result<(), String> {
        if let Some((name, is_type)) = Self::reference(schema) {
            let definition = self.definition(name);
            if is_type && definition.get("properties").is_some() {
                return self.check_object(name, value, seen);
            }
            return self.check(definition, value, if is_type { name } else { at }, seen);
        }
        let kinds = list(schema, "anyOf");
        if !kinds.is_empty() {
            let mut why = String::new();
            for kind in kinds {
                let mut of_this = BTreeSet::new();
                match self.check(kind, value, at, &mut of_this) {
                    Ok(()) => {
                        seen.append(&mut of_this);
                        return Ok(());
                    }
                    Err(error) => why = error,
                }
            }
            return Err(why);
        }
        if let Some(name) = choices(schema).find(|choice| *choice == value) {
            seen.insert(format!("{at} = {name}"));
            return Ok(());
        }
        let kind = types(schema).find(|kind| is(kind, value));
        let Some(kind) = kind else { return Err(format!("{at} is {value}, not {schema}")) };
        seen.insert(format!("{at} is {kind}"));
        if let (Some(least), Some(number)) = (schema.get("minimum"), value.as_f64())
            && number < least.as_f64().unwrap()
        {
            return Err(format!("{at} is {number}, not {schema}"));
        }
        if let Some(values) = value.as_array() {
            let (first, count) = (list(schema, "prefixItems"), |name| schema.get(name).and_then(Value::as_u64));
            let length = values.len() as u64;
            if count("minItems").is_some_and(|least| length < least)
                || count("maxItems").is_some_and(|most| length > most)
            {
                return Err(format!("{at} has {length} values, not {schema}"));
            }
            for (place, value) in values.iter().enumerate() {
                let schema =
                    first.get(place).or_else(|| schema.get("items")).ok_or_else(|| format!("{at} is too long"))?;
                self.check(schema, value, at, seen)?;
            }
        }
        for value in value.as_object().into_iter().flat_map(|object| object.values()) {
            self.check(&schema["additionalProperties"], value, at, seen)?;
        }
        Ok(())
    }

    fn check_object(&self, name: &str, value: &Value, seen: &mut BTreeSet<String>) -> Result<(), String> {
        let object = value.as_object().ok_or_else(|| format!("{name} is {value}"))?;
        if let Some(missing) = self.required(name).iter().find(|field| !object.contains_key(**field)) {
            return Err(format!("{name} has no {missing} in {value}"));
        }
        for (key, value) in object {
            let (of, field) =
                self.field(name, key).ok_or_else(|| format!("{name} has {key:?}, which its schema has not"))?;
            self.check(field, value, &format!("{of}.{key}"), seen)?;
        }
        Ok(())
    }

    /// A field of a type or of its bases, and whose it is.
    fn field<'s>(&'s self, name: &'s str, key: &str) -> Option<(&'s str, &'s Value)> {
        let definition = self.definition(name);
        let own = definition.get("properties").and_then(|fields| fields.get(key)).map(|field| (name, field));
        own.or_else(|| Self::bases(definition).find_map(|base| self.field(base, key)))
    }

    fn required<'s>(&'s self, name: &str) -> Vec<&'s str> {
        let definition = self.definition(name);
        let own = list(definition, "required").iter().filter_map(Value::as_str);
        own.chain(Self::bases(definition).flat_map(|base| self.required(base))).collect()
    }

    /// All that a value can have.
    pub(crate) fn possible(&self, schema: &Value, at: &str, all: &mut BTreeSet<String>) {
        for word in schema.as_object().unwrap().keys() {
            assert!(WORDS.contains(&&**word), "{at}: a schema of answers has no {word:?}");
        }
        if let Some((name, is_type)) = Self::reference(schema) {
            let definition = self.definition(name);
            return self.possible(definition, if is_type { name } else { at }, all);
        }
        for part in list(schema, "allOf").iter().chain(list(schema, "anyOf")) {
            self.possible(part, at, all);
        }
        for (field, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.possible(schema, &format!("{at}.{field}"), all);
        }
        all.extend(choices(schema).map(|choice| format!("{at} = {choice}")));
        if choices(schema).next().is_none() && schema.get("properties").is_none() {
            all.extend(types(schema).map(|kind| format!("{at} is {kind}")));
        }
        let values = [schema.get("items"), schema.get("additionalProperties")].into_iter().flatten();
        for value in list(schema, "prefixItems").iter().chain(values).filter(|value| value.is_object()) {
            self.possible(value, at, all);
        }
    }
}

pub(crate) fn list<'s>(schema: &'s Value, name: &str) -> &'s [Value] {
    schema.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The only values that there are.
pub(crate) fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    list(schema, "enum").iter().chain(schema.get("const"))
}

/// The names of the types that a value can have.
pub(crate) fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let one = schema.get("type").and_then(Value::as_str);
    one.into_iter().chain(list(schema, "type").iter().filter_map(Value::as_str))
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "array" => value.is_array(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "string" => value.is_string(),
        other => panic!("a schema of answers has no type {other:?}"),
    }
}

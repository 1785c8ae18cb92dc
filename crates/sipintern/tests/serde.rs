//! Ids in files.
#![cfg(feature = "serde")]

use serde::{Deserialize, Serialize};
use sipintern::{Symbol, symbol};

#[derive(Serialize, Deserialize, PartialEq, Debug)]
struct Row {
    id: Symbol,
    parent: Option<Symbol>,
    text: String,
}

#[test]
fn ids_are_numbers() {
    let row = Row { id: symbol!("conv2d"), parent: Some(Symbol::MAX), text: "conv2d".into() };
    let json = serde_json::to_string(&row).unwrap();
    assert_eq!(json, r#"{"id":696427417467970,"parent":1125899906842624,"text":"conv2d"}"#);
    assert_eq!(serde_json::from_str::<Row>(&json).unwrap(), row);
    assert_eq!(serde_json::from_str::<Symbol>("1").unwrap(), Symbol::from_hash(0));
}

#[test]
fn other_numbers_are_refused() {
    for bad in ["0", "1125899906842625", "18446744073709551615", "-1", "1.5", "\"1\"", "null"] {
        let error = serde_json::from_str::<Symbol>(bad).unwrap_err().to_string();
        assert!(error.contains("an id in 1..=2^50"), "{bad}: {error}");
    }
    let error = serde_json::from_str::<Symbol>("0").unwrap_err().to_string();
    assert!(error.starts_with("invalid value: integer `0`"), "{error}");
}

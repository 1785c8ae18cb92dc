//! [`Kind`]: what sort of file it is, which the runtime takes for the model to run.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use sys_trace::Symbol;

/// The kind of a file without extension.
const NO_EXTENSION: &str = "(no extension)";

/// The kind of a file: its extension in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) name: Arc<str>,
    /// The interned id of the name.
    pub(crate) model_id: u64,
}

impl Kind {
    fn of(path: &Path) -> Kind {
        let name = match path.extension().map(|extension| extension.to_str()) {
            None => NO_EXTENSION.into(),
            Some(Some("")) => NO_EXTENSION.into(),
            Some(None) => "(not UTF-8)".into(),
            Some(Some(extension)) => extension.to_lowercase(),
        };
        // The id depends on the bytes alone. The core that meets the kind stores the text.
        Kind { model_id: Symbol::of(&name).get(), name: name.into() }
    }
}

/// Kinds met so far, so that each is worked out once.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    known: HashMap<Option<OsString>, Kind>,
}

impl Kinds {
    pub(crate) fn of(&mut self, path: &Path) -> Kind {
        let extension = path.extension().map(OsString::from);
        self.known.entry(extension).or_insert_with(|| Kind::of(path)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_the_extension_in_lower_case() {
        let mut kinds = Kinds::default();
        let mut name = |path: &str| kinds.of(Path::new(path)).name.to_string();
        assert_eq!(name("a/b.RS"), "rs");
        assert_eq!(name("a.b/c"), "(no extension)");
        assert_eq!(name(".hidden"), "(no extension)");
        assert_eq!(name("a.tar.gz"), "gz");
        assert_eq!(name("a."), "(no extension)");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_not_utf8_have_a_kind() {
        use std::os::unix::ffi::OsStrExt;
        let path = |bytes| Path::new(std::ffi::OsStr::from_bytes(bytes));
        assert_eq!(&*Kind::of(path(b"a.\xff")).name, "(not UTF-8)");
        assert_eq!(&*Kind::of(path(b"\xff.txt")).name, "txt");
    }
}

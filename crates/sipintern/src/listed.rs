//! The collisions that are kept: a list that only grows.
//!
//! 1. A node is hooked in once, under the insert lock of the table, after it is complete.
//! 2. A node that has been hooked in is freed by `Drop` alone, which has the list for itself.
#![allow(unsafe_code, reason = "nodes are shared by raw pointer")]

use crate::Symbol;
use crate::lock::Taken;
use crate::memory::{NoMemory, try_box};
use crate::order;
use crate::record::{Source, same};
use alloc::boxed::Box;
use alloc::string::String;
use core::ptr;
use syncface::atomic::AtomicPtr;

enum Text {
    Static(&'static str),
    Copied(String),
}

pub(crate) struct Node {
    pub(crate) id: Symbol,
    text: Text,
    next: AtomicPtr<Node>,
    /// Stands for the rest where loom watches.
    #[cfg(loom)]
    witness: syncface::cell::UnsafeCell<()>,
}

impl Node {
    pub(crate) fn source(&self) -> Source<'_> {
        match &self.text {
            Text::Static(text) => Source::Static(text),
            Text::Copied(text) => Source::Copied(text),
        }
    }
}

pub(crate) struct List(AtomicPtr<Node>);

impl List {
    syncface::maybe_const! {
        pub(crate) fn new() -> Self {
            Self(AtomicPtr::new(ptr::null_mut()))
        }
    }

    /// The nodes in the order in which they came.
    pub(crate) fn iter(&self) -> Nodes<'_> {
        Nodes { link: &self.0 }
    }

    pub(crate) fn contains(&self, id: Symbol, text: &str) -> bool {
        self.iter().any(|node| node.id == id && same(node.source().text(), text))
    }

    /// Hooks a text in at the end. On `Err` nothing has changed.
    pub(crate) fn try_push(
        &self,
        id: Symbol,
        source: Source<'_>,
        _held: &Taken<'_>,
    ) -> Result<(), NoMemory> {
        let text = match source {
            Source::Static(text) => Text::Static(text),
            Source::Copied(text) => {
                let mut copy = String::new();
                copy.try_reserve_exact(text.len()).map_err(|_| NoMemory)?;
                copy.push_str(text);
                Text::Copied(copy)
            }
        };
        let node = try_box(Node {
            id,
            text,
            next: AtomicPtr::new(ptr::null_mut()),
            #[cfg(loom)]
            witness: syncface::cell::UnsafeCell::new(()),
        })?;
        #[cfg(loom)]
        node.witness.with_mut(|_| ());
        let link = self.iter().last().map_or(&self.0, |node| &node.next);
        link.store(Box::into_raw(node), order::list_publish());
        Ok(())
    }
}

impl Drop for List {
    fn drop(&mut self) {
        let mut next = self.0.load(order::PLAIN);
        while !next.is_null() {
            // SAFETY: made by `Box::into_raw` and linked once; nobody has it, by invariant 2.
            let node = unsafe { Box::from_raw(next) };
            next = node.next.load(order::PLAIN);
        }
    }
}

#[derive(Clone)]
pub(crate) struct Nodes<'a> {
    link: &'a AtomicPtr<Node>,
}

impl<'a> Iterator for Nodes<'a> {
    type Item = &'a Node;

    fn next(&mut self) -> Option<&'a Node> {
        let node = self.link.load(order::list_look());
        // SAFETY: null, or complete, by invariant 1, and there while the list is borrowed, by 2.
        let node = unsafe { node.as_ref() }?;
        #[cfg(loom)]
        node.witness.with(|_| ());
        self.link = &node.next;
        Some(node)
    }
}

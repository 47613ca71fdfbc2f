//! The tree of a collection, in three arenas: no node owns another, so deep
//! variations cost no stack, neither in reading nor in dropping.

use std::borrow::Cow;

use super::error::{Place, SgfError, SgfErrorKind, Warning};
use super::value::{escape, unescape};

/// No node, property or value.
const NONE: u32 = u32::MAX;

/// A node of a [`Collection`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// Bytes of the text of the collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }
}

#[derive(Clone, Debug)]
struct Node {
    parent: u32,
    first_child: u32,
    last_child: u32,
    next_sibling: u32,
    first_property: u32,
    last_property: u32,
    /// Offset of its semicolon, or [`NONE`] for a node that was not read.
    at: u32,
}

#[derive(Clone, Debug)]
struct PropertyRow {
    name: Span,
    first_value: u32,
    last_value: u32,
    next: u32,
}

#[derive(Clone, Debug)]
struct ValueRow {
    raw: Span,
    next: u32,
}

/// Game records of one file.
#[derive(Clone, Debug)]
pub struct Collection {
    name: String,
    /// What was read, followed by what was added.
    text: String,
    /// Length of what was read.
    source_len: usize,
    encoding: &'static str,
    nodes: Vec<Node>,
    properties: Vec<PropertyRow>,
    values: Vec<ValueRow>,
    games: Vec<NodeId>,
    pub(super) warnings: Vec<Warning>,
}

impl Collection {
    /// A collection without games; `name` stands in its errors.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::over(name, String::new(), "UTF-8")
    }

    /// A collection over `text`, not parsed yet.
    pub(super) fn over(name: &str, text: String, encoding: &'static str) -> Self {
        Collection {
            name: name.to_owned(),
            source_len: text.len(),
            text,
            encoding,
            nodes: Vec::new(),
            properties: Vec::new(),
            values: Vec::new(),
            games: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The file, as the caller named it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The encoding that the file was in.
    #[must_use]
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }

    /// What was odd in the file; only the first hundred or so.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The root nodes of the games.
    #[must_use]
    pub fn roots(&self) -> &[NodeId] {
        &self.games
    }

    /// Number of nodes in all games.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The text that was read.
    pub(super) fn source(&self) -> &str {
        &self.text[..self.source_len]
    }

    pub(super) fn is_ascii(&self) -> bool {
        self.text.is_ascii()
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start as usize..span.end as usize]
    }

    /// The node before `node`.
    #[must_use]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        link(self.nodes[node.0 as usize].parent)
    }

    /// The main continuation of `node`.
    #[must_use]
    pub fn first_child(&self, node: NodeId) -> Option<NodeId> {
        link(self.nodes[node.0 as usize].first_child)
    }

    /// The continuations of `node`, the main one first.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.first_child(node);
        std::iter::successors(first, |&child| self.next_sibling(child))
    }

    pub(super) fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        link(self.nodes[node.0 as usize].next_sibling)
    }

    /// Whether `node` is one of several continuations.
    pub(super) fn has_siblings(&self, node: NodeId) -> bool {
        self.parent(node).is_some_and(|parent| {
            let parent = &self.nodes[parent.0 as usize];
            parent.first_child != parent.last_child
        })
    }

    /// Where `node` begins in the file; the end of the file for a node that
    /// was not read from it.
    #[must_use]
    pub fn place(&self, node: NodeId) -> Place {
        Place::of(self.source(), self.nodes[node.0 as usize].at.min(self.source_len as u32) as usize)
    }

    /// The place of `property`, or of its node if that was added later.
    #[must_use]
    pub fn property_place(&self, property: &Property<'_>) -> Place {
        let start = self.properties[property.index as usize].name.start as usize;
        if start < self.source_len { Place::of(self.source(), start) } else { self.place(property.node) }
    }

    /// An error about `node`.
    #[must_use]
    pub fn error_at(&self, node: NodeId, kind: SgfErrorKind) -> SgfError {
        SgfError { name: self.name.clone(), place: self.place(node), kind }
    }

    /// The properties of `node` in the order of the file; a name may come
    /// more than once.
    pub fn properties(&self, node: NodeId) -> impl Iterator<Item = Property<'_>> + '_ {
        let row = &self.nodes[node.0 as usize];
        let at = move |index: u32| (index != NONE).then_some(Property { collection: self, node, index });
        std::iter::successors(at(row.first_property), move |property| {
            at(self.properties[property.index as usize].next)
        })
    }

    /// The first property called `name`.
    #[must_use]
    pub fn property(&self, node: NodeId, name: &str) -> Option<Property<'_>> {
        self.properties(node).find(|property| property.name() == name)
    }

    /// The raw values of all properties called `name`, joined.
    pub fn values<'a>(&'a self, node: NodeId, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.properties(node).filter(move |p| p.name() == name).flat_map(|p| p.values())
    }

    /// The first value of `name` as text.
    #[must_use]
    pub fn text(&self, node: NodeId, name: &str) -> Option<Cow<'_, str>> {
        self.property(node, name)?.values().next().map(unescape)
    }

    /// Adds a game and gives its root.
    pub fn add_game(&mut self) -> NodeId {
        let root = self.push_node(NONE, NONE);
        self.games.push(root);
        root
    }

    /// Adds a last continuation of `parent`.
    pub fn add_child(&mut self, parent: NodeId) -> NodeId {
        self.push_node(parent.0, NONE)
    }

    /// Adds the raw value `raw` to the property `name` of `node`. Brackets and
    /// backslashes must be escaped already.
    pub fn add_raw(&mut self, node: NodeId, name: &str, raw: &str) {
        let existing = self.property(node, name).map(|property| property.index);
        let property = existing.unwrap_or_else(|| {
            let name = self.append(name);
            self.push_property(node, name)
        });
        let raw = self.append(raw);
        self.push_value(property, raw);
    }

    /// Adds `text` as a value of the property `name` of `node`.
    pub fn add_text(&mut self, node: NodeId, name: &str, text: &str) {
        self.add_raw(node, name, &escape(text));
    }

    /// Gives `node` the property `name` with the one value `text`, in place of
    /// what it had.
    pub fn set_text(&mut self, node: NodeId, name: &str, text: &str) {
        self.remove(node, name);
        self.add_text(node, name, text);
    }

    /// Takes the property `name` from `node`.
    pub fn remove(&mut self, node: NodeId, name: &str) {
        let kept: Vec<u32> =
            self.properties(node).filter(|p| p.name() != name).map(|property| property.index).collect();
        let row = &mut self.nodes[node.0 as usize];
        row.first_property = kept.first().copied().unwrap_or(NONE);
        row.last_property = kept.last().copied().unwrap_or(NONE);
        for (i, &index) in kept.iter().enumerate() {
            self.properties[index as usize].next = kept.get(i + 1).copied().unwrap_or(NONE);
        }
    }

    /// Keeps `text` behind what was read.
    pub(super) fn append(&mut self, text: &str) -> Span {
        let start = self.text.len();
        self.text.push_str(text);
        Span::new(start, self.text.len())
    }

    /// A new node that was read at `offset`.
    pub(super) fn read_node(&mut self, parent: Option<NodeId>, offset: usize) -> NodeId {
        let node = self.push_node(parent.map_or(NONE, |parent| parent.0), offset as u32);
        if parent.is_none() {
            self.games.push(node);
        }
        node
    }

    fn push_node(&mut self, parent: u32, at: u32) -> NodeId {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node {
            parent,
            first_child: NONE,
            last_child: NONE,
            next_sibling: NONE,
            first_property: NONE,
            last_property: NONE,
            at,
        });
        if let Some(row) = self.nodes.get_mut(parent as usize) {
            let elder = std::mem::replace(&mut row.last_child, id);
            match self.nodes.get_mut(elder as usize) {
                Some(elder) => elder.next_sibling = id,
                None => self.nodes[parent as usize].first_child = id,
            }
        }
        NodeId(id)
    }

    pub(super) fn push_property(&mut self, node: NodeId, name: Span) -> u32 {
        let id = self.properties.len() as u32;
        self.properties.push(PropertyRow { name, first_value: NONE, last_value: NONE, next: NONE });
        let row = &mut self.nodes[node.0 as usize];
        let last = std::mem::replace(&mut row.last_property, id);
        match self.properties.get_mut(last as usize) {
            Some(last) => last.next = id,
            None => row.first_property = id,
        }
        id
    }

    pub(super) fn push_value(&mut self, property: u32, raw: Span) {
        let id = self.values.len() as u32;
        self.values.push(ValueRow { raw, next: NONE });
        let row = &mut self.properties[property as usize];
        let last = std::mem::replace(&mut row.last_value, id);
        match self.values.get_mut(last as usize) {
            Some(last) => last.next = id,
            None => row.first_value = id,
        }
    }
}

fn link(index: u32) -> Option<NodeId> {
    (index != NONE).then_some(NodeId(index))
}

/// A property of a node.
#[derive(Clone, Copy, Debug)]
pub struct Property<'a> {
    collection: &'a Collection,
    node: NodeId,
    index: u32,
}

impl<'a> Property<'a> {
    /// The name in capitals.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.collection.slice(self.collection.properties[self.index as usize].name)
    }

    /// The values, raw: see [`unescape`] and [`split_composed`].
    ///
    /// [`split_composed`]: super::split_composed
    pub fn values(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let collection = self.collection;
        let row = |index: u32| collection.values.get(index as usize);
        let first = row(collection.properties[self.index as usize].first_value);
        std::iter::successors(first, move |value| row(value.next)).map(|value| collection.slice(value.raw))
    }
}

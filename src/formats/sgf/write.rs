//! Writing: tree to text, in UTF-8, without recursion.

use std::fmt;
use std::io::{self, Write};

use super::tree::{Collection, NodeId};

/// Lines are broken before the node that would begin beyond this column.
const LINE_LENGTH: usize = 72;

enum Task {
    Open(NodeId),
    Close,
}

impl Collection {
    /// Writes all games, in UTF-8; CA says so where the text needs it.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        self.roots().iter().try_for_each(|&root| self.write_game(out, root))
    }

    fn write_game(&self, out: &mut impl Write, root: NodeId) -> io::Result<()> {
        let mut tasks = vec![Task::Open(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Close => out.write_all(b")")?,
                Task::Open(first) => {
                    out.write_all(if first == root { b"(" } else { b"\n(" })?;
                    let last = self.write_run(out, first, root)?;
                    tasks.push(Task::Close);
                    let from = tasks.len();
                    tasks.extend(self.children(last).map(Task::Open));
                    tasks[from..].reverse();
                }
            }
        }
        out.write_all(b"\n")
    }

    /// Writes `node` and what follows up to a fork or the end; gives the last
    /// node written.
    fn write_run(&self, out: &mut impl Write, mut node: NodeId, root: NodeId) -> io::Result<NodeId> {
        let mut column = 0;
        loop {
            let text = self.node_text(node, node == root);
            if column > 0 && column + text.len() > LINE_LENGTH {
                out.write_all(b"\n")?;
                column = 0;
            }
            out.write_all(text.as_bytes())?;
            column += text.len();
            match self.first_child(node) {
                Some(child) if !self.has_siblings(child) => node = child,
                _ => return Ok(node),
            }
        }
    }

    fn node_text(&self, node: NodeId, is_root: bool) -> String {
        let mut text = String::from(";");
        let mut names_encoding = false;
        for property in self.properties(node) {
            text.push_str(property.name());
            if is_root && property.name() == "CA" {
                names_encoding = true;
                text.push_str("[UTF-8]");
                continue;
            }
            for raw in property.values() {
                text.extend(["[", raw, "]"]);
            }
        }
        if is_root && !names_encoding && !self.is_ascii() {
            text.push_str("CA[UTF-8]");
        }
        text
    }
}

impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes).map_err(|_| fmt::Error)?;
        f.write_str(&String::from_utf8_lossy(&bytes))
    }
}

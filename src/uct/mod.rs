//! Monte Carlo tree search (UCT) for Go.

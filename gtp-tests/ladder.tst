# Ladders: going on, running only where it helps, and stones in the way.
loadsgf ../sgf/ladder.sgf
10 countlib G6
#? [2]
11 findlib G6
#? [(H6 G7|G7 H6)]
# The one atari from which the stones cannot get away.
20 reg_genmove b
#? [H6]
play b H6
# Running is no use: the corner is empty.
21 reg_genmove w
#? [!G7]
# With a stone on the way it is all that matters.
loadsgf ../sgf/ladder.sgf
play w L11
play b H6
30 reg_genmove w
#? [G7]
play w G7
31 countlib G7
#? [2]
# Taking a stone that gives atari ends a ladder too.
boardsize 9
clear_board
play b E5
play b D4
play b C5
play w D5
play w E4
play w F5
play w E7
40 countlib D5
#? [1]
41 countlib E5
#? [1]
42 reg_genmove b
#? [D6]

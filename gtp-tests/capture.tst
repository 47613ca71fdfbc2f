# Captures that a move decides, on a small board.
boardsize 9
clear_board
komi 7
play b E5
play w D5
play w F5
play w E4
10 findlib E5
#? [E6]
11 countlib D5
#? [3]
# White takes, or Black runs.
20 reg_genmove w
#? [E6]
# Snapback.
clear_board
play b D6
play w C7
play b C5
play w C6
play b E7
play w D4
play b B6
play w D5
play b D8
play w E6
play b C8
play w F6
play b B7
play w D7
30 is_legal b D6
#? [1]

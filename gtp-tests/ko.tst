# Ko: what may not be retaken, and until when.
loadsgf ../sgf/ko.sgf
10 captures b
#? [1]
11 is_legal w D5
#? [0]
play w D5
# The other moves are as before, and nothing has changed.
13 is_legal w D6
#? [0]
14 last_move
#? [black E5]
15 reg_genmove w
#? [!D5]
# A threat and its answer lift the ko.
play w G3
play b H3
20 is_legal w D5
#? [1]
21 play w D5
#? []
22 captures w
#? [1]
23 is_legal b E5
#? [0]
# Undo brings the ko back.
undo
undo
undo
30 is_legal w D5
#? [0]
31 undo
#? []
32 is_legal b E5
#? [1]
# A pass lifts it as well.
play b E5
play w pass
play b pass
40 is_legal w D5
#? [1]
# The record gives the ko, and up to the move before it does not.
loadsgf ../sgf/ko.sgf 9
50 is_legal b E5
#? [1]
# Taking two stones is no ko: both points may be played at once.
boardsize 9
clear_board
play b A3
play b B2
play b C1
play w A2
play w A1
play w B3
play w C2
play w D1
60 play b B1
#? []
61 captures b
#? [2]
62 is_legal w A1
#? [1]
63 is_legal w A2
#? [1]
# Superko remembers positions: with the player to move or without.
boardsize 9
clear_board
kata-set-rules chinese
play w E4
play w F5
play w E6
play w D5
play b D4
play b C5
play b D6
play b E5
play b pass
70 captures b
#? [1]
71 is_legal w D5
#? [1]
72 kata-set-rules aga
#? []
73 is_legal w D5
#? [1]
74 kata-set-rules chinese-kgs
#? []
75 is_legal w D5
#? [0]
76 kata-set-rules chinese
#? []

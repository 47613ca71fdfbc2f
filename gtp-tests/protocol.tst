# The protocol itself: known commands, board sizes, handicap, undo, clocks.
10 protocol_version
#? [2]
11 known_command nonsense
#? [false]
12 known_command genmove
#? [true]
13 known_command GENMOVE
#? [false]
20 boardsize 9 5
#? []
21 query_boardsize
#? [9 5]
22 play b j5
#? []
23 is_legal b J4
#? [1]
boardsize 19
clear_board
30 fixed_handicap 3
#? [D4 Q16 D16]
31 get_handicap
#? [3]
clear_board
32 list_stones b
#? []
33 place_free_handicap 4
#? [([A-T]\d+ ){3}[A-T]\d+]
boardsize 9
clear_board
40 play b E5
#? []
41 last_move
#? [black E5]
42 undo
#? []
43 list_stones b
#? []
50 komi 6.5
#? []
51 get_komi
#? [6.5]
52 komi -0
#? []
53 get_komi
#? [0]
60 time_settings 0 1 1
#? []
61 time_left b 0.5 1
#? []
62 kata-list_time_settings
#? [none absolute byoyomi canadian fischer fischer-capped]
63 kgs-time_settings none
#? []

# The protocol itself: errors, ids, board sizes, handicap, undo.
10 protocol_version
#? [2]
11 nonsense
#? [\? unknown command]
12 known_command nonsense
#? [false]
13 known_command genmove
#? [true]
14 NAME
#? [\? unknown command]
20 boardsize 26
#? [\? unacceptable size]
21 boardsize 1
#? [\? unacceptable size]
22 boardsize 9 5
#? []
23 query_boardsize
#? [9 5]
24 play b J6
#? [\? invalid vertex]
25 play b i5
#? [\? invalid vertex]
26 play b j5
#? []
boardsize 19
clear_board
30 fixed_handicap 3
#? [D4 Q16 D16]
31 fixed_handicap 3
#? [\? board not empty]
32 undo
#? [\? cannot undo]
clear_board
33 set_free_handicap D4 D4
#? [\? invalid vertex list]
34 list_stones b
#? []
35 place_free_handicap 4
#? [([A-T]\d+ ){3}[A-T]\d+]
boardsize 9
clear_board
40 play b E5
#? []
41 play w e5
#? [\? illegal move]
42 play w resign
#? [\? invalid vertex]
43 last_move
#? [black E5]
44 undo
#? []
45 undo
#? [\? cannot undo]
50 komi 6.5
#? []
51 get_komi
#? [6.5]
52 komi x
#? [\? unacceptable komi]
53 komi -0
#? []
54 get_komi
#? [0]
60 time_settings 0 1 1
#? []
61 time_left b 0.5 1
#? []
62 time_left b
#? [\? syntax error.*]
63 kata-list_time_settings
#? [none absolute byoyomi canadian fischer fischer-capped]
64 kgs-time_settings none
#? []
70 final_status_list nonsense
#? [\? invalid status]
71 loadsgf no-such-file.sgf
#? [\? cannot load file]

# What is refused, and that nothing has changed then. Only `tengen regress`
# reads patterns for errors: gogui-regress counts every error as a failure.
11 nonsense
#? [\? unknown command]
12 NAME
#? [\? unknown command]
boardsize 9 5
20 boardsize 26
#? [\? unacceptable size]
21 boardsize 1
#? [\? unacceptable size]
22 query_boardsize
#? [9 5]
24 play b J6
#? [\? invalid vertex]
25 play b i5
#? [\? invalid vertex]
boardsize 19
clear_board
fixed_handicap 3
31 fixed_handicap 3
#? [\? board not empty]
32 undo
#? [\? cannot undo]
clear_board
33 set_free_handicap D4 D4
#? [\? invalid vertex list]
34 list_stones b
#? []
boardsize 9
clear_board
play b E5
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
komi 6.5
52 komi x
#? [\? unacceptable komi]
53 get_komi
#? [6.5]
62 time_left b
#? [\? syntax error.*]
70 final_status_list nonsense
#? [\? invalid status]
loadsgf no-such-file.sgf
71 query_boardsize
#? [9]
80 kgs-rules draughts
#? [\? unknown rules]
# A ko that was just taken.
loadsgf ../sgf/ko.sgf
90 play w D5
#? [\? illegal move]
91 last_move
#? [black E5]

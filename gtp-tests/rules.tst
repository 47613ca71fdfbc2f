# Ko, superko and suicide under the rule sets.
boardsize 9
clear_board
kata-set-rules chinese
play b B1
play b A2
play b B3
play b C2
play w C1
play w D2
play w C3
10 play w B2
#? []
11 is_legal b C2
#? [0]
play b J9
play w J8
12 play b C2
#? []
# Two stones that send each other back: simple ko allows it.
boardsize 7
clear_board
play b A6
play w B4
play b B5
play w B3
play b A4
play w A2
play b G1
play w B2
20 play b A3
#? []
21 play w A5
#? []
22 is_legal b A4
#? [1]
23 kata-set-rules tromp-taylor
#? []
24 is_legal b A4
#? [0]
# Suicide of two stones.
boardsize 9
clear_board
kata-set-rules chinese
play b A1
play w A2
play w B2
play w C1
30 is_legal b B1
#? [0]
31 kata-set-rules new_zealand
#? []
32 play b B1
#? []
33 list_stones b
#? []
34 captures w
#? [2]
# A single stone may never take its own last liberty.
clear_board
play w A2
play w B1
40 is_legal b A1
#? [0]
42 kata-set-rules chinese
#? []

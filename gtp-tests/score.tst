# Scores and the status of stones.
loadsgf ../sgf/walls.sgf
komi 0
10 final_score
#? [W\+9]
11 final_status B8
#? [dead]
12 final_status H2
#? [dead]
13 final_status D1
#? [alive]
14 final_status_list seki
#? []
15 final_status A1
#? [black_territory]
kata-set-rules chinese
20 final_score
#? [W\+9]
komi 5.5
21 final_score
#? [W\+14.5]
loadsgf ../sgf/walls.sgf 3
30 move_history
#? [white E1(\s+black D1)?]

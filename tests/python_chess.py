"""Drives both chess front ends with python-chess: games, analysis, Chess960."""

import sys

import chess
import chess.engine


def play(engine, board, plies):
    for _ in range(plies):
        if board.is_game_over():
            break
        result = engine.play(board, chess.engine.Limit(time=0.02))
        assert result.move in board.legal_moves, (board.fen(), result.move)
        board.push(result.move)


def check(start, protocol):
    with start([sys.argv[1], protocol]) as engine:
        play(engine, chess.Board(), 60)
        play(engine, chess.Board.from_chess960_pos(11), 30)
        board = chess.Board("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
        info = engine.analyse(board, chess.engine.Limit(depth=4))
        assert info["pv"][0].uci() == "b1b8", info
        assert info["score"].white().mate() == 1, info
        with engine.analysis(chess.Board()) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 5:
                    break
        engine.ping()


check(chess.engine.SimpleEngine.popen_uci, "uci")
check(chess.engine.SimpleEngine.popen_xboard, "xboard")

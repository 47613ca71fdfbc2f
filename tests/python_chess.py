"""Drives both chess front ends with python-chess: whole games, pondering,
analysis, Chess960."""

import sys

import chess
import chess.engine


def play(engine, board, limit, ponder=False, plies=400):
    """Plays a game against itself to its end, or for so many plies."""
    for _ in range(plies):
        if board.is_game_over(claim_draw=True):
            break
        result = engine.play(board, limit, ponder=ponder)
        assert result.move in board.legal_moves, (board.fen(), result.move)
        board.push(result.move)
    return board


def ponder(engine):
    """One side plays and ponders; the other makes the move pondered on, or
    another, in turn."""
    board = chess.Board()
    hits = 0
    for turn in range(12):
        result = engine.play(board, chess.engine.Limit(time=0.03), ponder=True)
        assert result.move in board.legal_moves, (board.fen(), result.move)
        board.push(result.move)
        replies = list(board.legal_moves)
        if not replies:
            break
        expected = result.ponder
        if expected is not None:
            assert expected in replies, (board.fen(), expected)
        if expected is not None and turn % 2 == 0:
            hits += 1
            board.push(expected)
        else:
            board.push(next((move for move in replies if move != expected), replies[0]))
    return hits


def analyse(engine):
    board = chess.Board("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1")
    info = engine.analyse(board, chess.engine.Limit(depth=4))
    assert info["pv"][0].uci() == "b1b8", info
    assert info["score"].white().mate() == 1, info
    with engine.analysis(chess.Board()) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 5:
                break


def choose(engine):
    """Plays one of two moves that it is bound to."""
    only = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    result = engine.play(chess.Board(), chess.engine.Limit(depth=3), root_moves=only)
    assert result.move in only, result


def check(start, protocol):
    with start([sys.argv[1], protocol]) as engine:
        quick = chess.engine.Limit(depth=3)
        board = play(engine, chess.Board(), quick)
        assert board.is_game_over(claim_draw=True) or board.ply() >= 400, board.fen()
        for number in (11, 518, 959):
            play(engine, chess.Board.from_chess960_pos(number), quick, plies=80)
        clock = chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.01, black_inc=0.01)
        play(engine, chess.Board(), clock, plies=16)
        if protocol == "uci":
            assert ponder(engine) > 0
            choose(engine)
            lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=5), multipv=3)
            assert len({line["pv"][0] for line in lines}) == 3, lines
        else:
            play(engine, chess.Board(), quick, ponder=True, plies=20)
        analyse(engine)
        engine.ping()


check(chess.engine.SimpleEngine.popen_uci, "uci")
check(chess.engine.SimpleEngine.popen_xboard, "xboard")

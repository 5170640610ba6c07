"""The paper, reproduced: every published number beside ours."""

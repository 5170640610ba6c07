"""Many tasks at once: here, in processes, on a real cluster; logs that are taken up again; workers that die."""

import json
import os
import subprocess
import sys
import time

import pytest

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.fragility import fragility
from holdfast.design.recommend.recommending import recommend, recommendation_object
from holdfast.errors import InputError, LimitError
from holdfast.running.tasks import Backend, run_tasks, whole
from holdfast.scenario.reading import configuration, scenario_from_text
from tasks import fatal, fatal_once, halves, killed_on_the_way, limited, place, slow, square

TWO = Budget(jobs=2)
AT_ONCE = Backend(patience=-1.0)


def test_quick_tasks_are_done_here():
    assert whole(run_tasks(place, {str(n): n for n in range(3)}, TWO)) == {
        str(n): os.getpid() for n in range(3)
    }


def test_processes_give_the_same_answers():
    tasks = {str(n): n for n in range(40)}
    assert whole(run_tasks(square, tasks, TWO, AT_ONCE)) == whole(run_tasks(square, tasks, Budget(jobs=1)))
    elsewhere = set(whole(run_tasks(place, tasks, TWO, AT_ONCE)).values())
    assert os.getpid() not in elsewhere


def test_one_job_starts_no_process():
    assert whole(run_tasks(place, {"a": 1, "b": 2}, Budget(jobs=1), AT_ONCE)) == {
        "a": os.getpid(),
        "b": os.getpid(),
    }


def test_the_limit_of_one_task_is_its_own():
    for budget in (Budget(jobs=1), TWO):
        found = dict(run_tasks(limited, {str(n): n for n in range(4)}, budget, AT_ONCE))
        assert {key for key, answer in found.items() if answer.failure} == {"2"}
        assert found["2"].failure == "too large" and found["3"].value == 3
    with pytest.raises(LimitError, match="too large"):
        whole(run_tasks(limited, {"2": 2}, Budget(jobs=1)))


def test_a_worker_that_dies_costs_its_task():
    found = dict(run_tasks(fatal, {str(n): n for n in (1, 2, -1, 3, 4, 5, 6)}, TWO, AT_ONCE))
    assert {key for key, answer in found.items() if answer.failure} == {"-1"}
    assert "died" in found["-1"].failure
    assert sorted(answer.value for answer in found.values() if not answer.failure) == [1, 2, 3, 4, 5, 6]


def test_a_task_whose_worker_died_for_another_reason_is_done_again(tmp_path):
    found = whole(run_tasks(fatal_once, {str(n): (str(tmp_path), n) for n in range(8)}, TWO, AT_ONCE))
    assert found == {str(n): n for n in range(8)} and (tmp_path / "died-3").exists()


def test_a_log_is_taken_up_again(tmp_path):
    log = tmp_path / "log.jsonl"
    first = run_tasks(square, {str(n): n for n in range(6)}, UNLIMITED, Backend(log=log))
    for _ in range(3):
        next(first)
    first.close()  # as when the program is killed
    log.write_bytes(log.read_bytes() + b'{"key": "3", "val')
    asked = []

    def counted(task, budget):
        asked.append(task)
        return task * task

    found = whole(run_tasks(counted, {str(n): n for n in range(6)}, UNLIMITED, Backend(log=log)))
    assert found == {str(n): n * n for n in range(6)} and asked == [3, 4, 5]
    keys = []
    for line in log.read_text().splitlines():
        try:
            keys.append(json.loads(line)["key"])
        except ValueError:
            assert line == '{"key": "3", "val'
    assert sorted(keys) == [str(n) for n in range(6)]
    asked.clear()
    whole(run_tasks(counted, {"0": 0}, UNLIMITED, Backend(log=log, about="another scenario ")))
    assert asked == [0]
    asked.clear()
    whole(run_tasks(counted, {"0": 0}, UNLIMITED, Backend(log=log, about="another scenario ")))
    assert asked == []


def test_an_entry_of_a_log_that_was_changed_is_worked_out_again(tmp_path):
    """Should believe no value, key or array that does not fit its seal, and say how many there were."""
    changes = {
        "edited value": lambda line: line.replace('"value": 4', '"value": 5'),
        "other key": lambda line: line.replace('"key": "2"', '"key": "3"'),
        "malformed value": lambda line: line.replace('"value": 4', '"value": {"array of": "x"}'),
        "no seal": lambda line: '{"key": "2", "value": 5}\n',
        "null": lambda line: '{"key": "2", "value": null, "seal": null}\n',
    }
    for what, change in changes.items():
        log, told, asked = tmp_path / f"{what}.jsonl", [], []
        whole(run_tasks(square, {"2": 2}, UNLIMITED, Backend(log=log)))
        line = log.read_text()
        assert change(line) != line
        log.write_text(change(line))

        def counted(task, budget, asked=asked):
            asked.append(task)
            return task * task

        for _ in range(2):
            place = Backend(log=log, warn=told.append)
            assert whole(run_tasks(counted, {"2": 2, "3": 3}, UNLIMITED, place)) == {"2": 4, "3": 9}, what
        assert asked == [2, 3], what
        assert len(told) == 2 and "1 entry" in told[0] and "computed again" in told[0], (what, told)
    with pytest.warns(UserWarning, match="damaged or edited"):
        whole(run_tasks(square, {"2": 2}, UNLIMITED, Backend(log=log)))


def test_a_file_that_is_no_log_is_left_as_it_is(tmp_path):
    """Should not add to a scenario that was named by mistake; to an entry that was cut off it may."""
    other, cut = tmp_path / "scenario.yaml", tmp_path / "cut.jsonl"
    other.write_text("holdfast: 1\n")
    cut.write_bytes(b'{"key": "a", "va')
    with pytest.raises(InputError, match="is not a log"):
        whole(run_tasks(square, {"a": 1}, UNLIMITED, Backend(log=other)))
    assert other.read_text() == "holdfast: 1\n"
    assert whole(run_tasks(square, {"a": 3}, UNLIMITED, Backend(log=cut))) == {"a": 9}


def test_a_log_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot keep the log"):
        whole(run_tasks(square, {"a": 1}, UNLIMITED, Backend(log=tmp_path)))


def test_time_that_is_over_ends_the_run():
    with pytest.raises(LimitError, match="stopped after"):
        whole(run_tasks(slow, {"a": 1}, Budget.lasting(0.05, jobs=1)))


def test_progress_has_count_and_share():
    told = []
    whole(run_tasks(square, {"a": 1, "b": 2}, Budget(watch=lambda doing, done: told.append((doing, done)))))
    assert [done for doing, done in told if " of 2" in doing] == [0.5, 1.0]


def test_threads_share_what_they_are_given():
    """Should do tasks in this process, all of them, and tell the share of the whole from one thread at a time."""
    told, inside = [], []

    def watch(doing, done):
        inside.append(doing)
        assert len(inside) == 1
        told.append(done)
        inside.pop()

    tasks = {str(n): n for n in range(8)}
    places = whole(run_tasks(place, tasks, TWO, shared=True))
    assert set(places.values()) == {os.getpid()} and places.keys() == tasks.keys()
    found = whole(run_tasks(halves, tasks, Budget(jobs=2, watch=watch), shared=True))
    assert all(found[key].tolist() == [n, 0.1 * n] for key, n in tasks.items())
    assert len(told) == 24 and told[-1] == max(told) == 1.0 and told[0] == 0.0


def test_what_ends_one_thread_ends_the_others():
    started = []

    def endless(task, budget):
        started.append(task)
        if task == 1:
            raise RuntimeError("broken")
        while True:
            budget.tick()
            time.sleep(0.001)

    with pytest.raises(RuntimeError, match="broken"):
        whole(run_tasks(endless, {str(n): n for n in range(6)}, TWO, shared=True))
    assert len(started) <= 3
    limits = dict(run_tasks(limited, {str(n): n for n in range(4)}, TWO, shared=True))
    assert {key for key, answer in limits.items() if answer.failure} == {"2"}


def test_arrays_come_back_from_a_log_bit_for_bit(tmp_path):
    log = Backend(log=tmp_path / "log.jsonl")
    first = whole(run_tasks(halves, {"a": 3}, UNLIMITED, log))["a"]
    again = whole(run_tasks(fatal, {"a": -1}, UNLIMITED, log))["a"]
    assert first.dtype == again.dtype and first.tobytes() == again.tobytes() and again.flags.writeable


def test_no_scheduler_is_told():
    with pytest.raises(InputError, match="no Dask scheduler"):
        whole(run_tasks(square, {"a": 1}, UNLIMITED, Backend(cluster="nonsense://x")))


# -- a real cluster ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler and three workers, each a process of its own, on loopback; each test here ends one."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("cluster")
    scheduler_file = folder / "scheduler.json"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = []

    def run(kind, *options):
        command = [sys.executable, "-m", "dask", kind, "--scheduler-file", str(scheduler_file), *options]
        with (folder / f"{kind}-{len(processes)}.log").open("wb") as log:
            processes.append(
                subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
            )
        return processes[-1]

    run("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    workers = [
        run("worker", "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard")
        for _ in range(3)
    ]
    while not scheduler_file.exists():
        assert processes[0].poll() is None, "the scheduler did not start"
        time.sleep(0.05)
    address = json.loads(scheduler_file.read_text())["address"]
    from distributed import Client

    with Client(address) as client:
        client.wait_for_workers(3)
    yield address, workers
    for process in processes:
        process.terminate()
        process.wait()


@pytest.mark.slow
def test_breakers_are_the_same_here_in_two_processes_and_on_a_cluster(cluster):
    address, _ = cluster
    c = configuration(scenario_from_text(HELD))
    alone = fragility(c, "evict", max_cost=2, budget=Budget(jobs=1))
    assert len(alone.breakers) > 3 and alone.complete_to == 2
    for backend in (AT_ONCE, Backend(cluster=address)):
        assert fragility(c, "evict", max_cost=2, budget=TWO, backend=backend).breakers == alone.breakers


@pytest.mark.slow
def test_a_cluster_gives_the_same_answers_although_a_worker_is_killed(cluster, tmp_path):
    address, workers = cluster
    there = Backend(cluster=address)
    tasks = {str(n): n for n in range(30)}
    assert whole(run_tasks(square, tasks, UNLIMITED, there)) == {str(n): n * n for n in range(30)}
    killed = {str(n): (str(tmp_path), n) for n in range(20)}
    assert whole(run_tasks(killed_on_the_way, killed, UNLIMITED, there)) == {str(n): n for n in range(20)}
    assert sum(worker.poll() is not None for worker in workers) == 1


HELD = """
holdfast: 1
network: {hosts: [GW, Web, DB], links: [GW -> Web, GW -> DB, Web -> DB], entry: GW}
specs: {defender: [G (DB != Z)], adversary: ["G (times(destroy) <= 1)"]}
learning: {steps: 50}
design: {changes: [cut all, "harden DB"]}
"""
LOST = """
holdfast: 1
network: {hosts: [GW, Web, WS, DB], links: [GW -> Web, GW -> WS, Web -> DB, WS -> DB, Web -> WS], entry: GW}
specs: {defender: ["G (DB = C)", "G (active >= 3)"], adversary: ["G (times(destroy) <= 1)"]}
"""


def recommended(text, most, budget, place):
    """What ``recommend`` answers, without what may differ: how long it took, and how many sets were tried."""
    told = recommendation_object(
        recommend(scenario_from_text(text), max_cost=most, budget=budget, backend=place)
    )
    return {key: value for key, value in told.items() if key not in ("seconds", "n_solved")}


@pytest.mark.slow
def test_recommend_answers_the_same_on_two_workers_one_of_which_is_killed(cluster):
    address, workers = cluster
    alive = [worker for worker in workers if worker.poll() is None]
    for spare in alive[2:]:  # two are left by the test before, three without it
        spare.kill()
    killed = []

    def watch(doing, done):
        """End one of the two as soon as the first answer is there."""
        if " of " in doing and not killed:
            killed.append(doing)
            alive[0].kill()
            alive[0].wait()

    alone = {text: recommended(text, 2, Budget(jobs=1), None) for text in (HELD, LOST)}
    assert alone[HELD]["improvements"] and len(alone[LOST]["repairs"]) == 3
    for text, expected in alone.items():
        assert recommended(text, 2, TWO, AT_ONCE) == expected
        there = Backend(cluster=address)
        assert recommended(text, 2, Budget(jobs=2, watch=watch), there) == expected
    assert len(killed) == 1 and [worker.poll() is None for worker in alive[:2]] == [False, True]

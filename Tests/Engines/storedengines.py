"""Engines whose output is in a store (moto), without a shared disk: a worker is killed, and its lock outlives it."""
import os
import signal
import subprocess
import time

import stores
from work import ROOT, SHARDS, check, wait


def results(store, prefix):
    return [key for key in store.keys(f"{prefix}/shards/{SHARDS}/") if key.endswith(".jsonl")]


def shards_of(process):
    """The processes of tessera below another one."""
    below, found = [process], []
    while below:
        parent = below.pop()
        children = subprocess.run(["pgrep", "--parent", str(parent)], capture_output=True, text=True).stdout.split()
        below += map(int, children)
        for child in map(int, children):
            try:
                with open(f"/proc/{child}/comm") as file:
                    found += [child] if file.read().strip() == "tessera" else []
            except OSError:
                pass  # It has ended.
    return found


def parallel(work, store):
    output = f"s3://{stores.BUCKET}/parallel"
    command = [f"{ROOT}/Examples/parallel/run", work.pipeline, output, str(SHARDS)]
    environment = dict(store.environment, JOBS="2")
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               cwd=work.home)
    wait(lambda: results(store, "parallel"), 120, "the first shard's end")
    victim = wait(lambda: shards_of(process.pid), 60, "a shard that runs")[0]
    os.kill(victim, signal.SIGKILL)
    text = process.communicate(timeout=300)[0]
    check(process.returncode not in (0, 1), f"parallel: status {process.returncode} after a shard was killed: {text}")
    begun = time.monotonic()
    again = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=work.home, timeout=600)
    check(again.returncode == 1, f"parallel: status {again.returncode}, expected 1: {again.stderr}")
    check(not os.path.exists(f"{work.home}/s3:"), "parallel: there is a folder named s3:")
    stores.expect(work, store, "parallel",
                  f"GNU parallel in a store, a shard killed, {time.monotonic() - begun:.0f} s until its end")


def spark(work, store, home):
    output = f"s3://{stores.BUCKET}/spark"
    python = f"{home}/venv/bin/python"
    done = subprocess.run(
        [python, f"{ROOT}/Tests/Engines/spark.py", work.pipeline, output, str(SHARDS), f"{work.home}/stored-table",
         f"{work.home}/stored-thumbnails"],
        env=dict(store.environment, SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=python,
                 SPARK_WORKER_DIR=f"{work.home}/spark-stored"),
        capture_output=True, text=True, cwd=work.home)
    check(done.returncode == 0, f"Spark: {done.stderr[-3000:]}")
    status, _, rows, ok, killed = map(int, done.stdout.split("\n")[-2].split())
    check((status, ok, killed) == (1, work.ok, 1), f"Spark: status {status}, {rows} rows, {ok} ok, {killed} killed")
    stores.expect(work, store, "spark", "Spark in a store, an executor killed")


def slurm(work, store, home):
    import slurm as engine
    output = f"s3://{stores.BUCKET}/slurm"
    cluster = engine.Cluster(home)
    try:
        submitted = subprocess.run(
            [f"{ROOT}/Examples/slurm/submit", work.pipeline, output, str(SHARDS), "--cpus-per-task=1",
             f"--output={home}/slurm/stored-%A_%a.log"],
            env=dict(store.environment, SLURM_CONF=cluster.environment["SLURM_CONF"]), capture_output=True, text=True,
            cwd=work.home)
        check(submitted.returncode == 0, f"submit: {submitted.stderr}")
        merge = submitted.stdout.split()[1]
        wait(lambda: results(store, "slurm"), 120, "the first shard's end")
        wait(lambda: cluster.running_on("n2"), 60, "a shard on the second node")
        check(cluster.kill("n2") > 0, "the node that was killed had no process")
        wait(lambda: cluster.jobs().get(merge, [""])[0] in ("COMPLETED", "FAILED", "CANCELLED"), 900, "the merge")
        check(cluster.jobs()[merge][0] == "COMPLETED", f"the merge is {cluster.jobs()[merge][0]}")
        stores.expect(work, store, "slurm", "Slurm in a store, a node killed")
    finally:
        cluster.close()


def test(work, home, chosen):
    """The engines among those that were chosen."""
    store = stores.start_moto(home)
    try:
        if "parallel" in chosen:
            parallel(work, store)
        if "slurm" in chosen:
            slurm(work, store, home)
        if "spark" in chosen:
            spark(work, store, home)
    finally:
        store.close()

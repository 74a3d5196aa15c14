"""Started by Tests/Engines/run, which see."""
import argparse
import os
import subprocess
import sys

from work import ITEMS, ROOT, SHARDS, Work, check


def parallel(work, home):
    output = work.output("parallel")
    done = subprocess.run([f"{ROOT}/Examples/parallel/run", work.pipeline, output, str(SHARDS)],
                          env=dict(os.environ, JOBS="2"), capture_output=True, text=True)
    check(done.returncode == 1, f"GNU parallel: status {done.returncode}, expected 1: {done.stderr}")
    work.expect("GNU parallel", output)


def slurm(work, home):
    import slurm
    slurm.test(work, home)


def spark(work, home):
    output = work.output("spark")
    python = f"{home}/venv/bin/python"
    done = subprocess.run(
        [python, f"{ROOT}/Tests/Engines/spark.py", work.pipeline, output, str(SHARDS), f"{work.home}/table",
         f"{work.home}/thumbnails"],
        env=dict(os.environ, SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=python,
                 SPARK_WORKER_DIR=f"{work.home}/spark-work"),
        capture_output=True, text=True, cwd=work.home)
    check(done.returncode == 0, f"Spark: {done.stderr[-3000:]}")
    status, lines, rows, ok, killed = map(int, done.stdout.split("\n")[-2].split())
    check(killed == 1, "Spark: no executor was killed")
    check(status == 1, f"Spark: status {status}, expected 1")
    check(lines == ITEMS, f"Spark: the manifest of a table has {lines} lines, expected {ITEMS}")
    check((rows, ok) == (ITEMS, work.ok), f"Spark: the table of the catalog has {rows} rows, {ok} ok")
    work.expect("Spark, an executor killed", output)


def store(name):
    """Runs in the Python that has the client of object stores."""
    def test(work, home):
        import stores
        stores.test(work, home, [name])
    return test


def stored(work, home, chosen):
    import storedengines
    storedengines.test(work, home, chosen)


def lists(work, home):
    import lists
    lists.test(home)


def kubernetes(work, home):
    """Runs the containers' own command lines, as a cluster would: none can be installed here. Its schemas can be."""
    import yaml
    for name in ["shards", "merge", "cronjob"]:
        done = subprocess.run([f"{home}/venv/bin/kubernetes-validate", "--strict", "-k", "1.29",
                               f"{ROOT}/Examples/kubernetes/{name}.yaml"], capture_output=True, text=True)
        check(done.returncode == 0, f"kubernetes: {done.stdout}{done.stderr}")
    output = work.output("kubernetes")
    jobs = {}
    for name in ["shards", "merge"]:
        with open(f"{ROOT}/Examples/kubernetes/{name}.yaml") as file:
            jobs[name] = yaml.safe_load(file)["spec"]
    check(jobs["shards"]["completionMode"] == "Indexed", "kubernetes: the Job is not indexed")
    count = jobs["shards"]["completions"]

    def command(job, index=None):
        words = job["template"]["spec"]["containers"][0]["command"]
        places = {"/pipeline/feed.yaml": work.pipeline, "/output": output}
        return [places.get(word, word).replace("$(JOB_COMPLETION_INDEX)", str(index)) for word in words]
    for index in range(count):
        done = subprocess.run(command(jobs["shards"], index), capture_output=True, text=True)
        check(done.returncode == 0, f"kubernetes: index {index} has status {done.returncode}: {done.stderr}")
    done = subprocess.run(command(jobs["merge"]), capture_output=True, text=True)
    check(done.returncode == 0, f"kubernetes: the merge has status {done.returncode}: {done.stderr}")
    work.expect(f"Kubernetes' command lines, {count} shards", output)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", required=True)
    parser.add_argument("--home", required=True)
    words = parser.parse_args()
    engines = {"parallel": parallel, "slurm": slurm, "spark": spark, "kubernetes": kubernetes,
               "moto": store("moto"), "swift": store("swift"), "lists": lists}
    chosen = words.only.split(",")
    unknown = [name for name in chosen if name not in engines]
    if unknown:
        sys.exit(f"unknown: {', '.join(unknown)}; there are {', '.join(engines)}")
    work = Work(words.home)
    try:
        for name in chosen:
            engines[name](work, words.home)
        if "moto" in chosen:
            stored(work, words.home, chosen)
    finally:
        work.close()


if __name__ == "__main__":
    sys.exit(main())

"""Spark with two executors on this machine, one of which is killed. Started with the venv's Python."""
import os
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples/spark"))


def executors():
    """The process ids of Spark's executors on this machine, which this program's own are."""
    found = subprocess.run(["pgrep", "--full", "CoarseGrainedExecutorBackend"], capture_output=True, text=True)
    return [int(word) for word in found.stdout.split() if is_ours(int(word))]


def is_ours(process):
    while process > 1:
        if process == os.getpid():
            return True
        with open(f"/proc/{process}/stat") as file:
            process = int(file.read().rsplit(")", 1)[1].split()[1])
    return False


def has_result(output, shards):
    if not output.startswith("s3://"):
        folder = f"{output}/shards/{shards}"
        return os.path.isdir(folder) and any(name.endswith(".jsonl") for name in os.listdir(folder))
    import boto3
    bucket, prefix = output.removeprefix("s3://").split("/", 1)
    page = boto3.client("s3").list_objects_v2(Bucket=bucket, Prefix=f"{prefix}/shards/{shards}/")
    return any(item["Key"].endswith(".jsonl") for item in page.get("Contents", []))


def kill_one(output, shards, done):
    while not has_result(output, shards):
        time.sleep(0.05)
    victim = executors()[0]
    # With its shards, as when a machine fails.
    for child in subprocess.run(["pgrep", "--parent", str(victim)], capture_output=True, text=True).stdout.split():
        for grandchild in subprocess.run(["pgrep", "--parent", child], capture_output=True, text=True).stdout.split():
            for tessera in subprocess.run(["pgrep", "--parent", grandchild], capture_output=True,
                                          text=True).stdout.split():
                os.kill(int(tessera), signal.SIGKILL)
    os.kill(victim, signal.SIGKILL)
    done.append(victim)


def main(pipeline, output, shards, table, catalog_table):
    import tessera_spark
    from pyspark.sql import SparkSession
    shards = int(shards)
    spark = (SparkSession.builder.master("local-cluster[2,1,1024]").appName("test")
             .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
             .config("spark.driver.bindAddress", "127.0.0.1").getOrCreate())
    spark.sparkContext.setLogLevel("FATAL")
    # The manifest as a table and back: in another order, which the ids bring back into one.
    manifest = f"{table}.jsonl"
    frame = spark.read.json(f"file://{os.path.dirname(pipeline)}/manifest.jsonl")
    frame.orderBy(frame.url.desc()).write.mode("overwrite").parquet(f"file://{table}")
    lines = tessera_spark.from_parquet(spark, f"file://{table}", manifest)
    killed = []
    threading.Thread(target=kill_one, args=(output, shards, killed), daemon=True).start()
    status = tessera_spark.run(spark, pipeline, output, shards)
    images = tessera_spark.catalog_frame(spark, output)
    images.write.mode("overwrite").parquet(f"file://{catalog_table}")
    written = spark.read.parquet(f"file://{catalog_table}")
    ok = written.filter("status = 'ok'").count()
    print(f"{status} {lines} {written.count()} {ok} {len(killed)}", flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Runs a manifest on a Spark cluster: one task for each shard, then the merge.

    spark-submit tessera_spark.py PIPELINE OUTPUT N [--table PATH] [--catalog-table PATH]

OUTPUT is on a file system that all executors share. --table makes the manifest from a Parquet (or
Delta) table with the columns `url` and, as far as they are there, `id`, `slots`, `focus` and `extra`.
--catalog-table writes the catalog's images as a Parquet table.
"""
import argparse
import json
import os
import subprocess
import sys
import time

from pyspark.sql import SparkSession

ATTEMPTS = 5  # for a shard that another process has


def run_shard(index, shards, pipeline, output, manifest, tessera):
    """Runs one shard to its end. Raises if it has failed as a whole."""
    command = [tessera, "run", pipeline, "--output", output, "--shard", f"{index}/{shards}",
               "--partial-ok", "--no-progress", "--quiet", "--json"]
    if manifest:
        command += ["--manifest", manifest]
    for attempt in range(1, ATTEMPTS + 1):
        done = subprocess.run(command, capture_output=True, text=True)
        # 75: another process has this shard, maybe on an executor that was taken for lost.
        if done.returncode != 75:
            break
        time.sleep(2 * attempt)
    if done.returncode != 0:
        # The exception makes Spark try the task again, on another executor if there is one.
        raise RuntimeError(f"shard {index}/{shards}: status {done.returncode}: "
                           f"{done.stdout.strip()} {done.stderr.strip()}")
    return json.loads(done.stdout)["items"]


def from_parquet(spark, table, manifest, format="parquet"):
    """Writes a table of URLs as a manifest. Returns the number of its lines."""
    frame = spark.read.format(format).load(table)
    columns = [name for name in ("id", "url", "slots", "focus", "extra") if name in frame.columns]
    if "url" not in columns:
        raise ValueError(f"{table}: there is no column url; it has {', '.join(frame.columns)}")
    # In a fixed order: the catalog has the order of the manifest.
    order = [name for name in ("id", "url") if name in columns]
    lines, draft = 0, f"{manifest}.new"
    with open(draft, "w", encoding="utf-8") as file:
        for row in frame.select(columns).orderBy(order).toLocalIterator():
            entry = {name: value for name, value in row.asDict(recursive=True).items()
                     if value is not None}
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            lines += 1
    os.replace(draft, manifest)
    return lines


def catalog_frame(spark, output):
    """The catalog's images as a data frame, a row each."""
    path = next(path for path in (f"{output}/catalog.jsonl", f"{output}/catalog.json")
                if os.path.exists(path))
    # Both forms have the head on the first line and an image on each other one; JSON ends with "]}".
    lines = (spark.sparkContext.textFile(f"file://{path}").zipWithIndex()
             .filter(lambda pair: pair[1] > 0 and pair[0] not in ("", "]}"))
             .map(lambda pair: pair[0].rstrip(",")))
    return spark.read.json(lines)


def run(spark, pipeline, output, shards, manifest=None, tessera="tessera"):
    """Runs all shards and merges them. Returns the exit status of the merge: 0, or 1."""
    # Absolute: an executor's working directory is its own.
    pipeline, output = os.path.realpath(pipeline), os.path.realpath(output)

    def task(index, _):
        yield run_shard(index, shards, pipeline, output, manifest, tessera)

    # Executors import this module, unless it is the program itself.
    spark.sparkContext.addPyFile(os.path.realpath(__file__))
    # Not `pipe`, which ignores exit statuses and hands over no environment.
    counts = (spark.sparkContext.parallelize(range(shards), shards)
              .mapPartitionsWithIndex(task).collect())
    assert len(counts) == shards
    return subprocess.run([tessera, "merge", output, "--shards", str(shards)]).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pipeline")
    parser.add_argument("output")
    parser.add_argument("shards", type=int)
    parser.add_argument("--table")
    parser.add_argument("--format", default="parquet", help="of the table: parquet, delta")
    parser.add_argument("--catalog-table")
    parser.add_argument("--tessera", default="tessera")
    words = parser.parse_args()
    spark = SparkSession.builder.appName("tessera").getOrCreate()
    manifest = None
    if words.table:
        os.makedirs(words.output, exist_ok=True)
        manifest = os.path.join(os.path.realpath(words.output), "manifest.jsonl")
        from_parquet(spark, words.table, manifest, words.format)
    status = run(spark, words.pipeline, words.output, words.shards, manifest, words.tessera)
    if status in (0, 1) and words.catalog_table:
        catalog_frame(spark, words.output).write.mode("overwrite").parquet(words.catalog_table)
    spark.stop()
    return status


if __name__ == "__main__":
    sys.exit(main())

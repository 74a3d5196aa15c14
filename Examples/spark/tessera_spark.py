#!/usr/bin/env python3
"""Runs a manifest on a Spark cluster: one task for each shard, then the merge.

    spark-submit tessera_spark.py PIPELINE OUTPUT N [--table PATH] [--catalog-table PATH]

OUTPUT is on a file system that all executors share, or s3://bucket/prefix, with the pipeline's `store` in
AWS_ENDPOINT_URL and AWS_REGION for the merge. --table makes the manifest from a Parquet (or
Delta) table with the columns `url` and, as far as they are there, `id`, `slots`, `focus` and `extra`.
--catalog-table writes the catalog's images as a Parquet table.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from pyspark.sql import SparkSession

# For a shard that another process has. A lock that a lost executor has left in a store is valid for 120 s.
PATIENCE = 150  # seconds


def place(output):
    """An output as every executor names it: absolute, because each has a working directory of its own. A place in a
    store is no path."""
    if output.startswith("s3://") and len(output) > 5:
        return output
    if "://" in output:
        raise ValueError(f'OUTPUT must be a folder, or s3://bucket/prefix, found "{output}"')
    return os.path.realpath(output)


def patiently(command, **options):
    """Runs a command until another process has not what it needs: status 75."""
    end = time.monotonic() + PATIENCE
    while True:
        done = subprocess.run(command, **options)
        if done.returncode != 75 or time.monotonic() >= end:
            return done
        time.sleep(5)


def run_shard(index, shards, pipeline, output, manifest, tessera):
    """Runs one shard to its end. Raises if it has failed as a whole."""
    command = [tessera, "run", pipeline, "--output", output, "--shard", f"{index}/{shards}",
               "--partial-ok", "--no-progress", "--quiet", "--json"]
    if manifest:
        command += ["--manifest", manifest]
    # 75: another process has this shard, maybe on an executor that was taken for lost.
    done = patiently(command, capture_output=True, text=True)
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


def with_paths(line, formats):
    """An image of the catalog, as JSON, whose variants have `paths`: of their files, in the order of the formats."""
    image = json.loads(line.rstrip(","))
    source = image.get("source", "")
    for variant in image.get("variants", []):
        name = f"{source}-{variant['width']}x{variant['height']}" + (f"-{variant['crop']}" if "crop" in variant else "")
        variant["paths"] = [
            None if size is None else f"variants/{source[:2]}/{source[2:4]}/{name}-{format['recipe']}.{format['extension']}"
            for size, format in zip(variant.get("bytes", []), formats)]
    return json.dumps(image)


def catalog_frame(spark, output, tessera="tessera"):
    """The catalog's images as a data frame, a row each."""
    if output.startswith("s3://"):
        # Spark reads stores only with libraries and credentials of its own.
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/images.jsonl"
            subprocess.run([tessera, "export", output, "--as", "jsonl", "--to", path, "--quiet"], check=True)
            with open(path, encoding="utf-8") as file:
                rows = file.read().splitlines()
        return spark.read.json(spark.sparkContext.parallelize(rows))
    # The head is on the first line, and an image on each other one; the last line is "]}".
    with open(f"{output}/catalog.json", encoding="utf-8") as file:
        formats = json.loads(file.readline() + "]}")["formats"]
    lines = (spark.sparkContext.textFile(f"file://{output}/catalog.json").zipWithIndex()
             .filter(lambda pair: pair[1] > 0 and pair[0] != "]}")
             .map(lambda pair: with_paths(pair[0], formats)))
    return spark.read.json(lines)


def run(spark, pipeline, output, shards, manifest=None, tessera="tessera"):
    """Runs all shards and merges them. Returns the exit status of the merge: 0, or 1."""
    pipeline, output = os.path.realpath(pipeline), place(output)

    def task(index, _):
        yield run_shard(index, shards, pipeline, output, manifest, tessera)

    # Executors import this module, unless it is the program itself.
    spark.sparkContext.addPyFile(os.path.realpath(__file__))
    # Not `pipe`, which ignores exit statuses and hands over no environment.
    counts = (spark.sparkContext.parallelize(range(shards), shards)
              .mapPartitionsWithIndex(task).collect())
    assert len(counts) == shards
    return patiently([tessera, "merge", output, "--shards", str(shards)]).returncode


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
    output = place(words.output)
    if words.table and output.startswith("s3://"):
        parser.error("--table makes a manifest in OUTPUT, which all executors read: with s3://, make it before, where "
                     "they all find it, and name it in the pipeline")
    if words.table:
        os.makedirs(output, exist_ok=True)
        manifest = os.path.join(output, "manifest.jsonl")
        from_parquet(spark, words.table, manifest, words.format)
    status = run(spark, words.pipeline, output, words.shards, manifest, words.tessera)
    if status in (0, 1) and words.catalog_table:
        catalog_frame(spark, output, words.tessera).write.mode("overwrite").parquet(words.catalog_table)
    spark.stop()
    return status


if __name__ == "__main__":
    sys.exit(main())

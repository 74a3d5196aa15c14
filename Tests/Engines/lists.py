"""The commands of Pipelines/MANIFEST.md that make a list from a database, a file or a bucket, run as the page has them:
PostgreSQL and MariaDB (from Debian, on sockets in a temporary folder), Parquet (DuckDB from PyPI), and moto's S3."""
import contextlib
import glob
import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from typing import Optional

import stores
from work import FIXTURES, ROOT, check, wait

PAGE = f"{ROOT}/Pipelines/MANIFEST.md"
HEADING = "## Databases, several lists, and everything else\n"
NAMES = ["PostgreSQL", "MySQL, MariaDB", "Parquet", "A listing of S3"]
ROWS = 2000
# Without a URL: each of them is a line that can't be used.
MISSING = 40
# More than one page of a listing.
OBJECTS = 1100
BUCKET = "photos"

IDS = ["p", "a,b ", 'say "so" ', '"quoted" ', '"', "it's ", "back\\slash\\", "\\N", "\\t", "NULL ", "Größe ", "😀", "# ",
       "%20", "a;b|c ", '{"id": 1} ', "<b> & ", "-- ", "$HOME `id` ", "日本 "]
PATHS = ["plain", "a,b", 'say "so"', "it's", "two words", "Größe", "tab\there", "line\nend", "line\r\nend", "back\\slash",
         "%20+%2B", "😀", "?a=1&b=2,3", '?a="1"', "?a\\b", "a&b;c=d", "\\N", "\\t", "NULL", "日本"]
TEXTS = ["plain", "a,b", 'say "so"', '"', "it's", "two\nlines", "two\r\nlines", "a\ttab", "back\\slash", "\\n", "\\N",
         "NULL", "Größe", "", None, "😀", "# not a comment", "end\\", "id,url,alt", "日本"]
KEYS = ["a b", "Größe", "a&b", "a+b", "a + b", "100%", "c%20d", "c%2Bd", "what?", "a#b", "it's", 'say "so"', "back\\slash",
        "tab\there", "a,b;c=d@e:f$g", "😀", " blank first", "two  blanks", "(1) [2] {3}", "a/b c/d", "~*!|^`",
        "<a>", "日本"]

Row = tuple[str, Optional[str], Optional[str]]


def commands() -> dict[str, str]:
    """The commands on the page, by the comments above them."""
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    check(text.count(HEADING) == 1, f"lists: the page has no heading {HEADING.strip()!r}")
    section = text.split(HEADING)[1].split("\n## ")[0]
    blocks = re.findall(r"^```bash\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    check(len(blocks) == 1, f"lists: the section has {len(blocks)} blocks of commands, expected 1")
    lines = blocks[0].splitlines()
    names = [line.removeprefix("# ") for line in lines[::2]]
    check(names == NAMES and len(lines) == 2 * len(NAMES), f"lists: the page has the lines {lines}, expected {NAMES}")
    return dict(zip(names, lines[1::2]))


def rows() -> list[Row]:
    """Rows whose ids and URLs are legal, and hard for a format in between."""
    return [(f"{IDS[n % len(IDS)]}{n}", f"http://127.0.0.1/{n // 7}/{PATHS[n // 3 % len(PATHS)]}&{n}",
             TEXTS[n // 5 % len(TEXTS)]) for n in range(ROWS)]


def numbered_rows() -> list[Row]:
    """Rows whose ids are numbers, some without a URL."""
    return [(str(n), url if n % (ROWS // MISSING) else [None, ""][n // (ROWS // MISSING) % 2], text)
            for n, (_, url, text) in enumerate(rows())]


def requested(url: str) -> str:
    """A URL as a run writes it: by the URL standard of the WHATWG."""
    path, mark, query = re.sub(r"[\t\r\n]", "", url).partition("?")
    kept = "".join(map(chr, range(0x21, 0x7F))).replace('"', "")
    return urllib.parse.quote(path.replace("\\", "/") + mark + query, safe=kept)


def line_ends(text: Optional[str]) -> Optional[str]:
    """A text whose line ends are as in a field of a table, where a reader makes one character of two."""
    return text and text.replace("\r\n", "\n")


def sql(table: list[Row], kind: str) -> str:
    """The table in standard SQL, in which only a quote is doubled."""
    def literal(value: Optional[str]) -> str:
        return "NULL" if value is None else "'" + value.replace("'", "''") + "'"
    values = ",\n".join(f"({', '.join(map(literal, row))})" for row in table)
    return ("DROP TABLE IF EXISTS images;\n"
            f"CREATE TABLE images (id {kind} PRIMARY KEY, url VARCHAR(500), alt VARCHAR(500));\n"
            f"INSERT INTO images VALUES\n{values};\n")


def run(words: list[str], what: str, **options) -> str:
    done = subprocess.run(words, capture_output=True, encoding="utf-8", **options)
    check(done.returncode == 0, f"lists: {what}: status {done.returncode}: {done.stdout[-1000:]} {done.stderr[-1000:]}")
    return done.stdout


class Databases:
    """A PostgreSQL and a MariaDB of our own, which only sockets in their folder reach."""

    def __init__(self, folder: str):
        self.folder = folder
        # PostgreSQL rejects to be started by root.
        account = pwd.getpwnam("postgres") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        self.processes: list[subprocess.Popen] = []
        self.dsn = f"host={folder} user=postgres dbname=postgres"
        os.chown(folder, account.pw_uid, account.pw_gid)
        self.options = dict(cwd=folder, env=dict(os.environ, HOME=folder, LC_ALL="C.UTF-8"))
        self.server_options = dict(self.options)
        if os.getuid() == 0:
            self.server_options |= dict(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
        try:
            self._start_postgresql()
            self._start_mariadb()
        except BaseException:
            self.close()
            raise

    def _start_postgresql(self) -> None:
        programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        data = f"{self.folder}/postgresql"
        run([f"{programs}/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8",
             "--no-sync"], "initdb", **self.server_options)
        self._start("postgresql", [f"{programs}/postgres", "-D", data, "-c", "listen_addresses=", "-c", "fsync=off",
                                   "-c", f"unix_socket_directories={self.folder}"],
                    ["psql", self.dsn, "-c", "SELECT 1"])

    def _start_mariadb(self) -> None:
        data, socket = f"{self.folder}/mariadb", f"{self.folder}/mariadb.socket"
        run(["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
             "--skip-test-db", "--skip-name-resolve"], "mariadb-install-db", **self.server_options)
        # Where a person has it, too.
        with open(f"{self.folder}/.my.cnf", "w") as file:
            file.write(f"[client]\nsocket = {socket}\nuser = root\n")
        self._start("mariadb", ["/usr/sbin/mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={socket}",
                                f"--pid-file={self.folder}/mariadb.pid", "--skip-networking"],
                    ["mysql", "-e", "SELECT 1"])
        run(["mysql", "-e", "CREATE DATABASE shop CHARACTER SET utf8mb4"], "a database", **self.options)

    def _start(self, name: str, words: list[str], question: list[str]) -> None:
        with open(f"{self.folder}/{name}.log", "w") as log:
            self.processes.append(subprocess.Popen(words, stdout=log, stderr=log, **self.server_options))
        wait(lambda: subprocess.run(question, capture_output=True, **self.options).returncode == 0, 60,
             f"the start of {name}")

    def fill(self, text: str) -> None:
        run(["psql", self.dsn, "--quiet", "--set", "ON_ERROR_STOP=1", "-f", "-"], "filling PostgreSQL", input=text,
            **self.options)
        run(["mysql", "--binary-mode", "--default-character-set=utf8mb4", "shop"], "filling MariaDB",
            input=f"SET sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES';\n{text}", **self.options)

    def close(self) -> None:
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def write_parquet(path: str, text: str) -> None:
    import duckdb
    connection = duckdb.connect()
    connection.execute(text)
    connection.execute(f"COPY images TO '{path}' (FORMAT parquet)")
    connection.close()


class Lists:
    """Runs commands of the page, and reads what they print with `tessera`."""

    def __init__(self, folder: str, home: str, pipeline: str):
        self.folder, self.pipeline = folder, pipeline
        # As cron has it: without a locale.
        self.environment = dict(os.environ, HOME=folder, LC_ALL="C",
                                PATH=f"{folder}/bin:{home}/venv/bin:{os.environ['PATH']}")

    def output(self, command: str) -> bytes:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.folder, env=self.environment,
                              capture_output=True)
        check(done.returncode == 0, f"lists: status {done.returncode} of {command}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def tessera(self, words: list[str], text: bytes) -> subprocess.CompletedProcess:
        return subprocess.run(["tessera", *words], cwd=self.folder, env=self.environment, input=text,
                              capture_output=True)

    def entries(self, text: bytes) -> list[dict]:
        """The lines of a list that can be used, as `split` hands them to a shard."""
        parts = f"{self.folder}/parts"
        shutil.rmtree(parts, ignore_errors=True)
        done = self.tessera(["split", "-", "1", parts, "--pipeline", self.pipeline, "--quiet"], text)
        check(done.returncode in (0, 1), f"lists: split: {done}")
        with open(f"{parts}/0.jsonl", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        return [line for line in lines if "url" in line]

    def expect(self, name: str, command: str, table: list[Row], texts: bool = False) -> None:
        """Checks that a command prints the rows of a table: all that have a URL, and nothing else."""
        expected = sorted((number, requested(url), line_ends(text or "") if texts else None)
                          for number, url, text in table if url)
        text = self.output(command)
        done = self.tessera(["check", self.pipeline, "--manifest", "-", "--json"], text)
        missing = len(table) - len(expected)
        report = json.loads(done.stdout)
        check((report.get("items"), report.get("badLines")) == (len(expected), missing),
              f"lists: {name}: {report.get('items')} items and {report.get('badLines')} bad lines of {len(table)} rows, "
              f"{missing} without a URL: {report.get('error') or report['problems'][:5]}")
        check(done.returncode == (1 if missing else 0), f"lists: {name}: check: status {done.returncode}")
        found = sorted((entry.get("id"), entry["url"], line_ends(entry.get("alt") or ("" if texts else None)))
                       for entry in self.entries(text))
        wrong = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
        check(found == expected, f"lists: {name}: {len(wrong)} rows differ, found and expected: {wrong[:3]}")


def with_texts(name: str, command: str) -> str:
    """A command with a third column, whose values are the hardest."""
    old, new = ("'url', url", "'url', url, 'alt', alt") if name.startswith("MySQL") \
        else ("id, url", "id, url, alt")
    check(command.count(old) == 1, f"lists: {name}: {old!r} is not in {command}")
    return command.replace(old, new)


def test_tables(lists: Lists, found: dict[str, str], databases: Databases) -> None:
    lists.environment["DSN"] = databases.dsn
    for table, kind, what in [(rows(), "VARCHAR(200)", "texts"), (numbered_rows(), "BIGINT", "numbers")]:
        text = sql(table, kind)
        databases.fill(text)
        write_parquet(f"{lists.folder}/images.parquet", text)
        for name in NAMES[:3]:
            lists.expect(name, found[name], table)
            lists.expect(f"{name}, with alt", with_texts(name, found[name]), table, texts=True)
            print(f"lists: {name}: {len(table)} rows, their ids are {what}", flush=True)


def write_aws(lists: Lists, store: stores.Store) -> None:
    """awscli of Debian 12 knows no variable for an endpoint, and moto encodes a blank in another way than S3 does."""
    path = f"{lists.folder}/bin/aws"
    os.makedirs(os.path.dirname(path))
    with open(path, "w") as file:
        file.write("#!/bin/bash\nset -o pipefail\n"
                   "encoded() { if [[ $* == *'--encoding-type url'* ]]; then sed 's/%20/+/g'; else cat; fi; }\n"
                   '/usr/bin/aws --endpoint-url "$AWS_ENDPOINT_URL" "$@" | encoded "$@"\n')
    os.chmod(path, 0o755)
    lists.environment |= {name: value for name, value in store.environment.items() if name.startswith("AWS_")}


def test_listing(lists: Lists, command: str, store: stores.Store) -> None:
    write_aws(lists, store)
    client = store.client()
    client.create_bucket(Bucket=BUCKET)
    # Its listing is the word None, which is no manifest: a run leaves the catalog as it is.
    empty = lists.tessera(["run", lists.pipeline, "--manifest", "-", "--quiet"], lists.output(command))
    check(empty.returncode == 2, f"lists: an empty bucket: {empty}")
    keys = [f"hard/{key}.png" for key in KEYS]
    keys += [f"many/{number}.png" for number in range(OBJECTS - len(keys))]
    with open(f"{FIXTURES}/one-pixel.png", "rb") as file:
        image = file.read()
    for key in keys:
        client.put_object(Bucket=BUCKET, Key=key, Body=image)
    text = lists.output(command)
    done = lists.tessera(["check", lists.pipeline, "--manifest", "-", "--json"], text)
    check(done.returncode == 0, f"lists: S3: check: {done}")
    report = json.loads(done.stdout)
    check(report["items"] == len(keys) and report["encoded"] == 0, f"lists: S3: {done.stdout}")
    urls = [entry["url"] for entry in lists.entries(text)]
    found = sorted(urllib.parse.unquote(url.removeprefix(f"s3://{BUCKET}/")) for url in urls)
    wrong = set(found) ^ set(keys)
    check(found == sorted(keys), f"lists: S3: {len(found)} keys of {len(keys)}; these differ: {sorted(wrong)[:10]}")
    # What reads the objects decides what a URL means.
    done = lists.tessera(["run", lists.pipeline, "--manifest", "-", "--layout-only", "--json", "--quiet"], text)
    check(done.returncode == 0, f"lists: S3: sizes: {done.returncode} {done.stdout[-2000:]} {done.stderr[-2000:]}")
    items = json.loads(done.stdout)["items"]
    check((items["total"], items["pending"], items["failed"]) == (len(keys), len(keys), 0), f"lists: S3: {items}")
    print(f"lists: {NAMES[3]}: {len(keys)} objects, each of them read", flush=True)


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """A folder with a short path, as sockets need it, that an account without rights can reach."""
    folder = tempfile.mkdtemp(prefix="tessera-lists-", dir="/tmp")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_pipeline(folder: str) -> str:
    path = f"{folder}/feed.yaml"
    with open(path, "w") as file:
        file.write(f"manifest: feed.jsonl\noutput: {folder}/output\nslots: {{card: {{size: 180x}}}}\n"
                   f"fetch: {{allow: [loopback, 's3:{BUCKET}'], retries: 0}}\n")
    return path


def test(home: str) -> None:
    begun = time.monotonic()
    found = commands()
    with temporary_folder() as folder:
        lists = Lists(folder, home, write_pipeline(folder))
        with contextlib.closing(Databases(folder)) as databases:
            test_tables(lists, found, databases)
        with contextlib.closing(stores.start_moto(home)) as store:
            test_listing(lists, found[NAMES[3]], store)
    print(f"lists: {len(found)} commands in {time.monotonic() - begun:.0f} s", flush=True)

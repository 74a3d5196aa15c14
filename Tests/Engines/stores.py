"""Object stores: moto (from PyPI, with authentication) and OpenStack Swift's S3 API (from Debian), and a proxy
in front of one that fails in all the ways in which stores fail."""
import hashlib
import http.client
import http.server
import json
import os
import random
import shutil
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

from work import ITEMS, ROOT, SHARDS, check, free_port, wait

sys.path.insert(0, f"{ROOT}/Examples/catalog")
from tessera_catalog import files_of

BUCKET = "feed"


class Store:
    """A store, and what reaches it."""

    def __init__(self, name, endpoint, key, secret, process=None):
        self.name, self.endpoint, self.key, self.secret, self.process = name, endpoint, key, secret, process

    @property
    def environment(self):
        return dict(os.environ, AWS_ACCESS_KEY_ID=self.key, AWS_SECRET_ACCESS_KEY=self.secret,
                    AWS_ENDPOINT_URL=self.endpoint, AWS_REGION="us-east-1", AWS_SESSION_TOKEN="")

    def client(self):
        import boto3
        return boto3.client("s3", endpoint_url=self.endpoint, aws_access_key_id=self.key,
                            aws_secret_access_key=self.secret, region_name="us-east-1")

    def tessera(self, *words, environment=None, timeout=300):
        return subprocess.run(["tessera", *words], env=dict(self.environment, **(environment or {})),
                              capture_output=True, text=True, timeout=timeout)

    def get(self, key):
        return self.client().get_object(Bucket=BUCKET, Key=key)

    def keys(self, prefix):
        pages = self.client().get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


def start_moto(home):
    import boto3
    port = free_port()
    # The first four calls make a user; from then on every request needs a signature.
    process = subprocess.Popen(
        [f"{home}/venv/bin/moto_server", "--host", "127.0.0.1", "--port", str(port)],
        env=dict(os.environ, INITIAL_NO_AUTH_ACTION_COUNT="3"), stdout=subprocess.DEVNULL,
        stderr=open(f"{home}/moto.log", "w"))
    endpoint = f"http://127.0.0.1:{port}"

    def answers():
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/moto-api/")
            return connection.getresponse().status
        except OSError:
            return None
    wait(answers, 60, "the start of moto")
    iam = boto3.client("iam", endpoint_url=endpoint, aws_access_key_id="any", aws_secret_access_key="any",
                       region_name="us-east-1")
    iam.create_user(UserName="tessera")
    key = iam.create_access_key(UserName="tessera")["AccessKey"]
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    iam.put_user_policy(UserName="tessera", PolicyName="all", PolicyDocument=json.dumps(policy))
    store = Store("moto", endpoint, key["AccessKeyId"], key["SecretAccessKey"], process)
    store.client().create_bucket(Bucket=BUCKET)
    return store


class Swift(Store):
    """OpenStack Swift with one disk: a folder. Its S3 API is strict about signatures and digests."""

    def __init__(self, home):
        self.home = os.path.join(home, "swift")
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(f"{self.home}/disks/d1")
        self.processes = []
        try:
            self._start_all()
        except BaseException:
            self.close()
            raise

    def _start_all(self):
        port, cache = free_port(), free_port()
        # Swift's own middleware for tokens wants it.
        self.processes.append(subprocess.Popen(
            ["memcached", "-l", "127.0.0.1", "-p", str(cache), "-U", "0", "-u", "root"]))
        for kind in ["account", "container", "object"]:
            self._start_storage(kind)
        self._write("proxy", f"""
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
swift_dir = {self.home}
user = root
workers = 2
[pipeline:main]
pipeline = catch_errors gatekeeper cache bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{cache}
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
""")
        self._start("proxy")
        super().__init__("Swift", f"http://127.0.0.1:{port}", "test:tester", "testing")

        def answers():
            try:
                self.client().create_bucket(Bucket=BUCKET)
                return True
            except Exception:
                return False
        wait(answers, 60, "the start of Swift")

    def _start_storage(self, kind):
        port = free_port()
        builder = f"{self.home}/{kind}.builder"
        for words in [["create", "4", "1", "1"], ["add", f"r1z1-127.0.0.1:{port}/d1", "1"], ["rebalance"]]:
            done = subprocess.run(["swift-ring-builder", builder, *words], capture_output=True, text=True)
            check(done.returncode in (0, 1), f"swift-ring-builder {words}: {done.stdout}")
        self._write(kind, f"""
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
swift_dir = {self.home}
devices = {self.home}/disks
mount_check = false
user = root
workers = 2
recon_cache_path = {self.home}
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
""")
        self._start(kind)

    def _write(self, kind, text):
        with open(f"{self.home}/{kind}.conf", "w") as file:
            file.write(text)

    def _start(self, kind):
        log = open(f"{self.home}/{kind}.log", "w")
        self.processes.append(subprocess.Popen(
            [f"swift-{kind}-server", f"{self.home}/{kind}.conf", "--verbose"], stdout=log, stderr=log))

    def close(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def pipeline(work, name, output, state):
    path = f"{work.home}/{name}.yaml"
    with open(work.pipeline) as file:
        lines = [line for line in file if not line.startswith("output:")]
    # The name of the pipeline is in the catalog.
    folder = f"{work.home}/{name}"
    os.makedirs(folder, exist_ok=True)
    path = f"{folder}/feed.yaml"
    with open(path, "w") as file:
        file.write("".join(lines) + f"output: {output}\n" + (f"state: {state}\n" if state else ""))
    return path


def files(catalog, image):
    """All files of an image."""
    return [file for variant in image.get("variants", []) for file in files_of(catalog, image, variant)]


def paths(catalog, image):
    return {file["reference"] for file in files(catalog, image)}


def expect(work, store, prefix, what):
    """Checks that an output in a store has the catalog of one run, and files with the headers of a CDN."""
    body = store.get(f"{prefix}/catalog.json")
    text = body["Body"].read()
    digest = hashlib.sha256(text).hexdigest()
    catalog = json.loads(text)
    ok = sum(image["status"] == "ok" for image in catalog["images"])
    check(ok == work.ok, f"{what}: {ok} images are ok, expected {work.ok}")
    check(digest == work.digest, f"{what}: the catalog {digest} is not {work.digest}")
    check(body["ContentType"] == "application/json", f"{what}: the catalog is {body['ContentType']}")
    check("max-age=60" in body["CacheControl"], f"{what}: the catalog is cached: {body['CacheControl']}")
    named = files(catalog, catalog["images"][0])[0]
    file = store.get(f"{prefix}/{named['reference']}")
    check(file["ContentType"] == named["type"], f"{what}: a file is {file['ContentType']}")
    check(file["CacheControl"] == "public, max-age=31536000, immutable", f"{what}: {file['CacheControl']}")
    check(len(file["Body"].read()) == named["bytes"], f"{what}: a file has another size")
    verified = store.tessera("verify", f"s3://{BUCKET}/{prefix}", "--quiet", "--deep")
    check(verified.returncode == 0, f"{what}: {verified.stdout} {verified.stderr}")
    print(f"{what}: {ok} images ok, catalog {digest[:16]}", flush=True)


def test_run(work, store):
    output, state = f"s3://{BUCKET}/one", f"{work.home}/{store.name}-state"
    shutil.rmtree(state, ignore_errors=True)
    path = pipeline(work, f"{store.name}-one", output, state)
    done = store.tessera("run", path, "--quiet")
    check(done.returncode == 1, f"{store.name}: status {done.returncode}: {done.stderr}")
    expect(work, store, "one", f"{store.name}, one run")
    again = store.tessera("run", path, "--quiet", "--json")
    report = json.loads(again.stdout)
    check(report["decodes"] == 0, f"{store.name}: the second run decodes {report['decodes']}")
    page = store.tessera("gallery", output)
    check(page.returncode == 0, f"{store.name}: {page.stderr}")
    check(b"<html" in store.get("one/gallery.html")["Body"].read().lower(), f"{store.name}: no gallery")
    why = store.tessera("why", output, "p0", "--state", state)
    check(why.returncode == 0 and "p0" in why.stdout, f"{store.name}: {why.stderr}")
    # A killed run with a state on this machine leaves its lock in the store, which the next one takes over at once.
    early = pipeline(work, f"{store.name}-early", f"s3://{BUCKET}/early", work.output(f"{store.name}-early-state"))
    process = subprocess.Popen(["tessera", "run", early, "--quiet"], env=store.environment)
    wait(lambda: len(store.keys("early/variants/")) > 3, 60, "files of a run")
    process.kill()
    process.wait()
    killed = store.tessera("run", early, "--quiet")
    check(killed.returncode == 1, f"{store.name}: after a killed run with a state here: {killed}")
    for form in ["csv", "xcassets"]:
        target = f"{work.home}/{store.name}-export-{form}"
        made = store.tessera("export", output, "--as", form, "--to", target)
        check(made.returncode == 0 and os.path.exists(target), f"{store.name}: export: {made}")
    doctor = store.tessera("doctor", output)
    check("p0" not in doctor.stdout and output in doctor.stdout, f"{store.name}: doctor: {doctor}")
    # What no catalog names leaves the store.
    with open(work.manifest) as file:
        lines = file.readlines()
    short = f"{work.home}/short.jsonl"
    with open(short, "w") as file:
        file.writelines(lines[:ITEMS // 10 * 9:10])
    files = len(store.keys("one/variants/"))
    less = store.tessera("run", path, "--quiet", "--manifest", short, "--allow-shrink")
    check(less.returncode in (0, 1), f"{store.name}: {less.stderr}")
    for words in [["prune"], ["verify", "--remove-broken"], ["rollback"]]:
        lost = store.tessera(*words, output)
        check(lost.returncode == 2, f"{store.name}: {words} without --state: {lost}")
        check("--state" in lost.stderr or "state: DIR" in lost.stderr, f"{store.name}: {words}: {lost.stderr}")
    private = kept(store, "one")
    check(all(key.startswith("one/.tessera/catalogs/") for key in private), f"{store.name}: {private}")
    test_rollback(work, store, output, ["--state", state])
    with open(path, "a") as file:
        file.write("keep-catalogs: 0\n")
    less = store.tessera("run", path, "--quiet", "--manifest", short)
    check(less.returncode in (0, 1), f"{store.name}: {less.stderr}")
    private = kept(store, "one")
    check(private == ["one/.tessera/catalogs/list.json"], f"{store.name}: {private}")
    pruned = store.tessera("prune", output, "--state", state, "--grace", "0s", "--json")
    check(pruned.returncode == 0, f"{store.name}: {pruned.stderr}")
    left = len(store.keys("one/variants/"))
    check(left < files and json.loads(pruned.stdout)["deleted"] == files - left,
          f"{store.name}: {files} files, {left} are left: {pruned.stdout}")
    verified = store.tessera("verify", output, "--quiet")
    check(verified.returncode == 0, f"{store.name}: after prune: {verified.stdout}")
    print(f"{store.name}: prune deleted {files - left} of {files} files", flush=True)


def kept(store, prefix):
    """What is private there, but for the one entry that names this machine's state."""
    keys = store.keys(f"{prefix}/.tessera/")
    states = [key for key in keys if key.startswith(f"{prefix}/.tessera/states/")]
    check(len(states) == 1, f"{store.name}: {states}")
    return [key for key in keys if key not in states]


def test_rollback(work, store, output, options):
    """The catalog of all items was replaced by that of some: back, and back again."""
    prefix = output.split("/", 3)[3]
    replaced = store.get(f"{prefix}/catalog.json")["Body"].read()
    pruned = store.tessera("prune", output, "--grace", "0s", "--json", *options)
    check(pruned.returncode == 0 and json.loads(pruned.stdout)["deleted"] == 0, f"{store.name}: {pruned}")
    listed = json.loads(store.tessera("rollback", output, "--list", "--json", *options).stdout)["catalogs"]
    check([entry["images"] for entry in listed] == [ITEMS], f"{store.name}: {listed}")
    back = store.tessera("rollback", output, *options)
    check(back.returncode == 0 and f"{ITEMS} images ({work.ok} ok" in back.stdout, f"{store.name}: {back}")
    expect(work, store, prefix, f"{store.name}, rolled back")
    # One that can't be rolled back to changes nothing.
    entry = json.loads(store.tessera("rollback", output, "--list", "--json", *options).stdout)["catalogs"][0]
    kept = store.get(f"{prefix}/{entry['path']}")["Body"].read()
    store.client().delete_object(Bucket=BUCKET, Key=f"{prefix}/{entry['path']}")
    lost = store.tessera("rollback", output, *options)
    check(lost.returncode == 2 and f"{entry['path']}\" is missing" in lost.stderr, f"{store.name}: {lost}")
    expect(work, store, prefix, f"{store.name}, not rolled back")
    store.client().put_object(Bucket=BUCKET, Key=f"{prefix}/{entry['path']}", Body=kept)
    again = store.tessera("rollback", output, *options)
    check(again.returncode == 0, f"{store.name}: {again}")
    check(store.get(f"{prefix}/catalog.json")["Body"].read() == replaced, f"{store.name}: another catalog")


def test_forget(store, output, prefix):
    """No object of an output has anything of an image that was forgotten, its state and kept catalogs included."""
    read = lambda key: store.get(key)["Body"].read()
    catalog = json.loads(read(f"{prefix}catalog.json"))
    image, *others = sorted((image for image in catalog["images"] if paths(catalog, image)), key=lambda image: image["id"])
    own = paths(catalog, image).difference(*(paths(catalog, other) for other in others))
    # As a record has it, and as a file may.
    digest = hashlib.sha256(image["url"].encode())
    key, traces = digest.digest()[:16], [f'"id":"{image["id"]}"', f'"url":"{image["url"]}"', digest.hexdigest()]
    place = store.keys(prefix)
    check(any(key in read(object) for object in place), f"{store.name}: the state does not have {key.hex()}")
    forgotten = store.tessera("forget", output, image["id"], "--json")
    check(forgotten.returncode == 0, f"{store.name}: forget: {forgotten.stderr}")
    check(json.loads(forgotten.stdout)["ids"] == [image["id"]], f"{store.name}: forget: {forgotten.stdout}")
    left = store.keys(prefix)
    check(not own.intersection(object.removeprefix(prefix) for object in left), f"{store.name}: files are left")
    for object in left:
        data = read(object)
        found = [trace for trace in [*map(str.encode, traces), key] if trace in data]
        check(not found, f"{store.name}: {object} has {found}")
    verified = store.tessera("verify", output, "--quiet")
    check(verified.returncode == 0, f"{store.name}: after forget: {verified.stdout}")
    print(f"{store.name}: forget left nothing of {image['id']} in {len(left)} of {len(place)} objects", flush=True)


def test_shards(work, store):
    output = f"s3://{BUCKET}/shards-of-it"
    manifest = f"s3://{BUCKET}/manifest.jsonl"
    with open(work.manifest, "rb") as file:
        store.client().put_object(Bucket=BUCKET, Key="manifest.jsonl", Body=file.read())
    # Two machines, each with a disk of its own; three shards run on both at the same time.
    machines = []
    for number in range(2):
        state = f"{work.home}/{store.name}-machine{number}"
        shutil.rmtree(state, ignore_errors=True)
        machines.append(pipeline(work, f"{store.name}-machine{number}", output, state))
    runs = [(shard, shard % 2) for shard in range(SHARDS)] + [(shard, 1 - shard % 2) for shard in range(3)]
    results = {}

    def run(shard, machine):
        done = store.tessera("run", machines[machine], "--shard", f"{shard}/{SHARDS}", "--quiet", "--partial-ok",
                             "--manifest", manifest)
        results[shard, machine] = (done.returncode, done.stderr)
    threads = [threading.Thread(target=run, args=one) for one in runs]
    for start in range(0, len(threads), 4):
        for thread in threads[start:start + 4]:
            thread.start()
        for thread in threads[start:start + 4]:
            thread.join()
    # Of two at the same time, one may find the lock of the other in the store.
    for shard in range(SHARDS):
        ends = sorted(results[key][0] for key in results if key[0] == shard)
        check(ends in ([0], [0, 0], [0, 75]), f"{store.name}: shard {shard}: {ends} {results}")
    options = ["--state", f"{work.home}/{store.name}-machine0"] if store.name == "Swift" else []
    merged = store.tessera("merge", output, *options)
    check(merged.returncode == 1, f"{store.name}: merge: {merged.returncode} {merged.stderr}")
    expect(work, store, "shards-of-it", f"{store.name}, {SHARDS} shards on two machines, three of them on both")


def test_stored_state(work, store):
    """Without a directory for the state, it is in the store, with a lock."""
    output, lock, state = f"s3://{BUCKET}/kept", "kept/.tessera/lock", "kept/.tessera/state.sqlite"
    path = pipeline(work, f"{store.name}-kept", output, None)
    if store.name == "Swift":
        done = store.tessera("run", path, "--quiet")
        check(done.returncode == 2 and 'add "state: DIR"' in done.stderr, f"Swift, state: {done.stderr}")
        print(f"Swift, state in the store: {done.stderr.strip()}", flush=True)
        return
    # Killed in the middle: its lock stays.
    process = subprocess.Popen(["tessera", "run", path, "--quiet"], env=store.environment)
    wait(lambda: len(store.keys("kept/variants/")) > 3, 60, "files of a run")
    busy = store.tessera("run", path, "--quiet")
    check(busy.returncode == 75 and "another run holds" in busy.stderr, f"beside a run: {busy}")
    busy = store.tessera("run", path, "--quiet", "--shard", "0/8")
    check(busy.returncode == 75, f"a shard beside a run: {busy}")
    check(not store.keys("kept/.tessera/shards/0/8"), "a shard left its lock")
    process.kill()
    process.wait()
    killed = time.monotonic()
    busy = store.tessera("run", path, "--quiet")
    check(busy.returncode == 75 and "last heard of" in busy.stderr, f"after a kill: {busy}")
    print(f"{store.name}, state in the store: {busy.stderr.strip()}", flush=True)

    # Meanwhile, shards in another place, three of them twice at the same time.
    shards = f"s3://{BUCKET}/kept-shards"
    parts = pipeline(work, f"{store.name}-kept-shards", shards, None)
    results = {}

    def run(shard, twin):
        results[shard, twin] = store.tessera("run", parts, "--shard", f"{shard}/{SHARDS}", "--quiet", "--partial-ok")
    threads = [threading.Thread(target=run, args=(shard, twin)) for shard in range(3) for twin in range(2)]
    threads += [threading.Thread(target=run, args=(shard, 0)) for shard in range(3, SHARDS)]
    for start in range(0, len(threads), 4):
        for thread in threads[start:start + 4]:
            thread.start()
        for thread in threads[start:start + 4]:
            thread.join()
    for shard in range(SHARDS):
        ends = sorted(results[key].returncode for key in results if key[0] == shard)
        check(ends in ([0], [0, 0], [0, 75]), f"shard {shard}: {ends}")
    merged = store.tessera("merge", shards)
    check(merged.returncode == 1, f"merge: {merged.returncode} {merged.stderr}")
    expect(work, store, "kept-shards", f"{store.name}, {SHARDS} shards, their states in the store")
    why = store.tessera("why", shards, "p0")
    check(why.returncode == 0 and "p0" in why.stdout, f"why: {why.stderr}")

    # A lock that nobody renews ends.
    time.sleep(max(0, killed + 121 - time.monotonic()))
    done = store.tessera("run", path, "--quiet")
    check(done.returncode == 1, f"after a killed run: {done}")
    expect(work, store, "kept", f"{store.name}, one run, its state in the store, after a killed one")
    check(store.keys(lock) == [] and store.keys(state) == [state], f"{store.keys('kept/.tessera')}")
    again = json.loads(store.tessera("run", path, "--quiet", "--json").stdout)
    check(again["decodes"] == 0, f"the second run decodes {again['decodes']}")
    why = store.tessera("why", output, "p0")
    check(why.returncode == 0 and "p0" in why.stdout, f"why: {why.stderr}")
    other = store.tessera("run", pipeline(work, f"{store.name}-kept-beside", output, f"{work.home}/kept-state"), "--quiet")
    check(other.returncode == 2 and "has a state in its store" in other.stderr, f"a second state: {other}")

    # A file that the store has lost is made again, once verify has seen it.
    lost = store.keys("kept/variants/")[0]
    store.client().delete_object(Bucket=BUCKET, Key=lost)
    found = store.tessera("verify", output, "--quiet", "--remove-broken")
    check(found.returncode == 1, f"verify: {found}")
    done = store.tessera("run", path, "--quiet")
    check(store.keys(lost) == [lost], "a lost file was not made again")
    pruned = store.tessera("prune", output, "--grace", "0s", "--json")
    check(pruned.returncode == 0 and json.loads(pruned.stdout)["deleted"] == 0, f"prune: {pruned}")
    expect(work, store, "kept", f"{store.name}, a lost file is made again")

    short = f"{work.home}/short.jsonl"
    less = store.tessera("run", path, "--quiet", "--manifest", short, "--allow-shrink")
    check(less.returncode in (0, 1), f"{store.name}: {less.stderr}")
    test_rollback(work, store, output, [])
    test_forget(store, output, "kept/")
    test_forget(store, shards, "kept-shards/")
    check(store.keys(lock) == [] and store.keys(state) == [state], f"{store.keys('kept/.tessera')}")


def test_sources(work, store):
    """Sources in a bucket, which the pipeline has to permit."""
    client = store.client()
    client.create_bucket(Bucket="photos")
    names = ["plain.jpg", "grey.png", "animated.gif"]
    for name in names:
        with open(f"{ROOT}/Tests/Fixtures/{name}", "rb") as file:
            client.put_object(Bucket="photos", Key=f"a b/{name}", Body=file.read())
    manifest = f"{work.home}/sources.txt"
    with open(manifest, "w") as file:
        file.writelines(f"s3://photos/a%20b/{name}\n" for name in [*names, "missing.jpg"])
    outputs = {}
    for allowed in ["s3:photos", "s3:other"]:
        path = f"{work.home}/sources.yaml"
        output = outputs[allowed] = work.output(f"{store.name}-sources-{allowed[3:]}")
        with open(path, "w") as file:
            file.write(f"manifest: {manifest}\noutput: {output}\nslots: {{card: {{size: 180x}}}}\n"
                       f"fetch: {{allow: ['{allowed}'], retries: 0}}\n")
        done = store.tessera("run", path, "--quiet")
        check(done.returncode == 1, f"{store.name}, sources: status {done.returncode}: {done.stderr}")
    with open(f"{outputs['s3:photos']}/catalog.json") as file:
        images = json.load(file)["images"]
    check([image["status"] for image in images] == ["ok"] * 3 + ["failed"], f"{store.name}, sources: {images}")
    check(images[0]["url"] == "s3://photos/a%20b/plain.jpg", f"{store.name}, sources: {images[0]}")
    check("404" in images[3]["error"]["message"], f"{store.name}, sources: {images[3]}")
    with open(f"{outputs['s3:other']}/catalog.json") as file:
        errors = [image["error"] for image in json.load(file)["images"]]
    check(all("add allow: [s3:photos]" in error["message"] for error in errors), f"{store.name}: {errors}")
    print(f"{store.name}, sources in a bucket: 3 ok, 1 missing; rejected without permission", flush=True)


def test_web_identity(work, home):
    """Temporary credentials for the token of a platform, from a service for tokens."""
    port = free_port()
    process = subprocess.Popen([f"{home}/venv/bin/moto_server", "--host", "127.0.0.1", "--port", str(port)],
                               stdout=subprocess.DEVNULL, stderr=open(f"{home}/moto-sts.log", "w"))
    store = Store("moto", f"http://127.0.0.1:{port}", "any", "any", process)
    try:
        def answers():
            try:
                store.client().create_bucket(Bucket=BUCKET)
                return True
            except Exception:
                return False
        wait(answers, 60, "the start of moto")
        token = f"{work.home}/token"
        with open(token, "w") as file:
            file.write("a.web.identity\n")
        environment = dict(AWS_ACCESS_KEY_ID="", AWS_SECRET_ACCESS_KEY="", AWS_WEB_IDENTITY_TOKEN_FILE=token,
                           AWS_ROLE_ARN="arn:aws:iam::123456789012:role/tessera")
        path = pipeline(work, "web-identity", f"s3://{BUCKET}/identity", work.output("identity-state"))
        done = store.tessera("run", path, "--quiet", environment=environment)
        check(done.returncode == 1, f"web identity: status {done.returncode}: {done.stderr}")
        expect(work, store, "identity", "moto, with a web identity")
        with open(f"{home}/moto-sts.log") as file:
            asked = [line for line in file if '"POST / ' in line]
        check(len(asked) == 1, f"web identity: {len(asked)} requests for credentials")
    finally:
        store.close()


class Faults(http.server.BaseHTTPRequestHandler):
    """A proxy that hands on most requests, and fails the others as its server says."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = self.server.fault(self)
        if fault == "delay":
            time.sleep(0.2)
            fault = None
        is_lost, fault = fault == "lost", None if fault == "lost" else fault
        if fault == "drop":
            self.close_connection = True
            self.connection.close()
            return
        if fault and fault != "whole":
            status, code = fault
            text = f"<Error><Code>{code}</Code><Message>injected</Message></Error>".encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(text)
            return
        if fault == "whole" and self.send_whole():
            return
        connection = http.client.HTTPConnection("127.0.0.1", self.server.target, timeout=60)
        # The signature covers the name of the host.
        connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read()
        if is_lost:
            self.close_connection = True
            self.connection.close()
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "server", "date"):
                self.send_header(name, value)
        self.send_header("Content-Length", answer.getheader("Content-Length") if self.command == "HEAD"
                         else str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def send_whole(self):
        """As a server that ignores Range."""
        key = urllib.parse.unquote(self.path.split("?")[0]).split("/", 2)[2]
        try:
            found = self.server.store.get(key)
        except Exception:
            return False
        text = found["Body"].read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("ETag", found["ETag"])
        self.end_headers()
        self.wfile.write(text)
        return True

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any


class FaultServer(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, target, store=None):
        super().__init__(("127.0.0.1", 0), Faults)
        self.store = store
        self.target, self.count, self.lock = target, 0, threading.Lock()
        self.fault = lambda request: None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def each(self, number, fault):
        """Fails each n-th request."""
        self.count = 0

        def decide(request):
            with self.lock:
                self.count += 1
                return fault if self.count % number == 0 else None
        self.fault = decide


def test_faults(work, store):
    target = int(store.endpoint.rsplit(":", 1)[1])
    server = FaultServer(target)
    proxied = Store(store.name, f"http://127.0.0.1:{server.server_port}", store.key, store.secret)

    def run(name, environment=None):
        state = f"{work.home}/{store.name}-{name}"
        shutil.rmtree(state, ignore_errors=True)
        path = pipeline(work, f"{store.name}-{name}", f"s3://{BUCKET}/{name}", state)
        begun = time.monotonic()
        done = proxied.tessera("run", path, "--quiet", environment=environment)
        return done, time.monotonic() - begun
    # Failures that pass: the result is that of a run without them.
    for name, fault in [("slowdown", (503, "SlowDown")), ("internal", (500, "InternalError")), ("dropped", "drop")]:
        server.each(7, fault)
        done, seconds = run(name)
        server.fault = lambda request: None
        check(done.returncode == 1, f"{name}: status {done.returncode}: {done.stderr}")
        expect(work, proxied, name, f"{store.name}, each seventh answer is {name}")
    # Failures that do not pass: status 2, a sentence, and no catalog.
    for name, fault, environment, sentence in [
            ("rejected", (403, "AccessDenied"), None, "403 AccessDenied"),
            ("skewed", (403, "RequestTimeTooSkewed"), None, "set this machine's clock"),
            ("down", (503, "ServiceUnavailable"), None, "could not be reached in 6 attempts"),
            ("gone", "drop", None, "could not be reached in 6 attempts"),
            ("secret", None, {"AWS_SECRET_ACCESS_KEY": "wrong"}, "check the credentials")]:
        server.fault = lambda request: fault
        done, seconds = run(name, environment)
        server.fault = lambda request: None
        check(done.returncode == 2, f"{name}: status {done.returncode}: {done.stderr}")
        check(sentence in done.stderr, f"{name}: {done.stderr}")
        check(seconds < 60, f"{name}: {seconds:.0f} s")
        check(not [key for key in store.keys(f"{name}/") if "catalog" in key], f"{name}: there is a catalog")
        print(f"{store.name}, {name}: {done.stderr.strip()} ({seconds:.0f} s)", flush=True)
    # In the middle: the last catalog stands, and names only files that are there.
    state = f"{work.home}/{store.name}-middle"
    shutil.rmtree(state, ignore_errors=True)
    path = pipeline(work, f"{store.name}-middle", f"s3://{BUCKET}/middle", state)
    done = proxied.tessera("run", path, "--quiet", "--manifest", f"{work.home}/short.jsonl")
    before = store.get("middle/catalog.json")["Body"].read()
    server.each(1, (403, "AccessDenied"))
    allowed = server.fault
    counter = [0]

    def late(request):
        counter[0] += 1
        return (403, "AccessDenied") if counter[0] > 40 else None
    server.fault = late
    done = proxied.tessera("run", path, "--quiet")
    server.fault = lambda request: None
    check(done.returncode == 2, f"middle: status {done.returncode}: {done.stderr}")
    check(store.get("middle/catalog.json")["Body"].read() == before, "middle: the catalog has changed")
    verified = store.tessera("verify", f"s3://{BUCKET}/middle", "--quiet")
    check(verified.returncode == 0, f"middle: {verified.stdout}")
    done = proxied.tessera("run", path, "--quiet")
    expect(work, store, "middle", f"{store.name}, rejected in the middle, then run again")
    server.shutdown()


def test_interleavings(work, store, count=200):
    """Shards, merges, prunes and verifies beside each other, through a proxy that loses answers, ignores Range and
    delays: no file is ever missing that the catalog names, and each command ends with a status that it has."""
    chance = random.Random(7)
    server = FaultServer(int(store.endpoint.rsplit(":", 1)[1]), store)
    proxied = Store(store.name, f"http://127.0.0.1:{server.server_port}", store.key, store.secret)

    def fault(request):
        draw = chance.random()
        if request.command == "GET" and request.headers.get("Range") and draw < 0.3:
            return "whole"
        return "drop" if draw < 0.33 and draw > 0.31 else "lost" if draw > 0.97 else "delay" if draw > 0.9 else None
    server.fault = fault
    output, shards = f"s3://{BUCKET}/mixed", 3
    short = f"{work.home}/mixed.jsonl"
    with open(work.manifest) as file:
        lines = file.readlines()[:24]
    lists = [lines, lines[:16], lines[8:]]
    for number, part in enumerate(lists):
        with open(f"{short}.{number}", "w") as file:
            file.writelines(part)
    path = pipeline(work, f"{store.name}-mixed", output, None)
    with open(path, "a") as file:
        file.write("shrink-above: 100%\nlost-above: 100%\nfail-above: 100%\nkeep-catalogs: 0\n")
    # Results of one list can be merged; another list, now and then, makes files that prune may delete.
    turn = [0]

    def shard():
        return ["run", path, "--quiet", "--shard", f"{chance.randrange(shards)}/{shards}", "--manifest",
                f"{short}.{turn[0] // 50 % 3}"]
    for number in range(shards):
        done = store.tessera("run", path, "--quiet", "--shard", f"{number}/{shards}", "--manifest", f"{short}.0")
        check(done.returncode in (0, 1), f"{store.name}, interleavings, at the beginning: {done}")
    check(store.tessera("merge", output).returncode in (0, 1), f"{store.name}, interleavings, the first merge")
    commands = [shard] * 4 + [lambda: ["merge", output, "--quiet", "--allow-loss"]] * 2 + [
        lambda: ["prune", output, "--grace", "0s", "--quiet"],
        lambda: ["verify", output, "--quiet", "--remove-broken"],
        lambda: ["verify", output, "--quiet"]]
    ends, missing, lock = {}, [], threading.Lock()

    def named():
        try:
            catalog = json.loads(store.get("mixed/catalog.json")["Body"].read())
        except Exception:
            return set()
        return {path for image in catalog["images"] for path in paths(catalog, image)}

    def lost():
        """Files that the catalog names and that are not there, while it is the same catalog."""
        before = named()
        there = {key.removeprefix("mixed/") for key in store.keys("mixed/variants/")}
        return before - there if before == named() else set()

    def work_through(turns):
        for _ in range(turns):
            # So that at times nobody holds the output, and a command that needs all of it begins.
            time.sleep(2 * chance.random())
            with lock:
                turn[0] += 1
                words = chance.choice(commands)()
            done = proxied.tessera(*words)
            with lock:
                ends.setdefault(words[0], []).append((done.returncode, done.stderr.strip()[:300]))
                if done.returncode == 0 and words[0] != "verify" and lost():
                    missing.append((words, sorted(lost())))
    begun = time.monotonic()
    threads = [threading.Thread(target=work_through, args=(count // 4,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not [one for one in missing if one[1]], f"{store.name}, interleavings: {missing}")
    for verb, found in ends.items():
        # 2 only for results of different lists; never an error of the output's parts.
        odd = [end for end in found if end[0] not in (0, 1, 75)
               and not (end[0] == 2 and verb == "merge" and "another manifest" in end[1])]
        done = sum(end[0] in (0, 1) for end in found)
        check(done >= 1, f"{store.name}, interleavings: {verb} was done {done} times of {len(found)}: {found[:9]}")
        check(not odd, f"{store.name}, interleavings: {verb}: {odd[:5]}")
    server.fault = lambda request: None
    for shard in range(shards):
        done = store.tessera("run", path, "--quiet", "--shard", f"{shard}/{shards}", "--manifest", f"{short}.0", "--partial-ok")
        check(done.returncode == 0, f"{store.name}, interleavings, at the end: {done}")
    done = store.tessera("merge", output, "--partial-ok", "--allow-loss")
    check(done.returncode == 0, f"{store.name}, interleavings, merge at the end: {done}")
    done = store.tessera("prune", output, "--grace", "0s")
    check(done.returncode == 0 and not lost(), f"{store.name}, interleavings, prune at the end: {done} {lost()}")
    # A file that the store loses is made again by the shard that has it.
    gone = sorted(named())[0]
    store.client().delete_object(Bucket=BUCKET, Key=f"mixed/{gone}")
    done = store.tessera("verify", output, "--quiet", "--remove-broken")
    check(done.returncode == 1, f"{store.name}, a lost file of a shard: {done}")
    for shard in range(shards):
        store.tessera("run", path, "--quiet", "--shard", f"{shard}/{shards}", "--manifest", f"{short}.0")
    check(not lost(), f"{store.name}, a lost file of a shard was not made again: {lost()}")
    server.shutdown()
    counts = {verb: {code: sum(end[0] == code for end in found) for code in sorted({end[0] for end in found})}
              for verb, found in sorted(ends.items())}
    print(f"{store.name}, {count} interleavings in {time.monotonic() - begun:.0f} s: {counts}", flush=True)


def test(work, home, which):
    if "moto" in which:
        store = start_moto(home)
        try:
            test_run(work, store)
            test_shards(work, store)
            test_stored_state(work, store)
            test_sources(work, store)
            test_interleavings(work, store)
            test_faults(work, store)
        finally:
            store.close()
        test_web_identity(work, home)
    if "swift" in which:
        store = Swift(home)
        try:
            test_run(work, store)
            test_shards(work, store)
            test_stored_state(work, store)
            test_sources(work, store)
        finally:
            store.close()

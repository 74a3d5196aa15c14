"""A Slurm cluster of two nodes on this machine, without systemd. One node dies in the middle."""
import os
import shutil
import signal
import subprocess

from work import ROOT, SHARDS, check, free_port, wait


class Cluster:
    def __init__(self, home):
        self.home = os.path.join(home, "slurm")
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home, mode=0o755)
        for name in ["state", "n1", "n2", "munge"]:
            os.makedirs(f"{self.home}/{name}", mode=0o755)
        self.processes = {}
        self.environment = dict(os.environ, SLURM_CONF=f"{self.home}/slurm.conf")
        try:
            self._start_all()
        except BaseException:
            self.close()
            raise

    def _start_all(self):
        self._start_munge()
        self._configure()
        self.processes["ctld"] = subprocess.Popen(
            ["slurmctld", "-D", "-i", "-f", f"{self.home}/slurm.conf"], env=self.environment,
            stdout=subprocess.DEVNULL, stderr=open(f"{self.home}/slurmctld.err", "w"))
        for node in ["n1", "n2"]:
            self.start(node)
        wait(lambda: self.states() == {"n1": "idle", "n2": "idle"}, 60, "the start of Slurm's nodes")

    def _start_munge(self):
        folder = f"{self.home}/munge"
        with open(f"{folder}/key", "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(f"{folder}/key", 0o600)
        # munged rejects a folder that others may write to, above its socket, too.
        self.processes["munged"] = subprocess.Popen(
            ["munged", "--foreground", "--force", f"--socket={folder}/socket", f"--key-file={folder}/key",
             f"--pid-file={folder}/pid", f"--log-file={folder}/log", f"--seed-file={folder}/seed"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: os.path.exists(f"{folder}/socket"), 20, "the start of munge")

    def _configure(self):
        host = subprocess.run(["hostname", "-s"], capture_output=True, text=True).stdout.strip()
        with open(f"{self.home}/slurm.conf", "w") as file:
            file.write(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
AuthType=auth/munge
AuthInfo=socket={self.home}/munge/socket
CryptoType=crypto/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={self.home}/state
SlurmdSpoolDir={self.home}/%n
SlurmctldPidFile={self.home}/slurmctld.pid
SlurmdPidFile={self.home}/%n.pid
SlurmctldLogFile={self.home}/slurmctld.log
SlurmdLogFile={self.home}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
SlurmdTimeout=6
SlurmctldTimeout=30
InactiveLimit=0
MinJobAge=600
JobRequeue=1
MailProg=/bin/true
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
""")
        with open(f"{self.home}/cgroup.conf", "w") as file:
            file.write("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")

    def start(self, node):
        self.processes[node] = subprocess.Popen(
            ["slurmd", "-D", "-N", node, "-f", f"{self.home}/slurm.conf"], env=self.environment,
            stdout=subprocess.DEVNULL, stderr=open(f"{self.home}/{node}.err", "w"), start_new_session=True)

    def call(self, *words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        check(done.returncode == 0, f"{' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def states(self):
        done = subprocess.run(["sinfo", "--noheader", "--Node", "--format=%N %t"], env=self.environment,
                              capture_output=True, text=True)
        return dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)

    def jobs(self):
        """State, node and number of each job and task, by its id."""
        lines = self.call("squeue", "--noheader", "--array", "--states=all",
                          "--format=%i|%T|%N|%A").splitlines()
        return {line.split("|")[0]: line.split("|")[1:] for line in lines}

    def running_on(self, node):
        return [job for job, (state, where, _) in self.jobs().items() if (state, where) == ("RUNNING", node)]

    def kill(self, node):
        """Ends a node as a power failure does: its daemon, and everything that runs on it."""
        numbers = [number for state, where, number in self.jobs().values() if (state, where) == ("RUNNING", node)]
        family = {}
        steps = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    family.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    title = file.read().decode(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if any(title.startswith(f"slurmstepd: [{number}.") for number in numbers):
                steps.append(int(name))
        # The daemons first: they would report the end of the others.
        victims = [self.processes[node].pid, *steps]
        for victim in victims[1:]:
            victims += family.get(victim, [])
        for victim in victims[1 + len(steps):]:
            victims += family.get(victim, [])
        for victim in victims:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.processes.pop(node).wait()
        return len(steps)

    def close(self):
        for process in reversed(list(self.processes.values())):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def test(work, home):
    output = work.output("slurm")
    cluster = Cluster(home)
    try:
        environment = dict(cluster.environment)
        submitted = subprocess.run(
            [f"{ROOT}/Examples/slurm/submit", work.pipeline, output, str(SHARDS), "--cpus-per-task=1",
             f"--output={home}/slurm/%x-%A_%a.log"],
            env=environment, capture_output=True, text=True)
        check(submitted.returncode == 0, f"submit: {submitted.stderr}")
        array, merge = submitted.stdout.split()

        wait(lambda: work.done(output) >= 1, 120, "the first shard's end")
        lost = wait(lambda: cluster.running_on("n2"), 60, "a shard on the second node")
        killed = cluster.kill("n2")
        check(killed > 0, "the node that was killed had no process")
        wait(lambda: cluster.jobs().get(merge, [""])[0] in ("COMPLETED", "FAILED", "CANCELLED"), 300, "the merge")
        jobs = cluster.jobs()
        check(jobs[merge][0] == "COMPLETED", f"the merge is {jobs[merge][0]}")
        work.expect(f"Slurm, a node killed with {len(lost)} shards on it", output)
        # A shard that fails as a whole: the merge never starts.
        missing = work.output("slurm-failing")
        submitted = subprocess.run(
            [f"{ROOT}/Examples/slurm/submit", "/dev/null", missing, "2", f"--output={home}/slurm/failing-%A_%a.log"],
            env=environment, capture_output=True, text=True)
        check(submitted.returncode == 0, f"submit: {submitted.stderr}")
        merge = submitted.stdout.split()[1]
        wait(lambda: cluster.jobs().get(merge, [""])[0] == "CANCELLED", 120, "the cancelled merge")
        print("Slurm, shards that fail: the merge was cancelled", flush=True)
    finally:
        cluster.close()

"""Measures contestants in alternating rounds."""
import json
import os
import statistics
import subprocess
import sys

from inputs import fresh_folder

HERE = os.path.dirname(os.path.abspath(__file__))


class Group:
    """Contestants that make the same files from the same images, and what they used."""

    def __init__(self, title, images, contestants, home):
        self.title, self.images, self.contestants, self.home = title, images, contestants, home
        self.rounds, self.memory, self.made, self.bytes = [], {}, {}, {}

    def measure(self, contestant, *options):
        """Runs a contestant in an empty folder; exits if it fails or does not make all files."""
        folder = fresh_folder(os.path.join(self.home, contestant.name.replace(" ", "-").replace(",", "")))
        command = contestant.command(self.images, folder)
        log = folder + ".log"
        # What the contestant before wrote must not reach the disk during this one's time.
        os.sync()
        run = subprocess.run([sys.executable, f"{HERE}/measure.py", *options, log, *command],
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{contestant.name} left processes behind, or could not be measured:\n{run.stderr}")
        used = json.loads(run.stdout)
        made = contestant.made(self.images, folder) if used["status"] == 0 else {}
        missing = len(self.images) * len(contestant.sizes) - sum(map(os.path.exists, made.values()))
        if missing:
            sys.exit(f"{contestant.name}: status {used['status']}, {missing} files missing; see {log}")
        self.made[contestant.name] = made
        self.bytes[contestant.name] = sum(map(os.path.getsize, made.values()))
        return used

    def warm_up(self):
        """The first round, which is not timed: it reads all sources once and observes the memory."""
        for contestant in self.contestants:
            self.memory[contestant.name] = self.measure(contestant, "--memory")["memory"]

    def run(self, count):
        for number in range(count):
            # Another one begins each round, so that no contestant always follows the same one.
            turn = number % len(self.contestants)
            order = self.contestants[turn:] + self.contestants[:turn]
            self.rounds.append({one.name: self.measure(one) for one in order})
            print(f"{self.title}, round {number + 1}: " + ", ".join(
                f"{one.name} {self.rounds[-1][one.name]['seconds']:.1f} s" for one in self.contestants), flush=True)

    def median(self, name, quantity):
        return statistics.median(used[name][quantity] for used in self.rounds)

    def ratios(self, name, other, quantity):
        return [used[name][quantity] / used[other][quantity] for used in self.rounds]

    def ratio(self, name, other, quantity):
        """The median of the rounds' ratios: what slows a whole round does not change it."""
        return statistics.median(self.ratios(name, other, quantity))

    def files(self, image):
        """The files made from an image, by contestant and size."""
        return {(name, size): path for name, made in self.made.items()
                for (source, size), path in made.items() if source == image}

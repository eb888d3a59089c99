#!/usr/bin/env python3
"""A Varve worker in Python's standard library alone: docs/worker-protocol.md, step by step.

    python3 worker.py http://127.0.0.1:7433 [--tags gpu,ssd] [--cores 4] [--folder DIR]

A token goes into VARVE_TOKEN. SIGTERM and Ctrl-C let it finish what it has and leave.
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.error
import urllib.request

PASSING = {502, 503, 504, 429, 500}


class Refused(Exception):
    """The server understood and said no; `code` says why."""

    def __init__(self, status, problem):
        super().__init__(problem.get("detail", str(status)))
        self.status = status
        self.code = problem.get("code", "")


class Unreachable(Exception):
    """Nobody answered, or the server cannot at the moment: try again."""


class Server:
    """Requests to one server; after registration they carry the session."""

    def __init__(self, url, token):
        self.base = url.rstrip("/") + "/api/v1"
        self.headers = {"authorization": "Bearer " + token} if token else {}

    def open(self, method, path, data=None, kind="application/json", timeout=60):
        headers = dict(self.headers)
        if data is not None:
            headers["content-type"] = kind
        request = urllib.request.Request(self.base + path, data=data, method=method, headers=headers)
        try:
            return urllib.request.urlopen(request, timeout=timeout)
        except urllib.error.HTTPError as error:
            if error.code in PASSING:
                raise Unreachable(str(error)) from error
            try:
                problem = json.load(error)
            except ValueError:
                problem = {}
            raise Refused(error.code, problem) from error
        except OSError as error:
            raise Unreachable(str(error)) from error

    def call(self, method, path, body=None, timeout=60):
        with self.open(method, path, json.dumps(body or {}).encode(), timeout=timeout) as answer:
            return json.load(answer)


class Job(threading.Thread):
    """One job: fetch what it needs, run it, send back what it left."""

    def __init__(self, worker, job):
        super().__init__(daemon=True)
        self.worker = worker
        self.job = job
        self.folder = os.path.join(worker.folder, job["key"])
        self.address = "/workers/%d/jobs/%s" % (worker.number, job["key"])
        self.attempt = os.path.join(self.folder, "attempt")
        self.paths = {job["directory"]: self.attempt}
        for number, path in enumerate(job["inputs"]):
            self.paths[path] = os.path.join(self.folder, "inputs", str(number), os.path.basename(path))
        self.process = None
        self.occupies = True
        self.cancelled = False
        self.forgotten = False
        self.sent = {"stdout": 0, "stderr": 0}

    # Paths of the server in terms of this machine, and back.

    @staticmethod
    def replace(text, pairs):
        known = sorted(pairs, key=len, reverse=True)
        mention = r"(?:" + "|".join(re.escape(path) for path in known) + r")(?![\w-]|\.\w)"
        return re.sub(mention, lambda found: pairs[found.group(0)], text)

    def here(self, text):
        return self.replace(text, self.paths)

    def there(self, text):
        return self.replace(text, {here: there for there, here in self.paths.items()})

    def run(self):
        try:
            outcome = self.execute()
        except (Refused, OSError, tarfile.TarError) as error:
            self.kill()
            outcome = {"kind": "lost", "reason": str(error)[:1000]}
        self.occupies = False
        try:
            self.persistently(lambda: self.worker.server.call("POST", self.address + "/end", {"outcome": outcome}))
        except Refused as error:
            print("job %s: %s" % (self.job["key"], error), file=sys.stderr)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.worker.ended(self.job["key"])

    def execute(self):
        self.persistently(self.fetch)
        if self.cancelled:
            return {"kind": "cancelled"}
        job, started = self.job, int(time.time() * 1000)
        opened = [open(self.here(job["stdin"] or os.devnull), "rb")]
        opened += [open(self.here(job[stream]), "ab") for stream in ("stdout", "stderr")]
        try:
            self.process = subprocess.Popen(
                [self.here(word) for word in job["argv"]],
                env={name: self.here(value) for name, value in job["env"].items()},
                cwd=self.here(job["cwd"]),
                stdin=opened[0], stdout=opened[1], stderr=opened[2],
                start_new_session=True,
            )
        finally:
            for file in opened:
                file.close()
        self.persistently(lambda: self.worker.server.call("POST", self.address + "/start", {"at": started}))
        timed_out = self.wait(started)
        times = {"startedAt": started, "endedAt": int(time.time() * 1000)}
        self.occupies = False
        self.persistently(self.send_logs)
        if self.cancelled:
            return {"kind": "cancelled"}
        if timed_out:
            return {"kind": "timeout", **times}
        self.persistently(self.send_output)
        code = self.process.returncode
        if code < 0:
            return {"kind": "exited", "exitCode": 128 - code, "signal": signal.Signals(-code).name, **times}
        return {"kind": "exited", "exitCode": code, **times}

    def wait(self, started):
        limit = self.job["timeoutMs"]
        timed_out = False
        while True:
            try:
                self.process.wait(1)
                return timed_out
            except subprocess.TimeoutExpired:
                pass
            if self.cancelled:
                self.kill()
            elif limit is not None and time.time() * 1000 - started > limit:
                timed_out = True
                self.kill()
            try:
                self.send_logs()
            except (Refused, Unreachable):
                pass

    def kill(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)

    def cancel(self):
        self.cancelled = True
        self.kill()


    # What travels.

    def fetch(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("work", "out", "logs"):
            os.makedirs(os.path.join(self.attempt, part))
        with self.worker.server.open("GET", self.address + "/files") as answer:
            self.unpack(answer, self.attempt)
        for number, path in enumerate(self.job["inputs"]):
            target = self.here(path)
            with self.worker.server.open("GET", "%s/inputs/%d" % (self.address, number)) as answer:
                if answer.headers.get_content_type() == "application/x-tar":
                    os.makedirs(target)
                    self.unpack(answer, target)
                else:
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with open(target, "wb") as file:
                        shutil.copyfileobj(answer, file)

    def unpack(self, stream, folder):
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for entry in archive:
                path = os.path.join(folder, entry.name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if entry.isdir():
                    os.makedirs(path, exist_ok=True)
                elif entry.issym():
                    os.symlink(self.here(entry.linkname), path)
                elif entry.isfile():
                    with open(path, "wb") as file:
                        shutil.copyfileobj(archive.extractfile(entry), file)
                    os.chmod(path, 0o755 if entry.mode & 0o100 else 0o644)

    def send_logs(self):
        for stream in ("stdout", "stderr"):
            if any(self.job[stream].startswith(folder + "/") for folder in self.job["returns"]):
                continue
            with open(self.here(self.job[stream]), "rb") as file:
                file.seek(self.sent[stream])
                data = file.read()
            if data:
                path = "%s/logs/%s/%d" % (self.address, stream, self.sent[stream])
                with self.worker.server.open("PUT", path, data, "application/octet-stream") as answer:
                    self.sent[stream] = json.load(answer)["sizeBytes"]

    def send_output(self):
        def as_on_the_server(entry):
            if entry.issym():
                entry.linkname = self.there(entry.linkname)
            return entry

        with tempfile.TemporaryFile(dir=self.folder) as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for folder in self.job["returns"]:
                    name = os.path.relpath(folder, self.job["directory"])
                    archive.add(os.path.join(self.attempt, name), arcname=name, filter=as_on_the_server)
            file.seek(0)
            self.worker.server.open("PUT", self.address + "/output", file, "application/octet-stream").close()

    def persistently(self, ask):
        """Repeats what a server that is away for a moment could not answer."""
        while not self.forgotten:
            try:
                return ask()
            except Unreachable:
                time.sleep(0.5)
        raise Refused(409, {"detail": "the job is no longer ours"})


class Worker:
    def __init__(self, server, options):
        self.server = server
        self.options = options
        self.folder = options.folder
        self.jobs = {}
        self.known = set()
        self.lock = threading.Lock()
        self.leaving = False

    def register(self):
        answer = self.persistently_register()
        self.number = answer["worker"]
        self.lease = answer["leaseMs"] / 1000
        self.state = "ACTIVE"
        self.server.headers["varve-worker-session"] = answer["session"]
        print("registered as %s" % answer["name"], flush=True)

    def persistently_register(self):
        while True:
            try:
                return self.server.call("POST", "/workers", {
                    "name": "python", "host": socket.gethostname(), "pid": os.getpid(), "version": "example",
                    "tags": [tag for tag in self.options.tags.split(",") if tag],
                    "cores": self.options.cores,
                    "memoryBytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
                    "sharedStorage": False,
                })
            except Unreachable:
                time.sleep(1)

    def run(self):
        self.register()
        alive = time.monotonic()
        while not (self.leaving or self.state == "DRAINING") or self.jobs:
            began = time.monotonic()
            try:
                answer = self.poll()
                alive = began
                if self.heed(answer):
                    break
            except Unreachable:
                if time.monotonic() - alive > self.lease:
                    self.begin_anew()
                    alive = time.monotonic()
                time.sleep(0.5)
            except Refused as error:
                if error.code not in ("WORKER_GONE", "WORKER_UNKNOWN"):
                    raise
                self.begin_anew()
                alive = time.monotonic()
        try:
            self.server.call("POST", "/workers/%d/leave" % self.number)
        except (Refused, Unreachable) as error:
            print("leave: %s" % error, file=sys.stderr)

    def poll(self):
        with self.lock:
            jobs = list(self.jobs.values())
        busy = sum(job.job["cores"] for job in jobs if job.occupies)
        free = max(0, self.options.cores - busy)
        # A short wait while jobs run: their end makes room, and this thread asks for one thing at a time.
        wait = 1 if jobs else int(self.lease / 3)
        return self.server.call("POST", "/workers/%d/poll" % self.number, {
            "state": self.state,
            "have": [job.job["key"] for job in jobs],
            "cancelling": [job.job["key"] for job in jobs if job.cancelled],
            "most": 0 if self.leaving else int(free),
            "freeCores": free, "freeMemoryBytes": 2 ** 40,
            "waitMs": 0 if self.leaving else wait * 1000,
            "doing": "%d jobs" % len(jobs),
        }, timeout=self.lease)

    def heed(self, answer):
        self.state = answer["state"]
        for key in answer["gone"]:
            self.forget(key)
        for key in answer["cancel"]:
            if key in self.jobs:
                self.jobs[key].cancel()
        if answer["leaveNow"]:
            self.forget_all()
            return True
        for job in answer["jobs"]:
            # An answer that comes late starts nothing a second time.
            if job["key"] not in self.known:
                self.known.add(job["key"])
                with self.lock:
                    self.jobs[job["key"]] = Job(self, job)
                self.jobs[job["key"]].start()
        return False

    def begin_anew(self):
        print("given up by the server; registering again", file=sys.stderr)
        self.forget_all()
        self.server.headers.pop("varve-worker-session", None)
        self.register()

    def forget_all(self):
        for key in list(self.jobs):
            self.forget(key)

    def forget(self, key):
        job = self.jobs.get(key)
        if job:
            job.forgotten = True
            job.cancel()
            job.join()

    def ended(self, key):
        with self.lock:
            self.jobs.pop(key, None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("server")
    parser.add_argument("--tags", default="")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--folder")
    options = parser.parse_args()
    temporary = options.folder is None
    options.folder = options.folder or tempfile.mkdtemp(prefix="varve-worker-")
    worker = Worker(Server(options.server, os.environ.get("VARVE_TOKEN")), options)

    def leave(*_):
        worker.leaving = True

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    try:
        worker.run()
    finally:
        if temporary:
            shutil.rmtree(options.folder, ignore_errors=True)


if __name__ == "__main__":
    main()

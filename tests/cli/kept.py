"""What several tests run, such as the experiments that documents show, is run once per build: the results, and what was said, are kept in
build/PRESET/tests/kept and copied for each test. The name of what is kept is a digest of the command's bytes, the words, the files that the
experiment names, and the times of all files in data/ and experiments/, so nothing that has changed is taken again."""
import fcntl
import functools
import hashlib
import json
import pathlib
import re
import shutil
import subprocess

from harness import IKAT, SOURCE, run


@functools.cache
def folder_of_this_command():
    """Results of other builds are removed."""
    digest = hashlib.sha256(pathlib.Path(IKAT).read_bytes())
    for folder in ("data", "experiments"):
        for path in sorted((SOURCE / folder).rglob("*")):
            digest.update(f"{path} {path.stat().st_mtime_ns}\n".encode())
    all_kept = pathlib.Path(IKAT).resolve().parent / "tests/kept"
    mine = all_kept / digest.hexdigest()[:16]
    for old in all_kept.glob("*") if not mine.exists() else ():
        shutil.rmtree(old, ignore_errors=True)
    mine.mkdir(parents=True, exist_ok=True)
    return mine


def contents(words, cwd):
    """The words, and the bytes of each file that they, or the file that they name, mention."""
    yield repr(words).encode()
    for word in words:
        path = cwd / word
        if path.is_file():
            yield path.read_bytes()
            for name in re.findall(r"[\w./-]+", path.read_text(encoding="utf-8")):
                for file in (cwd / name, path.parent / name):
                    if file.is_file():
                        yield file.read_bytes()


def run_kept(words, out, cwd=SOURCE):
    """Runs ikat with these words and `-o out`, from cwd, or copies what another test had of it. Returns the finished process."""
    digest, cwd = hashlib.sha256(), pathlib.Path(cwd)
    for part in contents(words, cwd):
        digest.update(len(part).to_bytes(8, "little") + part)
    place = folder_of_this_command() / digest.hexdigest()[:16]
    with open(f"{place}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # whoever comes second waits for the first
        made, said = place / f"out{pathlib.Path(out).suffix}", place / "said.json"
        if not said.exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            done = run(*words, "-o", made, cwd=cwd, timeout=3600)
            if done.returncode == 0:
                said.write_text(json.dumps([done.stdout, done.stderr]), encoding="utf-8")
            else:
                return done
    stdout, stderr = (text.replace(str(made), str(out)) for text in json.loads(said.read_text(encoding="utf-8")))
    if made.is_dir():
        shutil.copytree(made, cwd / out, dirs_exist_ok=True)
    else:
        shutil.copyfile(made, cwd / out)
    return subprocess.CompletedProcess([IKAT, *words, "-o", str(out)], 0, stdout, stderr)

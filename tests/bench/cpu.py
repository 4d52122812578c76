"""What a server's threads compute: where a target is missed, it tells Python's share from the disk's."""

from pathlib import Path


def cpu_ms(pid: int) -> tuple[float, float]:
    """CPU time so far of the main thread, where the event loop runs, and of all other threads together, in
    ms. Both are 0 where the system does not tell."""
    loop = others = 0.0
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            taken = int((thread / "schedstat").read_text().split()[0]) / 1e6
            if thread.name == str(pid):
                loop = taken
            else:
                others += taken
    except OSError:
        return 0.0, 0.0  # another system, or a thread has just ended
    return loop, others

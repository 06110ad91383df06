"""The jobs themselves."""

import pathlib
import shutil


def copy_folder(source, target):
    """A job that copies one folder and returns the number of files."""

    def job():
        shutil.copytree(source, target, dirs_exist_ok=True)
        return sum(1 for path in pathlib.Path(target).rglob("*") if path.is_file())

    return job


def remove_old(folder, keep):
    """A job that keeps only the newest entries of a folder."""

    def job():
        entries = sorted(pathlib.Path(folder).iterdir(), key=lambda p: p.name)
        old = entries[:-keep] if keep else entries
        for entry in old:
            shutil.rmtree(entry)
        return len(old)

    return job

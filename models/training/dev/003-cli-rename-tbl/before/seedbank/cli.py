"""Command line of seedbank."""

import click
from rich.console import Console
from rich.table import Table

from .settings import Settings
from .store import NotEnoughSeed, Store

console = Console()


def open_store() -> Store:
    settings = Settings()
    settings.db_path.parent.mkdir(parents=True, exist_ok=True)
    return Store(settings)


@click.group()
def main():
    """Keep track of seed jars."""


@main.command()
@click.argument("label")
@click.option("--species", required=True)
@click.option("--grams", type=float, default=10.0)
def add(label, species, grams):
    """Put a new jar on the shelf."""
    jar_id = open_store().add_jar(label, species, grams)
    console.print(f"Added jar {jar_id}")


@main.command("list")
@click.option("--species")
def list_(species):
    """Show all jars."""
    store = open_store()
    tbl = Table("id", "label", "species", "g", "stale")
    for jar in store.list_jars(species):
        mark = "yes" if store.is_stale(jar) else ""
        tbl.add_row(str(jar["id"]), jar["label"], jar["species"], f"{jar['grams']:.0f}", mark)
    console.print(tbl)


@main.command()
@click.argument("jar_id", type=int)
@click.option("--to", "member", required=True)
@click.option("--grams", type=float, default=5.0)
def lend(jar_id, member, grams):
    """Lend seed to a member."""
    try:
        due = open_store().lend(jar_id, member, grams)
    except NotEnoughSeed as exc:
        raise click.ClickException(str(exc))
    console.print(f"Lent {grams} g to {member}, due {due}")


@main.command()
def loans():
    """Show what is still out."""
    for loan in open_store().open_loans():
        console.print(f"{loan['due']}  {loan['member']}  {loan['grams']} g")


if __name__ == "__main__":
    main()

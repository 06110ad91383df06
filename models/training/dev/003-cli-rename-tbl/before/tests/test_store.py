from seedbank.settings import Settings
from seedbank.store import Store


def make_store(tmp_path):
    return Store(Settings(db_path=tmp_path / "jars.sqlite"))


def test_add_and_list(tmp_path):
    store = make_store(tmp_path)
    store.add_jar("Painted Mountain", "Maize", 40)
    assert [j["species"] for j in store.list_jars()] == ["maize"]


def test_lend_reduces_grams(tmp_path):
    store = make_store(tmp_path)
    jar_id = store.add_jar("Scarlet Runner", "bean", 30)
    store.lend(jar_id, "irene", 12)
    assert store.get_jar(jar_id)["grams"] == 18

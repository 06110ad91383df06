import requests

BASE = "https://files.example.org"


def download(key, token):
    answer = requests.get(
        f"{BASE}/{key}",
        headers={"Authorization": f"Bearer {token}"},
        timeout=120,
    )
    answer.raise_for_status()
    return answer.content


def upload(key, data, token):
    answer = requests.put(
        f"{BASE}/{key}",
        data=data,
        headers={"Authorization": f"Bearer {token}"},
        timeout=120,
    )
    answer.raise_for_status()

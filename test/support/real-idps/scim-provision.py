"""Provisions people with scim2-client: URL, token and number are the arguments; what it took is the output, as JSON."""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient

CONNECTIONS = 4
url, token, number = sys.argv[1:]
count = int(number)


def work(part):
    client = SyncSCIMClient(Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60))
    client.discover()
    user = client.get_resource_model("User")
    ids = []
    for n in range(part, count, CONNECTIONS):
        name = f"person-{n}@client.example"
        created = client.create(
            user(
                user_name=name,
                external_id=f"client-{n}",
                display_name=f"Person {n}",
                active=True,
                name=user.Name(given_name="Person", family_name=str(n)),
                emails=[user.Emails(value=name, type="work", primary=True)],
            )
        )
        if created.user_name != name:
            raise ValueError(f"{name} became {created.user_name}")
        ids.append(created.id)
    return ids


begin = time.monotonic()
with ThreadPoolExecutor(CONNECTIONS) as threads:
    made = [one for ids in threads.map(work, range(CONNECTIONS)) for one in ids]
print(json.dumps({"people": len(set(made)), "seconds": time.monotonic() - begin}))

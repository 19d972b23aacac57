"""Runs all checks of scim2-tester on a server: URL and token are the arguments, a JSON list of results is the output."""

import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

url, token = sys.argv[1:]
client = SyncSCIMClient(Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60))
results = check_server(client)
print(json.dumps([
    {"status": result.status.name.lower(), "title": result.title, "reason": f"{result.description} {result.reason or ''}"}
    for result in results
]))

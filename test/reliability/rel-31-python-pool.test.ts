import { assertPoolServed, findProgram } from '../support/client-pools.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { t } from '../support/tap.js';

const ROUNDS = 20;
/** requests where it is installed, else the standard library's client on one kept connection. */
const program = `
import sys
url = sys.argv[1]
body = '{"email":"a"}'
try:
    import requests
    session = requests.Session()
    send = lambda headers: session.post(url, data=body, headers=headers).status_code
except ImportError:
    import http.client, urllib.parse
    target = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(target.netloc)
    def send(headers):
        connection.request('POST', target.path, body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status
count = 0
for n in range(${ROUNDS}):
    for connection_field in (None, 'TE, close', 'close'):
        headers = {} if connection_field is None else {'Connection': connection_field}
        if send(headers) == 200:
            count += 1
print(count, 'answers of 200')
`;

if ((await findProgram('python3', '--version')) === null) {
  skipHere(t, missingProgram('Python', 'python3-requests'));
} else {
  t.test('REL-31 a pool of Python (requests, or http.client)', async (t) => {
    await assertPoolServed(t, 'python3', (url) => ['-c', program, url], 3 * ROUNDS);
  });
}

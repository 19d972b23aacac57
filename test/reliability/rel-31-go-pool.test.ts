import { join } from 'node:path';
import { assertPoolServed, findProgram } from '../support/client-pools.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { onlyInFull, t } from '../support/tap.js';

onlyInFull('it compiles a Go program; pools of other clients: rel-31-python-pool, rel-31-curl-pool');

const ROUNDS = 20;
/** One pool, one connection at most: plain requests, and requests with each of two kinds of close. */
const program = `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

func main() {
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1, IdleConnTimeout: time.Minute}}
	count := 0
	send := func(connection string) {
		request, _ := http.NewRequest("POST", os.Args[1], strings.NewReader("{\\"email\\":\\"a\\"}"))
		request.GetBody = nil
		if connection != "" {
			request.Header.Set("Connection", connection)
		}
		answer, err := client.Do(request)
		if err != nil {
			fmt.Println("request", count, connection, err)
			os.Exit(1)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		if answer.StatusCode == 200 {
			count++
		}
	}
	for round := 0; round < ${ROUNDS}; round++ {
		send("")
		send("TE, close")
		send("close")
	}
	fmt.Println(count, "answers of 200")
}
`;

if ((await findProgram('go', 'version')) === null) {
  skipHere(t, missingProgram('Go', 'golang-go'));
} else {
  t.test('REL-31 a pool of Go (net/http)', async (t) => {
    const directory = t.testdir({ 'main.go': program });
    await assertPoolServed(t, 'go', (url) => ['run', join(directory, 'main.go'), url], 3 * ROUNDS, {
      GO111MODULE: 'off',
    });
  });
}

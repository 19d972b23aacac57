/** Compares the interpreter with Go's own, over random templates of the subset and random values. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import fc from 'fast-check';
import { compileTemplate } from '../../src/go-template/index.js';
import { findProgram } from '../support/client-pools.js';
import { chooseSeed } from '../support/long-form.js';
import { missingProgram, skipHere } from '../support/not-here.js';
import { onlyInFull, t } from '../support/tap.js';

/** Reads and writes JSON, one line for each template. */
const program = `package main

import (
	"encoding/json"
	"html/template"
	"os"
	"strings"
)

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for in.More() {
		var job struct {
			Source string
			Values map[string]any
		}
		if err := in.Decode(&job); err != nil {
			panic(err)
		}
		var html strings.Builder
		parsed, err := template.New("").Parse(job.Source)
		if err == nil {
			err = parsed.Execute(&html, job.Values)
		}
		if err != nil {
			out.Encode("error: " + err.Error())
		} else {
			out.Encode(html.String())
		}
	}
}
`;

const trim = fc.constantFrom(['{{ ', ' }}'], ['{{- ', ' }}'], ['{{ ', ' -}}'], ['{{', '}}']);
const action = (inside: fc.Arbitrary<string>) =>
  fc.tuple(trim, inside).map(([[open, close], text]) => `${open}${text}${close}`);
const present = fc.constantFrom('.S', '.M.a', '$.S', '"a<b"', '`"q"`', '(index .M "a")', '(print .S .N)');
const condition = fc.oneof(
  present,
  fc.constantFrom('.N', '.L', '.M', '.None', 'true', 'not .S', 'eq .S "x" ""', 'ne .S .M.a', 'lt .N 2.5', 'and .N .S'),
);
const pipe = fc.constantFrom('js', 'printf "%s!"', 'printf "%-5s|"', 'len', 'print 1 2 .N');
const printed = action(
  fc.oneof(
    present,
    fc.tuple(present, pipe).map((commands) => commands.join(' | ')),
    fc.constantFrom('.M.none.x', '.N', '.L', '.M', '-3', 'len .L', 'or .S "else"', 'println .N .S'),
  ),
);
const markup = fc
  .tuple(
    fc.constantFrom(
      ['<p>', '</p>'],
      ['<p title="', '">'],
      ["<p class='x ", " y'>"],
      ['<a href="', '">'],
      ['<a href="https://a.example/', '/b">'],
      ["<A HREF='/a?b=", "&c={{ .S | urlquery }}'>"],
      ['{{ urlquery .S }}', ''],
      ['<a href="#', '">'],
      ['<title>', '</title>'],
      ['<textarea>', '</textarea>'],
      [' a > b ', ' &amp; '],
      ['<script>f(', ')</script>'],
      ['<script>f("', '", `x {y}`, /a|[/]/)</script>'],
      ["<a onclick='f(", " / 2)'>"],
      ['<p onload="f(\'', '\', &quot;a&quot;)">'],
      ['<style>p { width: ', "; background: url('a?b') }</style>"],
      ['<p style=\'background: url("', '")\'>'],
      ['<img srcset="', ' 2x, /a 1x">'],
      ['{{ template "footer" .S }}<script type="text/x-template"><b>', '</b></script>'],
    ),
    fc.array(printed, { minLength: 1, maxLength: 2 }),
  )
  .map(([[before, after], values]) => `${before}${values.join('')}${after}`);
const { template } = fc.letrec<{ template: string; block: string }>((tie) => ({
  block: fc.oneof(
    fc
      .tuple(condition, tie('template'), tie('template'))
      .map(([c, a, b]) => `{{ if ${c} }}${a}{{ else }}${b}{{ end }}`),
    fc.tuple(condition, condition, tie('template')).map(([c, d, a]) => `{{if ${c}}}1{{else if ${d}}}${a}{{end}}`),
    fc
      .tuple(condition, tie('template'))
      .map(([c, a]) => `{{ $x := ${c} }}{{ with $x }}<i>{{ . }}</i>{{ else }}${a}{{ end }}`),
    fc
      .tuple(fc.constantFrom('.L', '.M', '.None'), markup)
      .map(
        ([list, a]) => `{{ range $i, $v := ${list} }}{{ with $ }}${a}{{ end }}{{ $i }}={{ $v }}{{ else }}none{{ end }}`,
      ),
  ),
  template: fc
    .array(fc.oneof({ depthSize: 'small' }, markup, tie('block')), { maxLength: 4 })
    .map((parts) => parts.join('')),
}));
const someText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('', 'x', 'https://a.test/?b=c&d#e', 'javascript:x', '"><script>', "' onload='x", 'a b+c/é', '%41%'),
);
const values = fc.record({
  S: someText,
  N: fc.constantFrom(0, 1, 2.5, -3, 99),
  L: fc.array(someText, { maxLength: 3 }),
  M: fc.record({ a: someText, b: fc.constantFrom(1, true) }),
});

onlyInFull('it compiles a Go program; cases with their results: go-template');

if ((await findProgram('go', 'version')) === null) skipHere(t, missingProgram('Go', 'golang-go'));
else {
  t.test('the same output as html/template', async (t) => {
    const file = join(t.testdir({ 'main.go': program }), 'main.go');
    const whole = template.map(
      (text) => `{{ define "footer" }}[{{ slice . 0 }}{{ $ }}]{{ end }}${text}{{ block "end" .L }}{{ len . }}{{ end }}`,
    );
    const jobs = fc.sample(fc.record({ Source: whole, Values: values }), { seed: chooseSeed(t), numRuns: 5000 });
    const output = await new Promise<string>((resolve, reject) => {
      const options = { maxBuffer: 1e9, env: { ...process.env, GO111MODULE: 'off' } };
      const go = execFile('go', ['run', file], options, (error, out) => (error ? reject(error) : resolve(out)));
      go.stdin!.end(jobs.map((job) => JSON.stringify(job)).join('\n'));
    });
    const expected = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).replaceAll('ZgotmplZ', ''));
    t.equal(expected.length, jobs.length);
    const rendered = jobs.map(({ Source, Values }) => compileTemplate(Source, 'html').render(Values));
    const differing = jobs.filter((_, at) => rendered[at] !== expected[at]);
    t.same(
      differing.map((job) => [job, rendered[jobs.indexOf(job)], expected[jobs.indexOf(job)]]),
      [],
    );
  });
}

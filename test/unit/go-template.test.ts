import fc from 'fast-check';
import { compileTemplate, TemplateError } from '../../src/go-template/index.js';
import { anyCharacter, holds } from '../support/properties.js';
import { t } from '../support/tap.js';

const html = (source: string, values: Record<string, unknown> = {}) => compileTemplate(source, 'html').render(values);
const text = (source: string, values: Record<string, unknown> = {}) => compileTemplate(source, 'text').render(values);

const data = {
  Email: 'ada+x@example.com',
  Data: { first_name: 'Ada', n: 3, list: ['a', 'b'], map: { b: 2, a: 1 }, empty: '', deep: { er: 'x' }, no: false },
};

t.test('the syntax of templates', async (t) => {
  const cases: [source: string, result: string][] = [
    ['plain', 'plain'],
    ['{{ .Email }}', 'ada+x@example.com'],
    ['{{.Data.first_name}}|{{ .Data.deep.er }}|{{ .Data.none.at.all }}|{{ .Missing }}', 'Ada|x||'],
    ['{{ if .Data.first_name }}yes{{ else }}no{{ end }}', 'yes'],
    ['{{ if .Data.empty }}1{{ else if .Data.no }}2{{ else if .Data.n }}3{{ else }}4{{ end }}', '3'],
    ['{{ with .Data.deep }}{{ .er }}{{ $.Email }}{{ else }}no{{ end }}', 'xada+x@example.com'],
    ['{{ with $x := .Data.n }}{{ $x }}{{ end }}', '3'],
    ['{{ with .Data.none }}a{{ else }}b{{ end }}', 'b'],
    ['{{ range .Data.list }}<{{ . }}>{{ end }}', '<a><b>'],
    ['{{ range $i, $v := .Data.list }}{{ $i }}={{ $v }};{{ end }}', '0=a;1=b;'],
    ['{{ range $k, $v := .Data.map }}{{ $k }}{{ $v }}{{ end }}', 'a1b2'],
    ['{{ range .Data.none }}a{{ else }}none{{ end }}', 'none'],
    ['{{ if eq .Data.first_name "Ada" }}1{{ end }}{{ if ne .Data.n 3 }}2{{ end }}', '1'],
    ['{{ if and .Data.n (not .Data.no) }}1{{ end }}{{ or .Data.empty "alias" }}', '1alias'],
    ['{{ eq .Data.n 1 2 3 }} {{ lt 1 2 }} {{ ge 1 2 }}', 'true true false'],
    ['{{ index .Data "first_name" }}{{ index .Data.list 1 }}{{ index .Data.list 9 }}', 'Adab'],
    ['{{ printf "%s-%05d-%.2f-%q-%%" .Data.first_name 42 1.5 "a" }}', 'Ada-00042-1.50-"a"-%'],
    ['{{ .Data.first_name | printf "%s!" }}', 'Ada!'],
    ['{{ len .Data.list }}{{ len .Data.first_name }}', '23'],
    ['a  {{- " b " -}}  c', 'a b c'],
    ['a {{- /* nothing }} here */ -}} b', 'ab'],
    ['{{/* a comment */}}x', 'x'],
    ['{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}', '2'],
    ['{{ "}}" }}{{ `raw "q"` }}{{ "\\u0041\\n" }}', '}}raw "q"A\n'],
    ['{{ print .Data.list .Data.map }}', '[a b] map[a:1 b:2]'],
    ['{{ print 1 2 "a" "b" 3 }}|{{ println 1 "a" }}|{{ "a b+é(" | urlquery }}', '1 2ab3|1 a\n|a+b%2B%C3%A9%28'],
    ['{{ (index .Data "deep").er }}', 'x'],
    ['{{ true }}{{ nil }}{{ -3 }}{{ 1.5 }}', 'true-31.5'],
    [
      '{{ slice .Email 0 3 }} {{ slice .Email 3 5 }}{{ slice .Email 9 99 }}{{ .Email | len | slice .Email 4 }}',
      'ada +xmple.comx@example.com',
    ],
    ['{{ slice .Data.list 1 }}{{ slice .Data.list 0 1 2 }}{{ slice .Data.none 0 1 }}{{ slice "é" 0 2 }}', '[b][a]é'],
    ["{{ js `<a b='c'>\\n\t` }}", "\\u003Ca b\\u003D\\'c\\'\\u003E\\\\n\\u0009"],
    ['{{ define "x" }}[{{ .n }}{{ $.n }}]{{ end }}{{ template "x" .Data }}{{ template "x" }}', '[33][]'],
    ['{{ block "x" .Data }}{{ .n }}{{ end }}-{{ template "x" . }}', '3-'],
    ['{{ define "x" }}{{ with .er }}{{ . }}{{ template "x" $ }}{{ end }}{{ end }}a', 'a'],
    ['{{ define "x" }}{{ .n }}{{ with .deep }}{{ template "x" . }}{{ end }}{{ end }}{{ template "x" .Data }}', '3'],
  ];
  for (const [source, result] of cases) t.equal(text(source, data), result, source);
});

t.test('syntax outside of the subset is an error', async (t) => {
  const wrong = [
    '{{ .A',
    '{{ end }}',
    '{{ if .A }}',
    '{{ if .A }}{{ else }}{{ else }}{{ end }}',
    '{{ }}',
    '{{ call .A }}',
    '{{ template "x" }}',
    '{{ template .A }}',
    '{{ define "x" }}',
    '{{ define "x" . }}{{ end }}',
    '{{ if .A }}{{ define "x" }}{{ end }}{{ end }}',
    '{{ define "x" }}a{{ end }}{{ define "x" }}b{{ end }}',
    '{{ block "x" }}{{ end }}',
    '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}',
    '{{ $x := 1 }}{{ define "x" }}{{ $x }}{{ end }}{{ template "x" . }}',
    '{{ break }}',
    '{{ range 3 }}{{ end }}',
    '{{ slice "abc" 0 1 2 }}',
    '{{ slice "abc" "a" }}',
    '{{ $x }}',
    '{{ $x = 1 }}',
    '{{ .A .B }}',
    '{{ "a }}',
    '{{ (.A }}',
    '{{ .A ) }}',
    '{{ .A | }}',
    '{{ /* open }}',
    '{{ "\\q" }}',
    '{{ printf "%z" 1 }}',
    `${'{{ if .A }}'.repeat(40)}${'{{ end }}'.repeat(40)}`,
    `{{ ${'('.repeat(40)}1${')'.repeat(40)} }}`,
  ];
  for (const source of wrong) t.throws(() => text(source, { A: 1 }), TemplateError, source.slice(0, 60));
});

t.test('time and size are bounded', async (t) => {
  const many = { l: Array.from({ length: 1000 }, () => 'x'.repeat(100)) };
  t.throws(() => text('{{ range .l }}{{ range $.l }}{{ end }}{{ .}}{{ end }}'.repeat(100), many), /steps|long/);
  t.throws(() => text('{{ range .l }}{{ range $.l }}.{{ end }}{{ end }}', many), /steps/);
  t.throws(() => text('{{ range .l }}{{ range $.l }}{{ len (print $.l) }}{{ end }}{{ end }}', many), /steps/);
  t.throws(() => text('{{ range .l }}{{ print $.l }}{{ end }}', many), /long|steps/);
});

t.test('values are escaped for their context', async (t) => {
  const x = `<b a="1">'&+`;
  const safe = '&lt;b a=&#34;1&#34;&gt;&#39;&amp;&#43;';
  t.equal(html('<p>{{ .X }}</p>', { X: x }), `<p>${safe}</p>`);
  t.equal(html('<p title="{{ .X }}">', { X: x }), `<p title="${safe}">`);
  t.equal(html("<p title='{{ .X }}'>", { X: x }), `<p title='${safe}'>`);
  t.equal(html('<p title={{ .X }} id=a>', { X: 'a b=c' }), '<p title=a&#32;b&#61;c id=a>');
  t.equal(html('<p title={{ .X }} id=a>', { X: '' }), '<p title=# id=a>');
  t.equal(html('<title>{{ .X }}</title>{{ .X }}', { X: '</title>' }), '<title>&lt;/title&gt;</title>&lt;/title&gt;');
  t.equal(html('<!-- {{ .X }} --><p>{{ .X }}', { X: '-->' }), '<!-- --&gt; --><p>--&gt;');
  t.equal(html('a < b {{ .X }}', { X: '<' }), 'a < b &lt;');
  t.equal(html('<p style="color:{{ .X }}">', { X: '#fff' }), '<p style="color:#fff">');
  t.equal(html('<p style="color:{{ .X }}">', { X: 'red;background:url(x)' }), '<p style="color:">');
  t.equal(
    html('<style>p { color: {{ .X }} }</style>{{ .X }}', { X: '</style>' }),
    '<style>p { color:  }</style>&lt;/style&gt;',
  );
  t.equal(html('{{ .X }}', { X: '{{ .Y }}', Y: 'no' }), '{{ .Y }}', 'template syntax in a value is text');
  t.equal(html('{{ .X }}', { X: 'a\0\ud800' }), 'a\ufffd\ufffd');
});

t.test('values in URLs', async (t) => {
  const href = (X: string) => html('<a href="{{ .X }}">', { X });
  t.equal(href('https://a.example/b?c=d&e=f#g'), '<a href="https://a.example/b?c=d&amp;e=f#g">');
  t.equal(href('/local path?q="'), '<a href="/local%20path?q=%22">');
  t.equal(href('mailto:a@b.c'), '<a href="mailto:a@b.c">');
  const hostile = [
    'javascript:alert(1)',
    'JaVaScRiPt:x',
    ' java\nscript:x',
    '\u0001javascript:x',
    'data:text/html,x',
    'vbscript:x',
    'x:y',
  ];
  for (const url of hostile) t.equal(href(url), '<a href="#">', JSON.stringify(url));
  t.equal(
    html('<a href="{{ .U }}/confirm?next={{ .R }}&type=x">', { U: 'https://a.example', R: 'https://b.c/?d=e&f' }),
    '<a href="https://a.example/confirm?next=https%3a%2f%2fb.c%2f%3fd%3de%26f&type=x">',
  );
  t.equal(html('<a href="/?q={{ .X | urlquery }}">', { X: 'a&b c' }), '<a href="/?q=a%26b&#43;c">', 'encoded once');
  t.equal(html('<a href="{{ .X }}{{ .Y }}">', { X: 'java', Y: 'script:x' }), '<a href="java#">', 'a split scheme');
  t.equal(html('<A HREF={{ .X }}>', { X: 'javascript:x' }), '<A HREF=#>');
  t.equal(html('<img src = "{{ .X }}">', { X: 'javascript:x' }), '<img src = "#">');
  t.equal(
    html('<a xlink:href="{{ .X }}" data-href=\'{{ .X }}\'>', { X: 'javascript:x' }),
    `<a xlink:href="#" data-href='#'>`,
  );
  t.equal(html('<!--[if mso]><v:roundrect href="{{ .X }}"><![endif]-->', { X: 'https://a/"' }).includes('"><!'), true);
});

t.test('a value in a place without an escaper is an error, on any way through the template', async (t) => {
  const places = [
    '<{{ .X }}>',
    '<a{{ .X }}>',
    '</{{ .X }}>',
    '<a {{ .X }}{{ .X }}>',
    '<a {{ .X }}b="c">',
    '<script>"</{{ .X }}"</script>',
    '<textarea><{{ .X }}</textarea>',
    '<script>"\\{{ .X }}"</script>',
    '<script>/[{{ .X }}]/</script>',
    '<script>document.write("<script>{{ .X }}")</script>',
    '<a style="content:\'\\{{ .X }}\'">',
    '<a onclick="f(&lcub;{{ .X }})">',
    '{{ define "x" }}{{ if .A }}<a href="{{ template "x" . }}{{ end }}{{ end }}{{ template "x" . }}',
  ];
  for (const place of places) {
    for (const source of [
      place,
      `one\n{{ if .No }}${place}{{ end }}`,
      `{{ define "t" }}${place}{{ end }}{{ template "t" . }}`,
    ]) {
      if (source.includes('{{ define "t" }}{{ define')) continue;
      t.throws(() => compileTemplate(source, 'html'), TemplateError, source);
    }
  }
  t.throws(
    () => compileTemplate('a\n\n{{ if .X }}b\n<{{ .X }}{{ end }}', 'html'),
    /^line 4: A value cannot be part of a tag/,
  );
  t.throws(() => compileTemplate('a\n{{ break }}', 'text'), /^line 2: .*break/);
});

t.test('entities count without a semicolon, as in browsers', async (t) => {
  const Q = ');alert(1)//';
  const code = ');alert(1)\\/\\/';
  for (const quote of ['&quot', '&QUOT', '&#34', '&#x22', '&#39', '&#00000000039', '&#39;']) {
    const handler = html(`<a onclick="f(${quote} {{ .Q }}${quote})">`, { Q });
    t.equal(handler, `<a onclick="f(${quote} ${code}${quote})">`, quote);
  }
  t.equal(
    html('<a onclick="f(a&quotx, &quot=, {{ .Q }})">', { Q: 'x' }),
    '<a onclick="f(a&quotx, &quot=, &#34;x&#34;)">',
  );
  for (const open of ['&', '&#', '&#3', '&#x', '&quot', '&quo', '&#39']) {
    const cure = /^line 2: A value cannot follow &.* write &amp;/;
    t.throws(() => html(`a\n<a onclick="f('${open}{{ .Q }}')">`), cure, open);
    t.throws(() => html(`a\n<a style="background: url('${open}{{ .Q }}')">`), cure, open);
    t.throws(() => html(`a\n<a href="${open}{{ .Q }}">`), cure, open);
  }
  t.equal(
    html(`<a onclick="f(&quo{{ if .No }}{{ end }}t; {{ .Q }}&quot;)">`, { Q }),
    `<a onclick="f(&quot; ${code}&quot;)">`,
  );
  t.equal(html('<a href="{{ .U }}&a={{ .Q }}&{{ .Q }}">', { U: '/?b', Q: 'x' }), '<a href="/?b&a=x&x">');
  for (const blank of ['&#32;', '&#9', '&Tab;', '&#1;']) {
    t.equal(
      html(`<a href="${blank} {{ .X }}">`, { X: 'javascript:x' }),
      `<a href="${blank} #">`,
      'the scheme is the value',
    );
  }
});

t.test('calls that cannot succeed are refused at once, with line and cure', async (t) => {
  const calls = [
    'printf "%e" 1',
    'printf "%+v" .A',
    'printf "%#v" .A',
    'printf "%*d" 1 .A',
    'printf "50%"',
    'printf "%5%"',
    'printf "%s"',
    'printf "%s" .A .A',
    '.A | printf "a"',
    'printf 1',
    'printf',
    'slice',
    'slice .A -1',
    'slice .A 1.5',
    'slice .A "a"',
    'slice .A 0 1 2 3',
    'index',
    'len',
    'len .A .A',
    'not',
    'and',
    'or',
    'eq .A',
    'ne .A',
    'lt 1 2 3',
    'print (len)',
    'print len',
  ];
  for (const call of calls) {
    for (const action of [`{{ ${call} }}`, `{{ $x := ${call} }}`, `{{ if ${call} }}{{ end }}`]) {
      const source = `a\n{{ if .No }}\n${action}{{ end }}`;
      t.throws(
        () => compileTemplate(source, 'text'),
        /^line 3: (?:printf|slice|\w+ has \d arguments).*(?:write|: \{\{)/,
        action,
      );
    }
  }
  t.equal(text('{{ printf .F "x" }}', { F: '%e %+v %s' }), '%e %+v x', 'a format that is a value');
  const endless = [
    '{{ define "a" }}\n{{ template "a" . }}{{ end }}{{ if .No }}{{ template "a" . }}{{ end }}',
    '{{ define "a" }}{{ template "b" }}{{ end }}{{ define "b" }}\n{{ template "a" }}{{ end }}',
  ];
  for (const source of endless)
    t.throws(() => text(source), /^line [12]: \{\{ template "[ab]" }} calls itself without an end: put/);
});

t.test('long chains of calls, and what is found late, name a line', async (t) => {
  const chain = (length: number) =>
    Array.from({ length }, (_, at) => `{{ define "${at}" }}{{ template "${at + 1}" }}{{ end }}\n`).join('') +
    `{{ define "${length}" }}x{{ end }}{{ template "0" }}`;
  for (const form of ['html', 'text'] as const) {
    t.equal(compileTemplate(chain(200), form).render({}).trim(), 'x');
    t.throws(
      () => compileTemplate(chain(3000), form),
      /^line \d+: Templates call one another deeper than 256 levels: write/,
    );
  }
  const late = '\n{{ define "x" }}\n{{ if .a }}{{ template "x" . }}{{ end }}{{ end }}{{ template "x" . }}';
  t.throws(() => text(late, { a: 1 }), /^line 3: Templates call one another deeper/);
  for (const use of ['{{ $x }}', '{{ $x = 1 }}', '{{ if $x }}{{ end }}', '{{ range $x }}{{ end }}', '{{ $y := $x }}']) {
    t.throws(() => text(`a\n${use}`), /^line 2: \$x is not declared: write/, use);
  }
});

t.test('the context is that of the branch that was taken', async (t) => {
  const source = '{{ if .Yes }}<script>f({{ end }}{{ .X }}{{ if .Yes }})</script>{{ end }}';
  t.equal(html(source, { Yes: true, X: '<' }), '<script>f("\\u003c")</script>');
  t.equal(html(source, { X: '<' }), '&lt;');
});

t.test('SEC-27 members of prototypes are not readable', async (t) => {
  const values = JSON.parse('{"Data":{"__proto__":{"own":"yes"},"s":"x","l":[1]}}');
  const names = ['constructor', 'toString', 'prototype', '__defineGetter__', 'hasOwnProperty', 'length'];
  for (const name of names) {
    t.equal(text(`{{ .Data.${name} }}{{ .${name} }}{{ .Data.s.${name} }}{{ .Data.l.${name} }}`, values), '', name);
    t.equal(text(`{{ index .Data "${name}" }}{{ index .Data.l "${name}" }}`, values), '', name);
  }
  t.equal(text('{{ .Data.__proto__.own }}', values), 'yes', 'an own key of that name');
  t.throws(() => text('{{ constructor }}'), TemplateError);
  t.throws(() => text('{{ toString .Data }}'), TemplateError);
});

const piece = fc.oneof(
  fc.constantFrom(
    '{{ .X }}',
    '{{ .Y.a }}',
    '{{ if .X }}',
    '{{ else }}',
    '{{ end }}',
    '{{ range .L }}',
    '{{ with .Y }}',
    '{{-',
    '-}}',
    '{{',
    '}}',
    '{{ printf "%s" .X }}',
    '<a href="',
    '"',
    "'",
    '>',
    '<',
    '<p title=',
    '<script>',
    '</script>',
    '<!--',
    '-->',
    '<style>',
    '</style>',
    '<title>',
    '</title>',
    ' ',
    '=',
    '/',
    '{{ index .L 0 }}',
    '{{ $x := .X }}',
    '{{ $x }}',
    '(',
    ')',
    '|',
  ),
  fc.string({ maxLength: 5 }),
);
const value = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom(
    '<script>',
    '"><img src=x onerror=y>',
    "' onload='x",
    'javascript:x',
    '-->',
    '</style>',
    '</title>',
    '{{ .Z }}',
  ),
);

t.test('random templates render or throw a TemplateError', async (t) => {
  const property = fc.property(fc.array(piece, { maxLength: 20 }), value, (pieces, X) => {
    try {
      compileTemplate(pieces.join(''), 'html').render({ X, Y: { a: X }, L: [X, X] });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
    }
  });
  holds(t, property, 5000);
});

t.test('random values do not change the markup', async (t) => {
  const page = (X: string) =>
    html(
      '<p title="{{ .X }}" class=\'{{ .X }}\' id={{ .X }}>{{ .X }}</p><a href="{{ .X }}">x</a><!-- {{ .X }} --><title>{{ .X }}</title><p style="color:{{ .X }}"></p>',
      { X },
    );
  /** What is markup: angle brackets, quotes, and white space within tags. */
  const skeleton = (markup: string) => markup.replace(/[^<>"']/g, '');
  const expected = skeleton(page('x'));
  const property = fc.property(
    value,
    (X) => skeleton(page(X)) === expected && !/id=[^>]*[\s=]/.test(/id=[^>]*/.exec(page(X))![0].slice(3)),
  );
  holds(t, property, 2000);
});

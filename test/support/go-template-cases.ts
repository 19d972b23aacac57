/** What html/template of Go 1.26 makes of templates, as test/unit/go-template-contexts.test.ts describes. */

export const goValues: Readonly<Record<string, unknown>> = {
  Code: '123456',
  Num: 3,
  Yes: true,
  None: null,
  Empty: '',
  List: ['a<b', "c'd"],
  Map: { b: 1, a: '</script>' },
  Tree: { next: { next: { x: 1 } } },
  Hostile: '</script>"\'`\\ &+/<b a=1>\u0024{x}\n;alert(1)//\u00e9\u2028',
  Control: 'a\u0000\u0001\t\n\u001f\u007f\u00a0\u200b\u00e9',
  Bad: 'javascript:alert(1)',
  Url: 'https://a.example/b c?d=e&f=(g)',
  Colour: '#fff',
  Fonts: 'red, 10px -1em 5% !important',
  Expression: 'expre\\73sion',
  Escaped: 'a\\62 c',
  Srcset: '/a b 2x, javascript:x 3x, https://b.example/c(d) 100w, /e?f "',
  Attr: 'Title',
  Handler: 'click',
};

export const goCases: readonly (readonly [source: string, output: string])[] = [
  [
    '{{ slice .Code 0 3 }} {{ slice .Code 3 6 }}|{{ slice .List 1 }}|{{ .Code | len | slice "abcdefgh" 2 }}',
    '123 456|[c&#39;d]|cdef',
  ],
  [
    '{{ define "row" }}<b>{{ . }}</b>{{ $ }}{{ end }}{{ range .List }}{{ template "row" . }}{{ end }}{{ template "row" }}',
    '<b>a&lt;b</b>a&lt;b<b>c&#39;d</b>c&#39;d<b></b>',
  ],
  ['{{ block "foot" .Map }}{{ .a }}{{ end }}|{{ template "foot" .Map }}', '&lt;/script&gt;|&lt;/script&gt;'],
  ['{{ define "a" }}{{ end }}{{ define "a" }}second{{ end }}{{ template "a" }}', 'second'],
  [
    '{{ define "link" }}{{ . }}{{ end }}<a href="{{ template "link" .Bad }}">{{ template "link" .Bad }}</a><script>f({{ template "link" .Bad }})</script>',
    '<a href="#ZgotmplZ">javascript:alert(1)</a><script>f("javascript:alert(1)")</script>',
  ],
  ['{{ define "d" }}{{ with .next }}({{ template "d" . }}){{ end }}{{ end }}{{ template "d" .Tree }}', '(())'],
  [
    '{{ js .Hostile }}|{{ js "a=b" 1 "c" }}|{{ .Control | js }}',
    '\\u003C/script\\u003E\\&#34;\\&#39;`\\\\ \\u0026&#43;/\\u003Cb a\\u003D1\\u003E\u0024{x}\\u000A;alert(1)//\u00e9\\u2028|a\\u003Db1c|a\\u0000\\u0001\\u0009\\u000A\\u001F\u007f\\u00A0\\u200B\u00e9',
  ],
  [
    '<script>var a = {{ .Hostile }};</script>',
    '<script>var a = "\\u003c/script\\u003e\\"\'`\\\\ \\u0026+/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)//\u00e9\\u2028";</script>',
  ],
  [
    '<script>var a = {{ .Num }}, b = {{ .Yes }}, c = {{ .None }}, d = {{ .List }}, e = {{ .Map }}, f={{ .Control }};</script>',
    '<script>var a =  3 , b =  true , c =  null , d = ["a\\u003cb","c\'d"], e = {"a":"\\u003c/script\\u003e","b":1}, f="a\\u0000\\u0001\\t\\n\\u001f\u007f\u00a0\u200b\u00e9";</script>',
  ],
  [
    '<script>var a = "{{ .Hostile }}", b = \'{{ .Hostile }}\', c = `{{ .Hostile }}`, d = "{{ .Control }}";</script>',
    '<script>var a = "\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)\\/\\/\u00e9\\u2028", b = \'\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)\\/\\/\u00e9\\u2028\', c = `\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\\u0024\\u007bx\\u007d\\n;alert(1)\\/\\/\u00e9\\u2028`, d = "a\\u0000\\u0001\\t\\n\\u001f\u007f\u00a0\u200b\u00e9";</script>',
  ],
  [
    '<script>var a = `x \u0024{ {{ .Hostile }} } {{ .Hostile }} \u0024{ {b: {{ .Num }} } }{{ .Hostile }}`; {{ .Num }}</script>',
    '<script>var a = `x \u0024{ "\\u003c/script\\u003e\\"\'`\\\\ \\u0026+/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)//\u00e9\\u2028" } \\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\\u0024\\u007bx\\u007d\\n;alert(1)\\/\\/\u00e9\\u2028 \u0024{ {b:  3  } }\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\\u0024\\u007bx\\u007d\\n;alert(1)\\/\\/\u00e9\\u2028`;  3 </script>',
  ],
  [
    '<script>var a = /{{ .Hostile }}/.test({{ .Code }}), b = x / {{ .Num }} / 2, c = (1) / {{ .Num }};return /{{ .None }}{{ .Empty }}/</script>',
    '<script>var a = /\\u003c\\/script\\u003e\\u0022\\u0027`\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\\$\\{x\\}\\n;alert\\(1\\)\\/\\/\u00e9\\u2028/.test("123456"), b = x /  3  / 2, c = (1) /  3 ;return /(?:)(?:)/</script>',
  ],
  ['<script>if (a++ / {{ .Num }}) b = +/{{ .Code }}/;</script>', '<script>if (a++ /  3 ) b = +/123456/;</script>'],
  [
    '<script type="text/javascript">f({{ .Hostile }})</script><script type="module">f({{ .Hostile }})</script>',
    '<script type="text/javascript">f("\\u003c/script\\u003e\\"\'`\\\\ \\u0026+/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)//\u00e9\\u2028")</script><script type="module">f("\\u003c/script\\u003e\\"\'`\\\\ \\u0026+/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)//\u00e9\\u2028")</script>',
  ],
  [
    '<script type="application/ld+json">{"name": {{ .Hostile }}, "to": "{{ .Hostile }}"}</script>',
    '<script type="application/ld+json">{"name": "\\u003c/script\\u003e\\"\'`\\\\ \\u0026+/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)//\u00e9\\u2028", "to": "\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)\\/\\/\u00e9\\u2028"}</script>',
  ],
  [
    '<script type="text/x-template"><a href="{{ .Bad }}">{{ .Hostile }}</a></script>{{ .Hostile }}',
    '<script type="text/x-template"><a href="#ZgotmplZ">&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028</a></script>&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028',
  ],
  [
    '<script>js {{ js .Code }} "{{ js .Hostile }}"</script>',
    '<script>js "123456" "\\\\u003C\\/script\\\\u003E\\\\\\u0022\\\\\\u0027\\u0060\\\\\\\\ \\\\u0026\\u002b\\/\\\\u003Cb a\\\\u003D1\\\\u003E\u0024{x}\\\\u000A;alert(1)\\/\\/\u00e9\\\\u2028"</script>',
  ],
  [
    '<a onclick="f({{ .Hostile }})">{{ .Hostile }}</a>',
    '<a onclick="f(&#34;\\u003c/script\\u003e\\&#34;&#39;`\\\\ \\u0026&#43;/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)//\u00e9\\u2028&#34;)">&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028</a>',
  ],
  [
    '<a onclick="f(\'{{ .Hostile }}\', &quot;{{ .Hostile }}&quot;, {{ .Map }})" title="{{ .Hostile }}">',
    '<a onclick="f(\'\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)\\/\\/\u00e9\\u2028\', &quot;\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)\\/\\/\u00e9\\u2028&quot;, {&#34;a&#34;:&#34;\\u003c/script\\u003e&#34;,&#34;b&#34;:1})" title="&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028">',
  ],
  [
    "<a onmouseover='f(\"{{ .Hostile }}\")' data-onload='{{ .Num }}'>",
    "<a onmouseover='f(\"\\u003c\\/script\\u003e\\u0022\\u0027\\u0060\\\\ \\u0026\\u002b\\/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)\\/\\/\u00e9\\u2028\")' data-onload=' 3 '>",
  ],
  ['<a onclick=f({{ .Num }}) id=x>', '<a onclick=f(&#32;3&#32;) id=x>'],
  [
    '<p style="color: {{ .Colour }}; width: {{ .Num }}px; background: {{ .Hostile }}">',
    '<p style="color: #fff; width: 3px; background: ZgotmplZ">',
  ],
  [
    '<p style="color: {{ .Fonts }};font-family: \'{{ .Hostile }}\', &quot;{{ .Colour }}&quot;">',
    '<p style="color: red, 10px -1em 5% !important;font-family: \'\\3c\\2fscript\\3e\\22\\27`\\\\ \\26\\2b\\2f\\3c b a=1\\3e$\\7bx\\7d \\a\\3b alert\\28 1\\29\\2f\\2f\u00e9\u2028\', &quot;#fff&quot;">',
  ],
  [
    '<p style="background: url({{ .Url }})"><p style="background: url(\'{{ .Bad }}\')"><p style="background: url( &quot;/a?b={{ .Hostile }}&quot;)">',
    '<p style="background: url(https://a.example/b%20c?d=e&amp;f=%28g%29)"><p style="background: url(\'#ZgotmplZ\')"><p style="background: url( &quot;/a?b=%3c%2fscript%3e%22%27%60%5c%20%26%2b%2f%3cb%20a%3d1%3e%24%7bx%7d%0a%3balert%281%29%2f%2f%c3%a9%e2%80%a8&quot;)">',
  ],
  [
    '<style>p { color: {{ .Colour }}; content: "{{ .Hostile }}" } a:before { content: "{{ .Bad }}/{{ .Hostile }}?{{ .Hostile }}" }</style>{{ .Hostile }}',
    '<style>p { color: #fff; content: "\\3c\\2fscript\\3e\\22\\27`\\\\ \\26\\2b\\2f\\3c b a=1\\3e$\\7bx\\7d \\a\\3b alert\\28 1\\29\\2f\\2f\u00e9\u2028" } a:before { content: "#ZgotmplZ/\\3c\\2fscript\\3e\\22\\27`\\\\ \\26\\2b\\2f\\3c b a=1\\3e$\\7bx\\7d \\a\\3b alert\\28 1\\29\\2f\\2f\u00e9\u2028?%3c%2fscript%3e%22%27%60%5c%20%26%2b%2f%3cb%20a%3d1%3e%24%7bx%7d%0a%3balert%281%29%2f%2f%c3%a9%e2%80%a8" }</style>&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028',
  ],
  [
    '<style>p { width: {{ .Expression }} } q { width: {{ .Escaped }} }</style>',
    '<style>p { width: ZgotmplZ } q { width: abc }</style>',
  ],
  [
    '<img srcset="{{ .Srcset }}"><img srcset="{{ .Bad }} 2x, /a?b={{ .Hostile }} 1x"><img src="{{ .Bad }}">',
    '<img srcset="/a b 2x,#ZgotmplZ, https://b.example/c%28d%29 100w,#ZgotmplZ"><img srcset="#ZgotmplZ 2x, /a?b=#ZgotmplZ 1x"><img src="#ZgotmplZ">',
  ],
  [
    '<a data-url="{{ .Bad }}" my-src="{{ .Bad }}" xmlns:x="{{ .Bad }}" svg:href=\'{{ .Url }}\' srclang="{{ .Bad }}">',
    '<a data-url="#ZgotmplZ" my-src="#ZgotmplZ" xmlns:x="#ZgotmplZ" svg:href=\'https://a.example/b%20c?d=e&amp;f=%28g%29\' srclang="javascript:alert(1)">',
  ],
  ...'action archive background cite classid codebase data formaction href icon longdesc manifest poster profile src usemap xmlns'
    .split(' ')
    .map((name) => [`<x ${name}="{{ .Bad }}">`, `<x ${name}="#ZgotmplZ">`] as const),
  [
    '<meta http-equiv="refresh" content="0; url={{ .Bad }}"><meta content="{{ .Hostile }}"><meta content="0;URL = {{ .Url }}; {{ .Bad }}">',
    '<meta http-equiv="refresh" content="0; url=#ZgotmplZ"><meta content="&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028"><meta content="0;URL = https://a.example/b c?d=e&amp;f=(g); javascript:alert(1)">',
  ],
  [
    '<input {{ .Attr }} {{ .Attr }}="{{ .Hostile }}" data-{{ .Attr }}="{{ .Hostile }}">',
    '<input title title="&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028" data-title="&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028">',
  ],
  [
    '<input on{{ .Handler }}="f({{ .Hostile }})">',
    '<input onclick="f(&#34;\\u003c/script\\u003e\\&#34;&#39;`\\\\ \\u0026&#43;/\\u003cb a=1\\u003e\u0024{x}\\n;alert(1)//\u00e9\\u2028&#34;)">',
  ],
  [
    '<iframe srcdoc="{{ .Hostile }}"></iframe><textarea>{{ .Hostile }}</textarea><title>{{ .Hostile }}</title>',
    '<iframe srcdoc="&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028"></iframe><textarea>&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028</textarea><title>&lt;/script&gt;&#34;&#39;`\\ &amp;&#43;/&lt;b a=1&gt;\u0024{x}\n;alert(1)//\u00e9\u2028</title>',
  ],
  [
    '<a title={{ .Hostile }} alt={{ .Code }}>',
    '<a title=&lt;/script&gt;&#34;&#39;&#96;\\&#32;&amp;&#43;/&lt;b&#32;a&#61;1&gt;\u0024{x}&#10;;alert(1)//\u00e9\u2028 alt=123456>',
  ],
  [
    '<a href="?a={{ .Hostile }}&b={{ .Hostile | urlquery }}#{{ .Hostile }}">',
    '<a href="?a=%3c%2fscript%3e%22%27%60%5c%20%26%2b%2f%3cb%20a%3d1%3e%24%7bx%7d%0a%3balert%281%29%2f%2f%c3%a9%e2%80%a8&b=%3C%2Fscript%3E%22%27%60%5C&#43;%26%2B%2F%3Cb&#43;a%3D1%3E%24%7Bx%7D%0A%3Balert%281%29%2F%2F%C3%A9%E2%80%A8#%3c%2fscript%3e%22%27%60%5c%20%26%2b%2f%3cb%20a%3d1%3e%24%7bx%7d%0a%3balert%281%29%2f%2f%c3%a9%e2%80%a8">',
  ],
];

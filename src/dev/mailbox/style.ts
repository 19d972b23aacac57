import { colours } from '../colours.js';

export const style = `
${colours}* { box-sizing: border-box; }
html, body { height: 100%; }
body { margin: 0; display: flex; flex-direction: column; background: var(--ground); color: var(--ink); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#pane:focus { outline: none; }
.top { display: flex; align-items: center; gap: 1rem; padding: .7rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--card); }
.top h1 { margin: 0; font-size: 1.05rem; }
.top h1 a { color: inherit; text-decoration: none; }
.state { margin: 0 auto 0 0; color: var(--soft); font-size: .85rem; }
.dot { display: inline-block; width: .55em; height: .55em; margin-right: .5em; border-radius: 50%; background: var(--good); }
.is-offline .dot { background: var(--bad); }
.columns { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(17rem, 23rem) 1fr; }
#list { overflow: auto; border-right: 1px solid var(--line); background: var(--card); }
#list ol { margin: 0; padding: 0; list-style: none; }
.none { padding: 1.25rem; color: var(--soft); }
.item { display: grid; grid-template-columns: 1fr auto; gap: 0 .75rem; padding: .7rem 1.25rem; border-bottom: 1px solid var(--line); border-left: 3px solid transparent; color: inherit; text-decoration: none; }
.item:hover { background: var(--ground); }
.item[aria-current] { background: var(--accent-soft); border-left-color: var(--accent); }
.item:focus-visible { outline-offset: -2px; }
.item.is-new .to::after { content: ""; display: inline-block; width: .5em; height: .5em; margin-left: .5em; border-radius: 50%; background: var(--accent); }
.to, .subject { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.to { font-weight: 600; }
.subject, time { color: var(--soft); font-size: .87rem; }
time { font-variant-numeric: tabular-nums; }
.badge { justify-self: end; align-self: center; padding: 0 .5em; border: 1px solid var(--line); border-radius: 1em; color: var(--soft); font-size: .7rem; }
#pane { overflow: auto; padding: 1.5rem clamp(1.25rem, 4vw, 3rem); }
article { display: flex; flex-direction: column; min-height: 100%; max-width: 60rem; }
article > * { flex: none; }
h2 { margin: 0; font-size: 1.45rem; line-height: 1.3; overflow-wrap: anywhere; }
.back { display: none; }
.meta { margin: .25rem 0 1.1rem; color: var(--soft); overflow-wrap: anywhere; }
.meta strong { color: var(--ink); }
button { font: inherit; color: inherit; cursor: pointer; }
.quiet { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: var(--soft); font-size: .83rem; }
.quiet:hover { color: var(--ink); border-color: var(--soft); }
.codes { display: flex; flex-wrap: wrap; gap: .75rem; margin-bottom: 1.1rem; }
.code { display: flex; align-items: center; gap: 1.25rem; padding: .55rem 1.1rem; border: 1px solid var(--accent); border-radius: .8rem; background: var(--accent-soft); }
.digits { font: 600 2.1rem/1.3 ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; letter-spacing: .12em; }
.code .hint { color: var(--accent); font-size: .85rem; }
.is-copied .hint { color: var(--good); }
.hint { display: inline-block; min-width: 3.4em; text-align: center; }
.links { margin: 0 0 1.1rem; padding: 0; list-style: none; display: grid; grid-template-columns: minmax(0, 1fr); gap: .4rem; }
.links li { display: flex; align-items: center; gap: .75rem; padding: .35rem .4rem .35rem .9rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); }
.links a { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tabs { display: flex; gap: .25rem; border-bottom: 1px solid var(--line); }
.tabs button { padding: .4rem .9rem; border: 0; border-bottom: 2px solid transparent; background: none; color: var(--soft); }
.tabs button[aria-selected="true"] { border-bottom-color: var(--accent); color: var(--ink); }
.tabs:not(:has(:nth-child(2))) { display: none; }
.panel { padding-top: 1rem; }
.panel:not([hidden]) { flex: 1 0 auto; display: flex; flex-direction: column; }
iframe { flex: 1; min-height: 22rem; width: 100%; border: 1px solid var(--line); border-radius: .6rem; background: #fff; color-scheme: light; }
pre { margin: 0; font: .92rem/1.55 ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.plain { padding: 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); }
.bubble { align-self: flex-start; max-width: 32rem; padding: .7rem 1.1rem; border-radius: 1.1rem 1.1rem 1.1rem .3rem; background: var(--card); border: 1px solid var(--line); font-family: inherit; font-size: 1rem; }
.headers { margin: 0; display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
.headers dt { color: var(--soft); }
.headers dd { margin: 0; overflow-wrap: anywhere; }
.welcome { max-width: 48rem; margin: 8vh auto 0; }
.welcome p { color: var(--soft); }
.paste { display: flex; align-items: center; gap: .75rem; margin: .5rem 0; padding: .6rem .6rem .6rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); }
.paste pre { flex: 1; }
.keys { margin: 0; padding: .4rem 1.25rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .78rem; }
kbd { margin-left: .6rem; padding: 0 .4em; border: 1px solid var(--line); border-radius: .3em; background: var(--card); font: inherit; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 46rem) {
  .columns { grid-template-columns: 1fr; }
  #list { border-right: 0; }
  body[data-chosen="true"] #list { display: none; }
  body[data-chosen="false"] #pane:has(article) { display: none; }
  #list:has(.none) { display: none; }
  .back { display: inline-block; margin-bottom: .75rem; }
  .keys, .state { display: none; }
  .top .quiet { margin-left: auto; }
  .digits { font-size: 1.8rem; }
}
@media (hover: none) { .keys { display: none; } }
`;

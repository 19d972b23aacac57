import { colours } from '../colours.js';

/** Of the pages of the identity provider, in the look of the others of `latchkey dev`. */
export const providerStyle = `${colours}
* { box-sizing: border-box; }
body { margin: 0; padding: clamp(1.5rem, 6vh, 4rem) 1.25rem 2rem; background: var(--ground); color: var(--ink); }
main { max-width: 40rem; margin: 0 auto; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .6rem; font-size: 1.1rem; }
.lead { margin: .5rem 0 1.5rem; color: var(--soft); overflow-wrap: anywhere; }
.soft { color: var(--soft); }
form { display: grid; gap: .8rem; margin: 1rem 0 1.5rem; }
button, input, select { font: inherit; }
button { padding: .5rem 1.1rem; border: 1px solid var(--accent); border-radius: .6rem; background: var(--accent); color: var(--card); cursor: pointer; }
button.quiet { border-color: var(--line); background: transparent; color: var(--ink); }
button.quiet:hover { border-color: var(--soft); }
.person { display: flex; align-items: center; gap: .9rem; width: 100%; padding: .9rem 1.1rem; border: 1px solid var(--line); border-radius: .8rem; background: var(--card); color: inherit; text-align: left; }
button.person:hover { border-color: var(--accent); }
.initial { flex: none; display: grid; place-items: center; width: 2.4rem; height: 2.4rem; border-radius: 50%; background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.who { display: flex; flex-direction: column; min-width: 0; overflow-wrap: anywhere; }
.actions { display: flex; flex-wrap: wrap; justify-content: end; gap: .5rem; margin-left: auto; }
label { display: grid; gap: .25rem; color: var(--soft); font-size: .9rem; }
label input, label select { width: 100%; padding: .5rem .6rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--ink); }
label.check { display: flex; align-items: center; gap: .5rem; }
label.check input { width: auto; margin: 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .3rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: .6rem; background: var(--card); margin: .5rem 0; padding: .6rem .9rem; }
details p { margin: .5rem 0; overflow-wrap: anywhere; }
summary { cursor: pointer; }
.way { display: inline-block; min-width: 4.5rem; color: var(--accent); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, "DejaVu Sans Mono", monospace; font-size: .83rem; }
pre { margin: .6rem 0 0; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--ground); overflow: auto; max-height: 24rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) { section.person { flex-wrap: wrap; } .actions { justify-content: start; margin-left: 3.3rem; } dl { grid-template-columns: 1fr; } }
`;

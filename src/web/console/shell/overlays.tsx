/** What Ctrl-K and `?` open; a part of the script of its own. */
import { useState } from 'preact/hooks';
import { pathWith } from '../core/api.js';
import { navigate } from '../core/location.js';
import { may, overlay } from '../core/state.js';
import { consolePages } from '../pages/index.js';
import { Dialog } from '../parts/dialog.js';

const close = () => {
  overlay.value = null;
};

export function Overlays() {
  if (overlay.value === 'palette') return <Palette />;
  return overlay.value === 'help' ? <Help /> : null;
}

interface Target {
  readonly label: string;
  readonly href: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Where somebody wants to go who types or pastes this: pages, an account, a request. */
function findTargets(text: string): readonly Target[] {
  const words = text.toLowerCase();
  const shown = consolePages
    .filter(({ menu, role, title }) => menu !== undefined && may(role) && title.toLowerCase().includes(words))
    .map(({ title, path }) => ({ label: title, href: path }));
  if (text === '') return shown;
  const has = (path: string) => consolePages.some((page) => page.path === path && may(page.role));
  const ids = UUID.test(text)
    ? [
        ...(has('/users/{user_id}') ? [{ label: 'User with this id', href: `/users/${text}` }] : []),
        ...(has('/requests/{request_id}') ? [{ label: 'Request with this id', href: `/requests/${text}` }] : []),
        ...(has('/activity')
          ? [{ label: 'Activity of this person', href: pathWith('/activity', { person: text }) }]
          : []),
      ]
    : [];
  return [...ids, ...shown, { label: `Users that begin with “${text}”`, href: pathWith('/users', { q: text }) }];
}

function Palette() {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const targets = findTargets(text.trim());
  const go = (target: Target | undefined) => {
    if (target === undefined) return;
    close();
    navigate(target.href);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt((at + step + targets.length) % targets.length);
  };
  return (
    <Dialog title="Go to" onClose={close}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          go(targets[at]);
        }}
      >
        <input
          role="combobox"
          aria-label="A page, or an email, phone or id"
          aria-expanded="true"
          aria-controls="palette-targets"
          aria-activedescendant={targets[at] && `palette-${at}`}
          placeholder="A page, or an email, phone or id"
          value={text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onKeyDown={press}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
        />
        <div id="palette-targets" class="targets" role="listbox" aria-label="Where to">
          {targets.map((target, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys.
            <div
              key={target.href}
              id={`palette-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              onClick={() => go(target)}
            >
              {target.label}
            </div>
          ))}
        </div>
      </form>
    </Dialog>
  );
}

function Help() {
  const keys: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['Ctrl', 'K'], 'Go to a page, an account or a request'],
    [['/'], 'Search on this page'],
    [['j'], 'Next row'],
    [['k'], 'Row before'],
    [['Enter'], 'Open the row'],
    [['x'], 'Select the row'],
    [['b'], 'What can be done with the selected rows'],
    [['n'], 'Next page of the list'],
    ...consolePages
      .filter(({ menu, role }) => menu?.key !== undefined && may(role))
      .map(({ menu, title }) => [['g', menu!.key!], title] as const),
    [['Esc'], 'Close a dialog'],
    [['?'], 'This help'],
  ];
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys">
        {keys.map(([names, what]) => (
          <div key={names.join('')}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="small muted">
        All but Ctrl-K and Esc can be switched off in{' '}
        <a href="/me" onClick={close}>
          your account
        </a>
        .
      </p>
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

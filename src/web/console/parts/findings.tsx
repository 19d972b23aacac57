/** What `latchkey check provider` and `latchkey check sso` print, line by line: what is fine, what is wrong, and hints. */
import { Icon } from './icon.js';

const looks = { fine: ['passed', 'check'], wrong: ['failed', 'close'], hint: ['hint', 'next'] } as const;

export function Findings({ label, text }: { readonly label: string; readonly text: string }) {
  const lines = text.split('\n').filter((line) => line !== '');
  return (
    <section aria-label={label}>
      <ol class="checks">
        {lines.map((line, i) => {
          const [, kind, said] = /^(fine|wrong|hint) +(.*)$/.exec(line) ?? [];
          if (kind === undefined) {
            return (
              <li key={i}>
                <span />
                <p>{line}</p>
              </li>
            );
          }
          const [look, icon] = looks[kind as keyof typeof looks];
          return (
            <li key={i} class={look}>
              <Icon name={icon} />
              <p class="break">
                <span class="hidden">{kind}: </span>
                {said}
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
